load helper

# Promise 10 and 11: a writer that is stopped, a full disk, a full process table, a burst of due jobs; and idleness.

# The scheduler takes less than a fifth of one processor for a second.
no_spin() {
    local before
    before=$(cpu_ticks "$scheduler")
    sleep 1
    [ $(($(cpu_ticks "$scheduler") - before)) -lt 20 ] || { echo "spins: $before, $(cpu_ticks "$scheduler")"; return 1; }
}

# How often each process has gone to sleep, and what time it has taken: a busy loop that never sleeps has the latter only.
signs_of_life() { # PID...
    local pid
    for pid; do
        echo "$pid $(grep ^vol "/proc/$pid/status") $(cpu_ticks "$pid")"
    done
}

@test "a client is stopped inside its transaction: commands go on, the holder is named, nothing spins, nothing is lost" {
    serve
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done; touch finished; exit 3'
    ax add -q in 2s -- touch second
    until_true 20 [ -e began ]
    AX_FAULT=store-in-write:1:stop "$AX" add -q now -- touch third 3>&- 4>&- &
    local client=$!
    until_true 20 stopped $client
    touch go
    until_true 20 [ -e finished ]
    until_true 30 grep -q "level=warning.*process $client " "$AX_SPOOL/scheduler.log"
    no_spin
    run timeout 60 "$AX" add 20m true
    assert_failure 5
    assert_output --partial "process $client is stopped"
    run timeout 20 "$AX" ls
    assert_success
    [ ! -e second ]
    kill -CONT $client
    wait $client
    until_true 20 state_is 1 failed
    outcome_is 1.1 failed 3
    until_true 20 [ -e second ]
    until_true 20 [ -e third ]
}

@test "a client is killed inside its transaction: nothing of it is there, and nobody waits" {
    serve
    AX_FAULT=store-in-write "$AX" add -q now -- touch first 3>&- 4>&- || true
    ax add -q now -- touch second
    until_true 20 [ -e second ]
    [ ! -e first ]
    [ "$(ax ls --json --state all 2>/dev/null | wc -l)" -le 1 ]
}

@test "a full disk: outcomes wait in memory, jobs can be cancelled, nothing spins, and all is recorded when there is room" {
    [ "$(id -u)" -eq 0 ] || skip "mounting needs root"
    mkdir small
    mount -t tmpfs -o size=4m none small 2>/dev/null || skip "nothing can be mounted here"
    mounted=$PWD/small
    export AX_SPOOL=$PWD/small/spool
    serve_here -j 26
    ax add -q 20m true
    # outputs that move into the store when the runs end, two pages each: more than the pages it has to spare
    for i in $(seq 2 25); do
        ax add -q now -- sh -c "head -c 4090 /dev/zero | tr '\\0' x; touch began.$i; while [ ! -e go ]; do sleep 0.1; done; touch ended.$i; exit $i"
    done
    ax add -q in 3s -- touch late
    for i in $(seq 2 25); do until_true 20 [ -e began.$i ]; done
    # full to the last byte, the reserve too
    : >"$AX_SPOOL/reserve"
    cat /dev/zero >small/fill 2>/dev/null || true
    run -5 ax add -q 20m true
    assert_output --partial 'full'
    touch go
    for i in $(seq 2 25); do until_true 20 [ -e ended.$i ]; done
    until_true 20 grep -q 'outcomes are kept' log
    no_spin
    [ "$(ax ls --json --state running | wc -l)" -gt 0 ]
    # a little room, as the reserve gives it
    truncate -s -200K small/fill
    run timeout 20 "$AX" cancel 1
    assert_success
    rm small/fill
    for i in $(seq 2 25); do
        until_true 30 state_is $i failed
        outcome_is $i.1 failed $i
        [ "$(ax log $i.1 | wc -c)" -eq 4090 ]
    done
    until_true 20 [ -e late ]
    kill -TERM "$scheduler"
    exit_code
    [ "$code" -eq 0 ]
}

@test "the user may have no more processes: the run goes back into the line and runs later, uncounted" {
    [ "$(id -u)" -eq 0 ] || skip "another user's limit needs root"
    command -v setpriv >/dev/null || skip "no setpriv"
    local user=$((61000 + $$ % 4000)) # no other run of this test has it
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/plain.XXXXXX")
    chmod 777 "$scratch" && cd "$scratch"
    export AX_SPOOL=$scratch/spool
    as() { setpriv --reuid $user --regid $user --clear-groups "$@"; }
    cp "$AX" "$scratch/ax" # where the sources are, others may not look
    AX=$scratch/ax
    as sh -c '"$0" version' "$AX" >/dev/null
    as bash -c 'ulimit -u 6; exec "$0" run --detach -j 4' "$AX" >served
    scheduler=$(sed -n 's/.*, pid \([0-9]*\);.*/\1/p' served)
    as sh -c 'for i in 1 2 3 4 5; do sleep 6401 & done' 3>&- 4>&-
    as "$AX" add -q --retries 0 now -- sh -c 'echo "$AX_ATTEMPT" >>ran; exit 3'
    until_true 20 grep -q 'goes back into the line' "$AX_SPOOL/scheduler.log"
    no_spin
    [ ! -e ran ]
    kill $(sleeps 6401)
    until_true 30 as "$AX" show 1 --json
    until_true 30 eval 'as "$AX" show 1 --json | grep -q "\"state\":\"failed\""'
    [ "$(cat ran)" = 1 ]
    [ "$(as "$AX" history 1 --json | field exit_code)" = 3 ]
    [ "$(as "$AX" history 1 --json | grep -c '"run"')" -eq 1 ]
}

@test "idle means idle: five seconds without waking up" {
    serve
    ax add -q 20m true
    ax add -q 'every 10m' -- true
    ax add -q now -- true
    until_true 20 over 3
    sleep 1
    local before after pids
    pids="$scheduler $(pgrep -f "__worker $AX_SPOOL ")"
    for i in 1 2 3; do # someone may set the clock meanwhile: that wakes them rightly
        before=$(signs_of_life $pids)
        sleep 5
        after=$(signs_of_life $pids)
        [ "$before" != "$after" ] || return 0
        echo "$before"; echo "$after"
    done
    return 1
}

@test "2,000 jobs due at once: a new one of high priority gets the next slot" {
    local most=2000 place
    [ -z "${AX_SANITIZED:-}" ] || most=500
    for ((i = 1; i <= most; i++)); do echo '{"in":"0s","cwd":"'"$PWD"'","command":["sh","-c","echo $AX_JOB >>ran"]}'; done >jobs
    ax import ndjson jobs >/dev/null
    serve -j 16
    until_true 20 [ -s ran ]
    place=$(wc -l <ran)
    local number
    number=$(ax add -q --priority 5 now -- sh -c 'echo "$AX_JOB" >>ran')
    local after returned
    returned=$(wc -l <ran) # a busy machine lets the client take its time
    [ "$returned" -lt $((most - 50)) ] || skip "too busy to tell: $returned had run when it was added"
    until_true 60 grep -qx "$number" ran
    until_true 120 lines ran $((most + 1))
    after=$(grep -nx "$number" ran | cut -d: -f1)
    echo "# added when $place to $returned had run, ran as number $after of $((most + 1))"
    [ "$after" -lt $((returned + (most - returned) / 2 + 20)) ]
    [ -z "$(sort ran | uniq -d)" ]
}

@test "a priority job goes before those that wait for the one slot" {
    serve -j 1
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done'
    until_true 20 [ -e began ]
    for i in 2 3 4; do ax add -q now -- sh -c 'echo "$AX_JOB" >>ran'; done
    ax add -q --priority 5 now -- sh -c 'echo "$AX_JOB" >>ran'
    touch go
    until_true 20 lines ran 4
    [ "$(tr '\n' ' ' <ran)" = '5 2 3 4 ' ]
}

@test "a queue's limit that is set or removed holds at once" {
    ax queue set q --limit 1
    serve -j 10
    for i in 1 2 3 4; do ax add -q --queue q now -- sh -c 'echo x >>ran; while [ ! -e "go.$AX_JOB" ]; do sleep 0.1; done'; done
    until_true 20 lines ran 1
    sleep 0.3
    lines ran 1
    ax queue set q --limit 2
    until_true 20 lines ran 2
    sleep 0.3
    lines ran 2
    ax queue set q --limit 1
    touch go.1
    until_true 20 state_is 1 done
    sleep 0.3
    lines ran 2
    ax queue rm q || ax queue set q --limit 0
    until_true 20 lines ran 4
    touch go.2 go.3 go.4
}

@test "every second: no drift, and what overlapped is noted" {
    serve
    ax add -q 'every 1s' -- sh -c '[ -e "slow" ] || { touch slow; sleep 2.5; }'
    until_true 40 eval '[ "$(ax history 1 --json | grep -c "\"outcome\":\"ok\"")" -ge 4 ]'
    ax cancel 1 || true
    ax history 1 --json >rows
    grep -qE '"outcome":"(skipped|missed)"' rows
    # all due times lie on the same fraction of a second
    [ "$(grep '"outcome":"ok"' rows | sed 's/.*"due_ns":[0-9]*\([0-9]\{9\}\),"last_due".*/\1/' | sort -u | wc -l)" -eq 1 ]
}
