# What the tests of deaths share, on top of tests/cli/helper.bash: the program under test has the places where it breaks itself.

load ../cli/helper

gone() { # PID
    [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"
}

# The scheduler has ended, by itself or because of a signal; waits for it.
scheduler_gone() {
    until_true 20 gone "$scheduler"
    scheduler=
}

stopped() { # PID
    grep -q '^State:.*T' "/proc/$1/status"
}

# Starts `ax run` in the foreground of a job of this shell: its exit code can be waited for.
serve_here() {
    "$AX" run "$@" 2>>log 3>&- 4>&- &
    scheduler=$!
    until_true 20 holds_lock
}
holds_lock() {
    grep -q 'event=serving.* pid='"$scheduler"' ' log
}

# exit_code: of the scheduler that serve_here started, which has a minute to go.
exit_code() {
    code=0
    until_true 60 gone "$scheduler" || return
    wait "$scheduler" || code=$?
    scheduler=
}

over() { # JOB: nothing of it will come any more
    ax show --json "$1" | grep -qE '"state":"(ok|done|failed|cancelled|lost|missed)"'
}

outcome_is() { # RUN OUTCOME [EXIT CODE]
    local row
    row=$(ax history --json --limit 100000 | grep -F "\"run\":\"$1\"") || return
    [ "$(field outcome <<<"$row")" = "$2" ] || { echo "run $1: $(field outcome <<<"$row")"; return 1; }
    [ -z "${3:-}" ] || [ "$(field exit_code <<<"$row")" = "$3" ]
}

runs_of() { # JOB: how many rows history has of it
    ax history --json --limit 100000 "$1" | grep -c '"run":"' || true
}

lines() { # FILE N: it has so many
    [ "$(cat "$1" 2>/dev/null | wc -l)" -eq "$2" ]
}

# The worker of a command, known by its pid.
worker_of() {
    ps -o ppid= -p "$1" | tr -d ' '
}

# Fences, sockets and outcomes left behind: all gone.
swept() {
    [ -z "$(ls "$AX_SPOOL/runs" "$AX_SPOOL/handover" | grep -v ':$')" ]
}

cpu_ticks() { # PID: user and system time, in hundredths of a second
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

# Ends the workers of this spool, which may be stopped or wait for room, and what they have started: a command that outlives its test is
# taken for that of the next one.
end_commands() {
    local file
    pkill -9 -f "__worker $AX_SPOOL " || true
    for file in $(grep -lsazFx -- "AX_SPOOL=$AX_SPOOL" /proc/[0-9]*/environ); do
        ! grep -qsaz '^AX_RUN=' "$file" || kill -9 "${file//[!0-9]/}" 2>/dev/null || true
    done
}

teardown() {
    unserve KILL
    end_commands
    [ -z "${mounted:-}" ] || until_true 20 umount "$mounted"
    [ -z "${scratch:-}" ] || rm -rf "$scratch"
}
