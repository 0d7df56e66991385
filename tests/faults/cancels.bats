load helper

# Promise 5: when `ax cancel` reports success, the command will not start; what ran has been stopped.

cancel() { # JOB: within the patience of a slow machine
    run timeout 40 "$AX" cancel "$1"
}

never_ran() { # FILE that the command makes
    sleep 0.3
    [ ! -e "$1" ]
}

@test "one that waits for a slot: cancelled, and not started when the slot is free" {
    serve -j 1
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done'
    until_true 20 [ -e began ]
    ax add -q now -- touch second
    until_true 20 state_is 2 queued
    cancel 2
    assert_success
    touch go
    until_true 20 over 1
    never_ran second
    state_is 2 cancelled
}

@test "one that was claimed ahead of its time and is held" {
    serve
    for i in 1 2 3 4 5 6 7 8; do
        ax add -q in 20ms -- touch "ran.$i"
        cancel $i
        case $output in
        *'will not start'* | *'has not'*)
            assert_success
            never_ran "ran.$i" ;;
        *) [ -e "ran.$i" ] || [[ $output = *stopped* ]] ;;
        esac
    done
}

@test "cancel races with the start: one that says it was in time is right" {
    local rounds=120 early=0 number begun spread
    [ -z "${AX_SANITIZED:-}" ] || rounds=40
    mkdir ran
    serve -j 20
    # the start is due within twice the time that a cancel takes here
    begun=${EPOCHREALTIME/./}
    for i in 1 2 3 4 5; do ax cancel nosuch 2>/dev/null || true; done
    spread=$(((${EPOCHREALTIME/./} - begun) / 2500 + 10))
    for ((i = 1; i <= rounds; i++)); do
        number=$(ax add -q in "$((i * 37 % spread))ms" -- sh -c ': >ran/$AX_JOB; sleep 0.01')
        timeout 40 "$AX" cancel "$number" >>said 2>&1 || true
    done
    [ "$(wc -l <said)" -eq "$rounds" ]
    until_true 30 eval '! ax ls --json --state running | grep -q . && ! ax ls --json --state queued | grep -q .'
    sleep 0.3
    while IFS=' :' read -r _ number text; do
        case $text in
        *'will not start'* | *'has not'*)
            early=$((early + 1))
            [ ! -e "ran/$number" ] || { echo "job $number ran, though: $text"; return 1; } ;;
        esac
    done <said
    echo "# $early of $rounds were in time, within $spread ms"
    [ "$early" -gt 0 ]
    ax history --json --limit 100000 >rows
    # of one that it says was stopped, history knows when it began
    sed -n 's/.*; run \([0-9.]*\) was stopped.*/\1/p' said | while read -r run; do
        grep -F "\"run\":\"$run\"" rows | grep -q '"started_ns":[0-9]' || { echo "$run was not running"; exit 1; }
    done
    grep -E '"outcome":"(ok|failed|killed)"' rows | field job | while read -r number; do
        [ -e "ran/$number" ] || { echo "job $number has an outcome and never ran"; exit 1; }
    done
}

@test "nobody serves: a run whose worker outlived its scheduler is stopped, and recorded later" {
    serve
    ax add -q --kill-after 500ms now -- sh -c 'setsid sleep 6201 & trap "" TERM; while :; do sleep 6201; done'
    until_true 20 eval '[ "$(sleeps 6201 | wc -l)" -eq 2 ]'
    unserve KILL
    cancel 1
    assert_success
    run sleeps 6201
    assert_failure
    serve
    until_true 20 state_is 1 cancelled
    outcome_is 1.1 cancelled
    until_true 20 swept
}

@test "nobody serves: a waiting one, and one that waits for its retry" {
    serve
    ax add -q --retries 5 --retry-delay 1s now -- sh -c 'echo x >>ran; exit 1'
    ax add -q in 1s -- touch second
    until_true 20 state_is 1 retrying
    unserve KILL
    cancel 1
    assert_success
    cancel 2
    assert_success
    serve
    sleep 1.5
    lines ran 1
    [ ! -e second ]
}

@test "the scheduler is stopped: what waits is cancelled, what runs is cancelled when it goes on" {
    serve
    ax add -q now -- sleep 6202
    ax add -q in 4s -- touch second
    until_true 20 sleeps 6202
    kill -STOP "$scheduler"
    cancel 2
    assert_success
    "$AX" cancel 1 >said 2>&1 &
    local client=$!
    sleep 0.5
    kill -0 $client # it promises nothing yet
    kill -CONT "$scheduler"
    wait $client
    grep -q 'was stopped' said
    run sleeps 6202
    assert_failure
    [ ! -e second ]
    state_is 1 cancelled
}

@test "the scheduler dies between claim and start, the job is cancelled: it never starts" {
    for fault in after-commit before-start; do
        AX_FAULT=scheduler-$fault serve
        local number
        number=$(ax add -q now -- touch "ran.$fault")
        scheduler_gone
        cancel "$number"
        assert_success
        serve
        until_true 20 state_is "$number" cancelled
        never_ran "ran.$fault"
        unserve KILL
    done
}

@test "the scheduler dies just before it hears of the cancel" {
    serve
    ax add -q now -- sleep 6203
    until_true 20 sleeps 6203
    kill -STOP "$scheduler"
    "$AX" cancel 1 >said 2>&1 &
    local client=$!
    until_true 20 eval 'ax show --json 1 | grep -q cancel || grep -q . said || sleep 0.5'
    kill -KILL "$scheduler"
    wait $client
    grep -q 'was stopped' said
    run sleeps 6203
    assert_failure
    serve
    until_true 20 state_is 1 cancelled
    outcome_is 1.1 cancelled
}

@test "the feed grows so long that it is cut short: a cancel that it had is heard all the same" {
    serve
    ax add -q now -- sh -c 'touch began; exec sleep 6211'
    until_true 20 [ -e began ]
    for i in $(seq 22000); do echo '{"command":"true","in":"20m"}'; done | ax import ndjson - >imported
    until_true 20 state_is 22001 waiting
    sleep 0.5
    kill -STOP "$scheduler"
    timeout 100 "$AX" cancel 1 >said 3>&- 4>&- &
    local cancelling=$!
    until_true 20 eval 'ax show --json 1 | grep -q "\"state\":\"running\".*" && sleep 0.3'
    ax cancel $(seq 2 2 22001) >/dev/null # every second one: each has an entry of its own
    kill -CONT "$scheduler"
    until_true 30 gone $cancelling
    grep -q 'run 1.1 was stopped' said
    run sleeps 6211
    assert_failure
    state_is 1 cancelled
}

stop_worker_of() { # a command by its line: what runs it does not go on
    local worker
    worker=$(worker_of "$(pgrep -fx "$1" | head -1)")
    kill -STOP "$worker"
    until_true 20 stopped "$worker"
}

@test "a worker that is stopped cannot end its run: after grace and slack the scheduler ends both" {
    export AX_SLACK=1
    serve
    ax add -q --kill-after 0s now -- sleep 6212
    until_true 20 sleeps 6212
    stop_worker_of 'sleep 6212'
    run timeout 20 "$AX" cancel 1
    assert_failure 1
    assert_output --partial 'nobody can know'
    run sleeps 6212
    assert_failure
    grep -q 'worker overdue, ended' "$AX_SPOOL/scheduler.log"
    until_true 20 state_is 1 cancelled
    outcome_is 1.1 lost
}

@test "the same when the next scheduler has it" {
    export AX_SLACK=1
    serve
    ax add -q --kill-after 0s now -- sleep 6213
    until_true 20 sleeps 6213
    unserve KILL
    stop_worker_of 'sleep 6213'
    serve
    run timeout 20 "$AX" cancel 1
    assert_failure 1
    assert_output --partial 'nobody can know'
    run sleeps 6213
    assert_failure
    until_true 20 state_is 1 cancelled
}

@test "the same at --on-stop kill, and for a limit that has passed" {
    export AX_SLACK=1
    serve --on-stop kill
    ax add -q --if-lost fail --kill-after 0s now -- sleep 6214
    ax add -q --if-lost fail --kill-after 0s --timeout 4s now -- sleep 6215
    until_true 20 sleeps 6215
    stop_worker_of 'sleep 6215'
    until_true 20 outcome_is 2.1 lost
    run sleeps 6215
    assert_failure
    until_true 20 sleeps 6214
    stop_worker_of 'sleep 6214'
    kill -TERM "$scheduler"
    scheduler_gone
    run sleeps 6214
    assert_failure
    outcome_is 1.1 lost
}

@test "the same when nobody serves: the client ends both" {
    export AX_SLACK=1
    serve
    ax add -q --kill-after 0s now -- sleep 6216
    until_true 20 sleeps 6216
    unserve KILL
    stop_worker_of 'sleep 6216'
    run timeout 30 "$AX" cancel 1
    assert_failure 1
    assert_output --partial 'nobody can know'
    run sleeps 6216
    assert_failure
}
