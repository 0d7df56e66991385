#!/usr/bin/env bats
# Jobs that repeat, under a real scheduler: what was missed, overlap, boots, intervals, jitter, zones that change. Six fields of cron begin with seconds.

load helper

SECOND=1000000000

import() {
    ax import ndjson - <<<"$1" >/dev/null 2>&1
}

# The due times in the history of a job, in seconds since 1970, those of notes one by one: first attempts only.
dues() { # JOB [OUTCOME]
    ax history --json "$1" | grep -v '"attempt":[2-9]' | grep "\"outcome\":\"${2:-}" | while read -r row; do
        local first last
        first=$(field due_ns <<<"$row") last=$(field last_due_ns <<<"$row")
        [ "$last" != null ] || last=$first
        seq $((first / SECOND)) $((last / SECOND))
    done | sort -n
}

runs() { # JOB: how many have ended
    ax history --json "$1" | grep -c '"run":"'
}

has_runs() { # JOB COUNT
    [ "$(runs "$1")" -ge "$2" ]
}

# Each second from the first to the last of them, and each once.
each_second_once() { # JOB
    local all
    all=$(dues "$1")
    assert_equal "$all" "$(seq "$(head -n 1 <<<"$all")" "$(tail -n 1 <<<"$all")")"
}

# A scheduler that has run some occurrences, then is down for three seconds, and serves again.
stop_and_start() { # JOB
    serve
    until_true 10 has_runs "$1" 2
    unserve
    before=$(runs "$1")
    down=$(date +%s)
    sleep 3
    serve
    up=$(date +%s)
    until_true 10 has_runs "$1" $((before + 3))
}

@test "catchup: latest: one run for all that was missed, the others in one row" {
    import '{"name":"j","cron":"* * * * * *","command":"true"}'
    stop_and_start j
    each_second_once j
    run -0 eval 'ax history --json j | grep -c "\"outcome\":\"missed\""'
    assert_output 1
    latest=$(dues j missed | tail -n 1)
    [ "$latest" -ge $((up - 2)) ]
    dues j ok | grep -x $((latest + 1))
}

@test "catchup: skip: none of what was missed runs" {
    import '{"name":"j","cron":"* * * * * *","command":"true","catchup":"skip"}'
    stop_and_start j
    each_second_once j
    local last
    last=$(dues j ok | sed -n "${before}p") # a slow machine may have missed some before
    assert_equal "$(dues j missed | awk -v last="$last" '$1 > last' | head -n 1)" $((last + 1))
    for due in $(seq $((down + 1)) $((up - 1))); do dues j missed | grep -x "$due"; done
}

@test "catchup: all: each that was missed runs, up to catchup_max" {
    import '{"name":"all","cron":"* * * * * *","command":"true","catchup":"all"}
{"name":"two","cron":"* * * * * *","command":"true","catchup":"all","catchup_max":2}'
    stop_and_start all
    each_second_once all
    assert_equal "$(dues all missed)" ""
    each_second_once two
    [ -n "$(dues two missed)" ]
    next=$(($(dues two missed | tail -n 1) + 1))
    dues two ok | grep -x "$next"
    [ $((next + 1)) -ge $((up - 1)) ]
}

@test "overlap: skip: what comes due while a run goes on is in history, and no two run at once" {
    import '{"name":"j","cron":"* * * * * *","command":"mkdir lock || touch twice; sleep 1.5; rmdir lock","cwd":"'"$PWD"'"}'
    serve
    until_true 15 has_runs j 3
    unserve
    [ ! -e twice ]
    each_second_once j
    ax history --json j | grep -q '"outcome":"skipped".*"reason":"the run before was still going"'
}

@test "overlap: queue: each runs, after the one before" {
    import '{"name":"j","cron":"* * * * * *","command":"mkdir lock || touch twice; while [ ! -e go ]; do sleep 0.05; done; rmdir lock","overlap":"queue","cwd":"'"$PWD"'"}'
    serve
    until_true 5 test -e lock
    sleep 3
    touch go
    until_true 10 has_runs j 5
    unserve
    [ ! -e twice ]
    each_second_once j
    assert_equal "$(dues j skipped)$(dues j missed)" ""
}

@test "overlap: replace: the run is ended, with its tree, and the next takes its place" {
    import '{"name":"j","cron":"*/2 * * * * *","command":"echo $$ >>begun; sleep 1000 & wait","overlap":"replace","kill_after":"1s","retries":3,"cwd":"'"$PWD"'"}'
    serve
    until_true 15 has_runs j 2
    ax history --json j | grep -q '"outcome":"cancelled".*"reason":"stopped for the next occurrence (overlap: replace)'
    ! kill -0 "$(head -n 1 begun)"
    run -0 eval 'ax history --json j | grep -c "\"attempt\":2" || true'
    assert_output 0
    ax cancel j
}

@test "every_from: end: the interval begins when the run has ended" {
    import '{"name":"j","every":"1s","every_from":"end","command":"sleep 0.8"}'
    serve
    until_true 15 has_runs j 3
    ax history --json j | head -n 3 >rows
    newer=$(sed -n 1p rows | field started_ns) older=$(sed -n 2p rows | field ended_ns)
    [ $((newer - older)) -ge $SECOND ]
    [ $((newer - older)) -lt $((SECOND + SECOND * 7 / 10)) ]
    [ "$(sed -n 1p rows | field due_ns)" = $((older + SECOND)) ]
}

@test "boot: scheduler: at each start, not when it is added" {
    import '{"name":"old","boot":"scheduler","command":"true"}'
    serve
    until_true 10 has_runs old 1
    import '{"name":"new","boot":"scheduler","command":"true"}'
    sleep 0.5
    assert_equal "$(runs new || true)" 0
    unserve
    serve
    until_true 10 has_runs old 2
    until_true 10 has_runs new 1
    sleep 0.5
    assert_equal "$(runs old) $(runs new)" "2 1"
}

@test "boot: scheduler: a run that outlives the scheduler is not doubled by the next start" {
    import '{"name":"j","boot":"scheduler","command":"echo >>begun; while [ ! -e go ]; do sleep 0.05; done","cwd":"'"$PWD"'"}'
    serve
    until_true 10 test -e begun
    unserve KILL
    serve
    sleep 0.5
    touch go
    until_true 10 has_runs j 1
    sleep 0.5
    assert_equal "$(wc -l <begun)" 1
    ax history --json j | grep -q '"outcome":"skipped".*"reason":"the run before was still going"'
}

@test "boot: scheduler: lost for good, it runs at the start that finds out" {
    import '{"name":"j","boot":"scheduler","if_lost":"fail","command":"echo $PPID >>begun; while [ ! -e go ]; do sleep 0.05; done","cwd":"'"$PWD"'"}'
    serve
    until_true 10 test -s begun
    kill -KILL "$scheduler" "$(head -n 1 begun)"
    unserve KILL
    serve
    until_true 10 eval '[ "$(wc -l <begun)" -eq 2 ]'
    touch go
    until_true 10 has_runs j 2
    assert_equal "$(dues j lost | wc -l) $(dues j ok | wc -l)" "1 1"
}

@test "boot: machine: not before the next boot, and then once" {
    import '{"name":"j","boot":"machine","command":"true"}'
    serve
    sleep 0.3
    unserve
    run -0 timeout 10 "$AX" run --until-idle
    assert_equal "$(runs j || true)" 0
    unshare --pid --fork --mount-proc true 2>/dev/null || skip "no namespace can be made here"
    # another process 1: a machine of its own
    unshare --pid --fork --mount-proc sh -c '"$0" run --until-idle; "$0" run --until-idle' "$AX"
    assert_equal "$(runs j)" 1
}

@test "jitter: after the due time, within the bound, new each time" {
    import '{"name":"j","cron":"*/2 * * * * *","jitter":"1s","command":"true"}'
    serve
    until_true 15 has_runs j 4
    ax history --json j | while read -r row; do
        late=$(($(field started_ns <<<"$row") - $(field due_ns <<<"$row")))
        [ "$late" -ge 0 ]
        [ "$late" -lt $((SECOND * 16 / 10)) ]
        echo "$late"
    done >lates
    assert_equal "$(wc -l <lates)" "$(runs j)"
    [ $(($(sort -n lates | tail -n 1) - $(sort -n lates | head -n 1))) -gt 10000000 ]
}

@test "spread: one offset for each job, the same after a restart" {
    import '{"name":"a","cron":"0 * * * *","spread":"50m","command":"true"}
{"name":"b","cron":"0 * * * *","spread":"50m","command":"true"}'
    a=$(ax show --json a | field due) b=$(ax show --json b | field due)
    [ "${a#*T??}" != "${b#*T??}" ]
    serve
    unserve
    assert_equal "$(ax show --json a | field due) $(ax show --json b | field due)" "$a $b"
}

@test "spread: intervals keep their length" {
    import '{"name":"j","every":"1h","spread":"50m","command":"true"}'
    ax next j -n 3 --json | field due_ns >dues
    assert_equal "$(sed -n 1p dues)" "$(ax show --json j | field due_ns)"
    assert_equal "$(($(sed -n 2p dues) - $(sed -n 1p dues))) $(($(sed -n 3p dues) - $(sed -n 2p dues)))" "$((3600 * SECOND)) $((3600 * SECOND))"
}

@test "the start of the scheduler, other jobs and their changes are no trigger" {
    import '{"name":"a","cron":"*/4 * * * * *","command":"true"}'
    for round in 1 2; do
        serve
        import '{"name":"b'$round'","cron":"*/10 * * * *","command":"true"}'
        ax add -q --name c --replace --every 1h -- true
        until_true 10 has_runs a "$round"
        sleep 1.2
        unserve
    done
    ax history --json a | grep '"run":"' | while read -r row; do
        [ $(($(field due_ns <<<"$row") / SECOND % 4)) = 0 ]
    done
    [ -z "$(ax history --json a | field due | sort | uniq -d)" ]
    assert_equal "$(runs c || true)" 0
}

zones_copy() { # a folder of zones of our own, in which Test/Zone is an hour ahead
    export TZDIR=$PWD/zoneinfo
    mkdir -p zoneinfo/Test
    cp /usr/share/zoneinfo/UTC zoneinfo/
    cp /usr/share/zoneinfo/Etc/GMT-1 zoneinfo/Test/Zone
}

zone_becomes() { # as a package does it
    cp "/usr/share/zoneinfo/$1" zoneinfo/Test/.new
    mv zoneinfo/Test/.new zoneinfo/Test/Zone
}

due_at() { # JOB HH:MM
    [[ $(ax show --json "$1" | field due) == *T"$2":00Z ]]
}

@test "a zone whose rules change: due times are reckoned anew, while it serves and over a restart" {
    zones_copy
    import '{"name":"named","cron":"0 12 * * *","timezone":"Test/Zone","command":"true"}
{"name":"utc","cron":"0 12 * * *","timezone":"UTC","command":"true"}
{"name":"clock","every":"1d","every_from":"clock","timezone":"Test/Zone","command":"true"}'
    due_at named 11:00
    due_at clock 23:00
    serve
    zone_becomes Etc/GMT-2
    until_true 10 due_at named 10:00
    until_true 10 due_at clock 22:00
    due_at utc 12:00
    unserve
    zone_becomes Etc/GMT-3
    due_at named 10:00
    serve
    until_true 10 due_at named 09:00
    zone_becomes Etc/GMT-4
    until_true 10 due_at named 08:00
}

@test "the local zone changes" {
    zones_copy
    export TZ=Test/Zone
    ax add -q --name j --cron '0 12 * * *' -- true
    due_at j 11:00
    serve
    zone_becomes Etc/GMT-2
    until_true 10 due_at j 10:00
}

@test "a zone that is new to the spool is watched too" {
    zones_copy
    serve
    import '{"name":"j","cron":"0 12 * * *","timezone":"Test/Zone","command":"true"}'
    sleep 0.3
    zone_becomes Etc/GMT-2
    until_true 10 due_at j 10:00
}
