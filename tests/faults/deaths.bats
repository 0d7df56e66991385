load helper

# Promises 3 and 4: the scheduler dies, at any step and at any time.

@test "the scheduler dies at each of its steps: the command runs once, and its true end is recorded" {
    local number=0
    for fault in before-commit:1 after-commit:1 before-start:1 after-start:1 before-commit:2 after-commit:2 before-acknowledge:1; do
        number=$((number + 1))
        AX_FAULT=scheduler-$fault serve
        ax add -q now -- sh -c 'echo "$AX_JOB" >>ran; sleep 0.3; exit 7'
        echo "# $fault" && scheduler_gone
        serve
        until_true 20 state_is $number failed
        [ "$(grep -cx $number ran)" -eq 1 ]
        [ "$(runs_of $number)" -eq 1 ]
        [ "$(ax history $number --json | field exit_code)" = 7 ]
        unserve KILL
    done
    serve
    until_true 20 swept
}

@test "killed while commands run: the next one counts them against slots and queues, and hears how they end" {
    ax queue set narrow --limit 1
    serve -j 3
    ax add -q --queue narrow now -- sh -c 'echo 1 >>ran; while [ ! -e go ]; do sleep 0.1; done; exit 5'
    ax add -q now -- sh -c 'echo 2 >>ran; while [ ! -e go ]; do sleep 0.1; done; kill -9 $$'
    until_true 20 lines ran 2
    unserve KILL
    serve -j 3
    ax add -q --queue narrow now -- sh -c 'echo 3 >>ran'
    ax add -q now -- sh -c 'echo 4 >>ran; while [ ! -e go ]; do sleep 0.1; done'
    until_true 20 grep -qx 4 ran
    ax add -q --priority 9 now -- sh -c 'echo 5 >>ran'
    sleep 0.5
    lines ran 3
    touch go
    for job in 1 2 3 4 5; do until_true 20 over $job; done
    lines ran 5
    outcome_is 1.1 failed 5
    outcome_is 2.1 killed
    outcome_is 3.1 ok 0
    outcome_is 4.1 ok 0
    outcome_is 5.1 ok 0
    until_true 20 swept
}

@test "a command that ends while nobody serves: its exit code and output wait for the next scheduler" {
    serve
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done; echo said; exit 9'
    until_true 20 [ -e began ]
    unserve KILL
    touch go
    until_true 20 [ -e "$AX_SPOOL/handover/1.1.left" ]
    serve
    until_true 20 state_is 1 failed
    outcome_is 1.1 failed 9
    [ "$(ax log 1.1)" = said ]
    until_true 20 swept
}

@test "a second scheduler is refused, and told who serves" {
    serve
    run timeout 20 "$AX" run
    assert_failure 4
    assert_output --partial "$scheduler"
    run timeout 20 "$AX" run --detach
    assert_failure 4
    assert_output --partial "$scheduler"
    kill -0 "$scheduler"
}

@test "twenty schedulers at once: one serves, and every job runs once" {
    for i in 1 2 3 4 5 6; do ax add -q now -- sh -c 'echo "$AX_JOB" >>ran'; done
    local pids=
    for i in $(seq 20); do
        "$AX" run --until-idle >/dev/null 2>&1 3>&- 4>&- &
        pids="$pids $!"
    done
    local zero=0 four=0 code
    for pid in $pids; do
        code=0
        wait "$pid" || code=$?
        [ $code -eq 0 ] && zero=$((zero + 1))
        [ $code -eq 4 ] && four=$((four + 1))
    done
    echo "# $zero ended idle, $four were refused"
    [ $((zero + four)) -eq 20 ]
    [ $zero -ge 1 ]
    [ "$(sort ran | uniq -d)" = "" ]
    lines ran 6
}

@test "retries keep their count through death and restart" {
    serve
    ax add -q --retries 2 --retry-delay 1s --retry-backoff fixed --retry-jitter 0 now -- sh -c 'echo "$AX_ATTEMPT $AX_KEY" >>ran; exit 1'
    for attempt in 1 2; do
        until_true 20 lines ran $attempt
        until_true 20 state_is 1 retrying
        unserve KILL
        serve
    done
    until_true 20 state_is 1 failed
    [ "$(cut -d' ' -f1 ran | tr '\n' ' ')" = '1 2 3 ' ]
    [ "$(cut -d' ' -f2 ran | sort -u | wc -l)" -eq 1 ]
    unserve KILL
    serve
    sleep 1.5
    lines ran 3
}

@test "an attempt never starts before its delay is over" {
    serve
    ax add -q --retries 4 --retry-delay 200ms --retry-backoff fixed --retry-jitter 0 now -- false
    until_true 30 state_is 1 failed
    ax history 1 --json | awk '
        { match($0, /"started_ns":[0-9]+/); started[NR] = substr($0, RSTART + 13, RLENGTH - 13)
          match($0, /"ended_ns":[0-9]+/); ended[NR] = substr($0, RSTART + 11, RLENGTH - 11) }
        END {
            for (i = 1; i < NR; i++) { gap = (started[i] - ended[i + 1]) / 1e6; print "# " gap " ms"; if (gap < 199.9) bad = 1 }
            exit bad || NR != 5
        }'
}

@test "a job that is replaced while it runs: the run goes on, the new one comes afterwards" {
    serve
    ax add -q --name n now -- sh -c 'echo old >>ran; while [ ! -e go ]; do sleep 0.1; done; exit 6'
    until_true 20 lines ran 1
    ax add -q --name n --replace --retries 1 --retry-delay 1s in 1s -- sh -c 'echo new >>ran'
    unserve KILL
    serve
    sleep 1.2
    lines ran 1
    touch go
    until_true 20 state_is n done
    [ "$(cat ran | tr '\n' ' ')" = 'old new ' ]
    outcome_is 1.1 failed 6
    outcome_is 1.2 ok 0
}

@test "the record of an open run is damaged: the next scheduler says which, leaves it aside and serves the others" {
    serve
    ax add -q --name sentinelname now -- sh -c 'touch one; exec sleep 6109'
    ax add -q now -- sh -c 'touch two; while [ ! -e go ]; do sleep 0.1; done; exit 4'
    until_true 20 [ -e one -a -e two ]
    unserve KILL
    LC_ALL=C sed -i 's/\xa1t\xacsentinelname/\xa1t\xc1sentinelname/g' "$AX_SPOOL/data.mdb"
    : >"$AX_SPOOL/scheduler.log"
    serve
    until_true 20 grep -q 'level=error event="an open run cannot be taken over" run=1.1 reason=' "$AX_SPOOL/scheduler.log"
    touch go
    ax add -q now -- touch three
    until_true 20 [ -e three ]
    until_true 20 outcome_is 2.1 failed 4
    [ -e "$AX_SPOOL/runs/1.1" ]
    kill "$(sleeps 6109)"
    until_true 20 [ -e "$AX_SPOOL/handover/1.1.left" ]
    unserve KILL
    serve
    [ -e "$AX_SPOOL/handover/1.1.left" ]
}

@test "all the room at a worker's socket is taken: the next scheduler does not spin, and takes it over when there is room" {
    serve
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done; exit 5'
    until_true 20 [ -e began ]
    unserve KILL
    until_true 20 [ -S "$AX_SPOOL/handover/1.1.sock" ]
    perl -MSocket -e '
        for (1 .. 16) { socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die; push @all, $s }
        open(my $f, ">", "full"); close($f); select(undef, undef, undef, 0.1) until -e "room"' \
        "$AX_SPOOL/handover/1.1.sock" 3>&- 4>&- &
    local clients=$!
    until_true 20 [ -e full ]
    serve
    local before
    before=$(cpu_ticks "$scheduler")
    sleep 1
    [ $(($(cpu_ticks "$scheduler") - before)) -lt 20 ]
    touch room
    wait $clients
    sleep 1.5
    touch go
    until_true 20 outcome_is 1.1 failed 5
    until_true 20 swept
}

@test "an outcome that its worker has left is taken, though the worker lives on for what holds the output open" {
    AX_FAULT=worker-orphaned:1:stop serve
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done; sleep 6108 & exit 3'
    until_true 20 [ -e began ]
    unserve KILL
    local worker
    worker=$(sed -n 's/^worker \([0-9]*\) .*/\1/p' "$AX_SPOOL/runs/1.1")
    until_true 20 stopped "$worker"
    serve
    touch go
    until_true 20 sleeps 6108
    sleep 0.3
    kill -CONT $(pgrep -f "__worker $AX_SPOOL ") # an idle one stops there, too
    until_true 20 outcome_is 1.1 failed 3
    sleeps 6108
    ! gone "$worker"
    kill "$(sleeps 6108)"
    until_true 20 gone "$worker"
    until_true 20 swept
}
