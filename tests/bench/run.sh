#!/bin/bash
# run.sh [PART...]: ax beside the bare system calls, bare LMDB and its peers, all from one run on this machine.
#
# Parts: add import throughput late now burst slots pending idle next recurring files; without PARTs all of them.
# BENCH_FULL=1 adds those that take long: big (10,000,000 jobs pending) and million (1,000,000 jobs run to the end).
# Peers (at, tsp, xargs) are measured where they are installed. Rows with a wanted ratio end in `holds` or `misses`.
# BENCH_DIR is where spools are made (default: TMPDIR or /tmp).
set -u
cd "$(dirname "$0")/../.." || exit 1

ax=$PWD/ax
bench=$PWD/build/release/tests/bench
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/axb.XXXXXX") || exit 1
export AX_SPOOL=$work/spool TS_SOCKET=$work/tsp
unset AX_JOB AX_RUN AX_NAME
scheduler=
leave() {
    stop_scheduler
    have tsp && [ -S "$TS_SOCKET" ] && tsp -K
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM HUP

# ---- helpers ----

far=1893456000000000000 # 2030-01-01 in nanoseconds
soon() { echo $(($(date +%s%N) + $1 * 1000000)); } # in $1 ms
have() { command -v "$1" >/dev/null; }
calc() { awk "BEGIN { x = ($1); printf(x >= 1000 ? \"%.0f\" : \"%.4g\", x) }"; }
complain() { echo "bench: $*" >&2; }
quietly() { "$@" >"$work/out" 2>&1 || { complain "failed: $*" && tail -n 3 "$work/out" >&2; }; }
seconds() { # COMMAND...: how long it takes
    local from=$EPOCHREALTIME
    quietly "$@"
    calc "$EPOCHREALTIME - $from"
}
percentile() { # PERCENT FILE: lateness of the stamps in it, in ms
    awk '{ printf "%.6f\n", ($1 - $2) / 1e6 }' "$2" | sort -n |
        awk -v p="$1" '{ v[NR] = $1 } END { printf "%.3f", NR ? v[int((NR - 1) * p / 100 + 1.5)] : 0 }'
}
lines() { cat "$1" 2>/dev/null | wc -l; }
wait_lines() { # FILE COUNT SECONDS
    local end=$((SECONDS + $3))
    while [ "$(lines "$1")" -lt "$2" ] && [ $SECONDS -lt $end ]; do sleep 0.1; done
    [ "$(lines "$1")" -ge "$2" ] || complain "only $(lines "$1") of $2 runs left a stamp"
}
fresh_spool() { rm -rf "$AX_SPOOL" && mkdir -m 700 "$AX_SPOOL"; }
import() { quietly "$ax" import ndjson "$1"; }
ready=serving # the event in the log that says that the scheduler has read the spool and waits
start_scheduler() { # OPTION...: returns when it is ready
    "$ax" run "$@" >/dev/null 2>"$work/log" &
    scheduler=$!
    until grep -q "$ready" "$work/log"; do
        kill -0 "$scheduler" 2>/dev/null || { complain "ax run ended: $(tail -n 1 "$work/log")" && return 1; }
        sleep 0.002
    done
}
stop_scheduler() {
    [ -n "$scheduler" ] || return 0
    kill -TERM "$scheduler" 2>/dev/null
    wait "$scheduler" 2>/dev/null
    scheduler=
}

format='%-46s %11s   %-36s %11s %7s  %s\n'
missed=0
# WHAT VALUE UNIT, BESIDE VALUE [OPERATOR WANTED]: a row with ax's value, its peer's, their ratio and what it should be
row() {
    local ratio verdict=
    ratio=$(calc "($5 > 0) ? $2 / $5 : 0")
    if [ $# -gt 5 ]; then
        verdict="$6 $7  $(awk "BEGIN { print(($2 > 0 && $5 > 0 && $ratio $6 $7) ? \"holds\" : \"misses\") }")"
        [[ $verdict == *holds ]] || missed=$((missed + 1))
    fi
    # shellcheck disable=SC2059
    printf "$format" "$1" "$2 $3" "$4" "$5 $3" "$ratio" "$verdict"
}

# ---- the parts ----

part_add() {
    local peers=() names=() medians i
    have at && peers+=(-- at -f "$work/empty" now + 1 hour) && names+=("at (not synced)")
    have tsp && peers+=(-- tsp -n /bin/true) && names+=("tsp (not synced)")
    : >"$work/empty"
    fresh_spool
    start_scheduler || return
    mapfile -t medians < <("$bench/starts" 400 "$ax" add -q 1h '\--' /bin/true -- /bin/true "${peers[@]}")
    row "ax add of one job, scheduler running" "${medians[0]}" ms "/bin/true" "${medians[1]}" '<=' 1.8
    for i in "${!names[@]}"; do
        row "  the same" "${medians[0]}" ms "${names[i]}" "${medians[i + 2]}" '<' 1
    done
    stop_scheduler
    mapfile -t medians < <("$bench/starts" 400 "$ax" add -q 1h '\--' /bin/true -- /bin/true)
    row "ax add of one job, no scheduler" "${medians[0]}" ms "/bin/true" "${medians[1]}" '<=' 1.8
    have at && atq | awk '{ print $1 }' | tail -n 400 | xargs -r atrm
}

part_import() {
    local bare
    fresh_spool
    "$bench/jobs" 10000 $far 1000000 >"$work/jobs"
    row "10,000 jobs from a file" "$(seconds "$ax" import ndjson "$work/jobs")" s "the limit" 0.1 '<=' 1
    fresh_spool
    "$bench/jobs" 1000000 $far 1000000 >"$work/jobs"
    mkdir "$work/lmdb"
    bare=$("$bench/bare" lmdb "$work/lmdb" 1000000)
    rm -r "$work/lmdb"
    row "1,000,000 jobs from a file" "$(seconds "$ax" import ndjson "$work/jobs")" s "bare LMDB, one transaction" "$bare" '<=' 3
    rm "$work/jobs"
    fresh_spool
    crontab_lines 10000 >"$work/crontab"
    row "10,000 lines of a crontab" "$(seconds "$ax" import crontab "$work/crontab")" s "the limit" 1 '<=' 1
    row "  the same again, nothing changed" "$(seconds "$ax" import crontab "$work/crontab")" s "the limit" 1 '<=' 1
    rm "$work/crontab"
}

crontab_lines() { # COUNT
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%d %d * * * /usr/local/bin/task --number %d >/dev/null 2>&1\n", i % 60, i % 24, i }'
}

part_throughput() {
    local count=5000 taken
    fresh_spool
    "$bench/jobs" $count 0 0 /bin/true >"$work/jobs"
    import "$work/jobs"
    taken=$(seconds "$ax" run -j 8 --until-idle)
    row "$count jobs of /bin/true, 8 slots" "$(calc "$count / $taken")" /s "bare posix_spawn loop" \
        "$("$bench/bare" spawn $count 8 /bin/true)" '>=' 0.8
    row "  the same" "$(calc "$count / $taken")" /s "xargs -P8, keeps no record" \
        "$(calc "$count / $(seconds sh -c "yes | head -n $count | xargs -P8 -n1 /bin/true")")" '>' 1
    if have tsp; then
        tsp -S 8
        row "  the same" "$(calc "$count / $taken")" /s "tsp -S 8 (1,000 jobs)" \
            "$(calc "1000 / $(seconds sh -c 'for i in $(seq 1000); do tsp -n /bin/true; done >/dev/null; tsp -w')")" '>' 1
        tsp -K
    fi
}

bare_late() { # measured once, used by several parts
    [ -s "$work/bare-late" ] || "$bench/bare" late 300 20 "$bench/stamp" "$work/bare-late"
}

part_late() {
    bare_late
    fresh_spool
    start_scheduler || return
    "$bench/jobs" 300 "$(soon 1000)" 20000000 "$bench/stamp" "$work/late" >"$work/jobs"
    import "$work/jobs"
    wait_lines "$work/late" 300 20
    stop_scheduler
    row "due time to main, idle, p50" "$(percentile 50 "$work/late")" ms "bare timerfd and posix_spawn" \
        "$(percentile 50 "$work/bare-late")" '<=' 1.5
    row "due time to main, idle, p99" "$(percentile 99 "$work/late")" ms "bare timerfd and posix_spawn" \
        "$(percentile 99 "$work/bare-late")" '<=' 1.5
    local early
    early=$(awk '$1 < $2' "$work/late" | wc -l)
    [ "$early" -eq 0 ] || { complain "$early runs started before their due time" && missed=$((missed + 1)); }
}

part_now() {
    local process wake start
    bare_late
    fresh_spool
    start_scheduler || return
    PAUSE_US=5000 "$bench/starts" 300 "$ax" add -q --now '\--' "$bench/stamp" "$work/now" '{now}' >/dev/null
    wait_lines "$work/now" 300 10
    stop_scheduler
    process=$("$bench/starts" 300 /bin/true)
    wake=$("$bench/bare" wake "$work" 200)
    start=$(percentile 50 "$work/bare-late")
    row "ax add --now to main, p50" "$(percentile 50 "$work/now")" ms "process $process + wake $wake + start $start" \
        "$(calc "$process + $wake + $start")" '<=' 1.8
}

part_burst() {
    "$bench/bare" burst 1000 16 "$bench/stamp" "$work/bare-burst"
    fresh_spool
    start_scheduler -j 16 || return
    "$bench/jobs" 1000 "$(soon 1500)" 0 "$bench/stamp" "$work/burst" >"$work/jobs"
    import "$work/jobs"
    wait_lines "$work/burst" 1000 20
    stop_scheduler
    row "1,000 jobs due at once, 16 slots, p50" "$(percentile 50 "$work/burst")" ms "bare, 16 in flight" \
        "$(percentile 50 "$work/bare-burst")" '<=' 1.3
}

# The workers are the children of the scheduler.
part_slots() {
    local one largest sleeping
    bare_late
    fresh_spool
    start_scheduler -j 104 --on-stop kill || return
    "$bench/jobs" 100 "$(soon 1000)" 20000000 "$bench/stamp" "$work/one" >"$work/jobs"
    import "$work/jobs"
    wait_lines "$work/one" 100 10
    "$bench/jobs" 100 0 0 /bin/sleep 1000 >"$work/jobs"
    import "$work/jobs"
    sleep 3
    sleeping=$(pgrep -c -f '^/bin/sleep 1000$')
    [ "$sleeping" -ge 100 ] || complain "only $sleeping of 100 commands sleep"
    "$bench/jobs" 100 "$(soon 1000)" 20000000 "$bench/stamp" "$work/hundred" >"$work/jobs"
    import "$work/jobs"
    wait_lines "$work/hundred" 100 10
    one=$(percentile 50 "$work/one")
    largest=$(for pid in $(pgrep -P "$scheduler"); do awk '/RssAnon/ { print $2 / 1024 }' "/proc/$pid/status"; done | sort -n | tail -n 1)
    row "due time to main, 100 others sleeping, p50" "$(percentile 50 "$work/hundred")" ms "with no other" "$one" '<=' 1.25
    row "private memory of the largest worker" "${largest:-0}" MB "the limit" 1 '<=' 1
    stop_scheduler
}

rss_anon() { awk '/RssAnon/ { printf "%.2f", $2 / 1024 }' "/proc/$1/status"; }

ready_ms() { # three times, the median
    for _ in 1 2 3; do
        local from=$EPOCHREALTIME
        start_scheduler || return
        calc "($EPOCHREALTIME - $from) * 1000"
        echo
        stop_scheduler
    done | sort -n | sed -n 2p
}

part_pending() {
    local empty medians
    fresh_spool
    empty=$(ready_ms)
    "$bench/jobs" 1000000 $far 1000000 >"$work/jobs"
    import "$work/jobs"
    row "scheduler ready, 1,000,000 jobs pending" "$(ready_ms)" ms "the limit (empty spool: $empty)" 20 '<=' 1
    start_scheduler || return
    sleep 1
    row "private memory, 1,000,000 jobs pending" "$(rss_anon "$scheduler")" MB "the limit" 8 '<=' 1
    mapfile -t medians < <("$bench/starts" 100 "$ax" show 500000 -- "$ax" why 500000)
    row "ax ls, its first lines, 1,000,000 jobs" "$("$bench/bare" first 50 "$ax" ls)" ms "the limit" 20 '<=' 1
    row "ax show JOB, 1,000,000 jobs" "${medians[0]}" ms "the limit" 5 '<=' 1
    row "ax why JOB, 1,000,000 jobs" "${medians[1]}" ms "the limit" 5 '<=' 1
    stop_scheduler
    rm "$work/jobs"
}

add_and_cancel() { # medians of both, on the spool as it is
    "$bench/starts" 300 "$ax" add -q --name 'bench{n}' 1h '\--' /bin/true -- "$ax" cancel 'bench{n}'
}

part_big() {
    local few many
    fresh_spool
    "$bench/jobs" 1000 $far 1000000 >"$work/jobs"
    import "$work/jobs"
    mapfile -t few < <(add_and_cancel)
    fresh_spool
    "$bench/jobs" 10000000 $far 1000000 >"$work/jobs"
    import "$work/jobs"
    rm "$work/jobs"
    mapfile -t many < <(add_and_cancel)
    row "ax add, 10,000,000 jobs pending" "${many[0]}" ms "1,000 jobs pending" "${few[0]}" '<=' 1.25
    row "ax cancel, 10,000,000 jobs pending" "${many[1]}" ms "1,000 jobs pending" "${few[1]}" '<=' 1.25
    start_scheduler || return
    sleep 1
    row "private memory, 10,000,000 jobs pending" "$(rss_anon "$scheduler")" MB "the limit" 8 '<=' 1
    stop_scheduler
}

part_million() {
    fresh_spool
    "$bench/jobs" 1000000 0 0 /bin/true >"$work/jobs"
    import "$work/jobs"
    rm "$work/jobs"
    row "1,000,000 jobs of /bin/true, 100 slots" "$(seconds "$ax" run -j 100 --until-idle)" s "a Go scheduler, 8 cores" 720 '<' 1
}

# Of scheduler and workers; counted by strace where it is installed and may, else by the times they gave the processor up.
part_idle() {
    local counted=${BENCH_IDLE:-20} what="system calls" count pid pids traced=()
    fresh_spool
    "$bench/jobs" 1000 $far 1000000 >"$work/jobs"
    start_scheduler || return
    import "$work/jobs"
    quietly "$ax" add --wait now '--' /bin/true
    sleep 2
    pids="$scheduler $(pgrep -P "$scheduler" | tr '\n' ' ')"
    for pid in $pids; do traced+=(-p "$pid"); done
    have strace && timeout "$counted" strace -f -qq -o "$work/strace" "${traced[@]}" >/dev/null 2>&1
    if [ -s "$work/strace" ]; then # has the calls that they were waiting in, even if nothing else happened
        count=$(grep -vcE 'unfinished|detached|restart_syscall' "$work/strace")
    else
        what="wake-ups"
        count=$(switches "$pids")
        sleep "$counted"
        count=$(($(switches "$pids") - count))
    fi
    stop_scheduler
    # shellcheck disable=SC2059
    printf "$format" "$what in $counted s with nothing due" "$count" "the limit" 0 "" \
        "= 0  $([ "$count" -eq 0 ] && echo holds || echo misses)"
    [ "$count" -eq 0 ] || missed=$((missed + 1))
}
switches() { for pid in $1; do cat "/proc/$pid/status"; done | awk '/^voluntary/ { n += $2 } END { print n + 0 }'; }

# Next times of cron expressions, beside libc's mktime as the unit.
part_next() {
    local times
    mapfile -t times < <("$bench/next")
    row "next time of a typical cron expression" "$(calc "${times[1]} / 1000")" us "mktime ${times[0]} ns; the limit" 10 '<=' 1
    row "  of the slowest one (29 Feb, never)" "$(calc "${times[2]} / 1000")" us "the limit" 200 '<=' 1
}

# 100,000 jobs by cron in 40 zones, none of them due at once.
part_recurring() {
    fresh_spool
    find /usr/share/zoneinfo/Europe /usr/share/zoneinfo/America -type f -printf '%P\n' 2>/dev/null | sort | grep -v / | head -n 60 >"$work/names"
    while read -r name; do
        for area in Europe America; do [ -e "/usr/share/zoneinfo/$area/$name" ] && echo "$area/$name"; done
    done <"$work/names" | head -n 40 >"$work/zones"
    awk '{ zone[NR] = $1 } END { for (i = 0; i < 100000; i++) printf "{\"command\":\"true\",\"cron\":\"%d %d 1 1 *\",\"timezone\":\"%s\"}\n",
        i % 60, int(i / 60) % 24, zone[i % NR + 1] }' "$work/zones" >"$work/jobs"
    row "100,000 jobs by cron from a file" "$(seconds "$ax" import ndjson "$work/jobs")" s "10 us each" 1
    row "scheduler ready, 100,000 jobs by cron, $(lines "$work/zones") zones" "$(ready_ms)" ms "the limit" 1000 '<=' 1
    rm "$work/jobs"
}

# A job file of 10,000 jobs: checked, applied, and applied again without a change.
part_files() {
    fresh_spool
    { echo "version: 1" && echo "source: bench" && echo "jobs:"
        seq 10000 | awk '{ printf "  job-%d:\n    cron: \"%d %d * * *\"\n    command: [/usr/bin/rsync, -a, /srv/data/%d, \"backup:/srv\"]\n    timeout: 15m\n    retries: 3\n",
            $1, $1 % 60, $1 % 24, $1 }'; } >"$work/jobs.yaml"
    row "check of a job file of 10,000 jobs" "$(seconds "$ax" check "$work/jobs.yaml")" s "the limit" 1 '<=' 1
    row "  apply" "$(seconds "$ax" apply -q "$work/jobs.yaml")" s "the limit" 2 '<=' 1
    row "  apply again, no change" "$(seconds "$ax" apply -q "$work/jobs.yaml")" s "the limit" 1.5 '<=' 1
    rm "$work/jobs.yaml"
}

# ---- all of it ----

parts=("$@")
[ $# -gt 0 ] || parts=(add import throughput late now burst slots pending idle next recurring files ${BENCH_FULL:+big million})
echo "$("$ax" version | head -n 1), $(nproc) processors, Linux $(uname -r), $(stat -f -c %T "$work"), load $(cut -d' ' -f1 /proc/loadavg)"
# shellcheck disable=SC2059
printf "$format" what ax beside "" ratio reach
for part in "${parts[@]}"; do
    declare -F "part_$part" >/dev/null || { complain "no part $part" && exit 2; }
    "part_$part"
done
echo "$missed missed"
