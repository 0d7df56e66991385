#!/bin/bash
# What ax does, in half a minute, on a throw-away spool with a real scheduler. Every command is printed before it runs.
# Ends with 1 if something did not go as told, so it is a test as well.
set -u
cd "$(dirname "$0")/.." || exit 1

work=$(mktemp -d "${TMPDIR:-/tmp}/axdemo.XXXXXX") || exit 1
PATH=$(dirname "${AX:-$PWD/ax}"):$PATH
export AX_SPOOL=$work/spool
unset AX_JOB AX_RUN AX_NAME
scheduler=
alive() { grep -qs '^State:.[^ZX]' "/proc/${scheduler:-none}/status"; } # some inits take seconds to reap
leave() {
    [ -n "$scheduler" ] && kill -TERM "$scheduler" 2>/dev/null && kill -TERM "$scheduler" 2>/dev/null
    for _ in {1..100}; do
        alive || break
        sleep 0.1
    done
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM HUP

bold='' plain=''
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] && bold=$'\e[1m' plain=$'\e[0m'
tell() { printf '\n# %s\n' "$*"; }
show() { printf '%s$ %s%s\n' "$bold" "$1" "$plain" && eval "$1"; } # prints the line, then runs it
failures=0
expect() { # WHAT PATTERN TEXT: the text must have a line with the pattern
    grep -qE -- "$2" <<<"$3" && return
    printf '\nNot as told: %s\nexpected: %s\n' "$1" "$2"
    failures=$((failures + 1))
}
history_of() { ax history --json "$1"; }
wait_for() { # COUNT PATTERN: lines of history with the pattern
    for _ in {1..150}; do
        [ "$(ax history --json | grep -cE -- "$2")" -ge "$1" ] && return
        sleep 0.1
    done
    echo "Waited in vain for: $2"
    failures=$((failures + 1))
}

tell "A scheduler in the background, on a spool of its own ($AX_SPOOL)."
show 'ax run --detach' | tee "$work/started"
scheduler=$(sed -n 's/.* pid \([0-9]*\).*/\1/p' "$work/started")
[ -n "$scheduler" ] || { echo "Not as told: the scheduler did not start" && exit 1; }

tell "A command in two seconds. ax says when that is, and the job is on disk before it says so."
show "ax add --name hello 2s -- echo 'hello from ax'"
tell "One that fails twice: it is tried again after 1 s, then after 2 s."
show "ax add --name flaky --retries 5 --retry-delay 1s --retry-jitter 0 now -c 'echo attempt \$AX_ATTEMPT; test \$AX_ATTEMPT -ge 3'"
tell "One that would take too long: its whole tree of processes is ended after two seconds."
show "ax add --name slow --timeout 2s now -c 'sleep 6143 & sleep 6143'"
tell "One for tomorrow, and we change our mind."
show "ax add --name never --at 'tomorrow 09:00' -- echo never"
show "ax cancel never"
tell "What is to come and what is going on:"
show "ax ls"

wait_for 1 '"name":"hello".*"outcome":"ok"'
wait_for 1 '"name":"slow".*"outcome":"timeout"'
wait_for 1 '"name":"flaky".*"outcome":"ok"'

tell "A few seconds later: everything that happened, newest first."
show "ax history"
tell "What the commands wrote:"
show "ax log hello"
show "ax log flaky"
tell "The same for programs: one JSON object a line."
show "ax history --json hello"

expect "hello ran once and was ok" '"outcome":"ok"' "$(history_of hello)"
expect "its output was kept" '^hello from ax$' "$(ax log hello)"
expect "flaky failed first" '"attempt":1.*"outcome":"failed".*"exit_code":1' "$(history_of flaky)"
expect "flaky was ok at the third attempt" '"attempt":3.*"outcome":"ok"' "$(history_of flaky)"
expect "slow was ended by its limit" '"outcome":"timeout"' "$(history_of slow)"
expect "never was cancelled" '"outcome":"cancelled"' "$(history_of never)"
left=$(grep -lsazF "AX_SPOOL=$AX_SPOOL" /proc/[0-9]*/environ | while read -r file; do grep -lszx 6143 "${file%environ}cmdline"; done)
expect "nothing of slow's tree is left" '^$' "$left"

tell "The scheduler goes; the spool would keep everything for the next one."
show "kill $scheduler"
for _ in {1..100}; do alive || break; sleep 0.1; done
alive && failures=$((failures + 1)) && echo "Not as told: it is still there"
if [ "$failures" -eq 0 ]; then
    printf '\nThat was ax. %s is removed now; `ax help` and README.md go on from here.\n' "$work"
fi
[ "$failures" -eq 0 ]
