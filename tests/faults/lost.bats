load helper

# Promises 3 and 4: workers die, and with them the scheduler or the command.

@test "a worker dies: its command's tree is ended, and the lost run is made again" {
    serve
    ax add -q now -- sh -c 'if [ -e before ]; then exit 4; fi; touch before; setsid sleep 6101 & exec sleep 6102'
    until_true 20 sleeps 6101
    kill -9 "$(worker_of "$(sleeps 6102)")"
    until_true 30 state_is 1 failed
    run sleeps '610[12]'
    assert_failure
    outcome_is 1.1 lost
    outcome_is 1.2 failed 4
    ax history --json 1 | grep '"run":"1.1"' | grep -q '"started":"2' # what its file said
    until_true 20 swept
}

@test "lost again and again: lost_max reruns, then the job has failed" {
    serve
    ax add -q --lost-max 2 now -- sh -c 'echo x >>ran; kill -9 $PPID; sleep 6103'
    until_true 40 state_is 1 failed
    lines ran 3
    [ "$(ax history 1 --json | grep -c '"outcome":"lost"')" -eq 3 ]
    run sleeps 6103
    assert_failure
}

@test "if_lost fail: no rerun" {
    serve
    ax add -q --if-lost fail now -- sh -c 'echo x >>ran; kill -9 $PPID; sleep 6104'
    until_true 30 over 1
    outcome_is 1.1 lost
    lines ran 1
    state_is 1 failed || state_is 1 lost
}

@test "scheduler, worker and command all die: lost with an end, and the slot is free" {
    serve -j 1
    ax add -q --if-lost fail now -- sleep 6105
    ax add -q now -- touch next
    until_true 20 sleeps 6105
    local command worker
    command=$(sleeps 6105) worker=$(worker_of "$(sleeps 6105)")
    unserve KILL
    kill -9 "$worker" "$command"
    [ ! -e next ]
    serve -j 1
    until_true 20 over 1
    until_true 20 [ -e next ]
    outcome_is 1.1 lost
    [ "$(ax history 1 --json | field ended)" != null ]
    [ -z "$(ax ls --state running --json)" ]
}

@test "scheduler and worker die, the command lives: it is ended before the run is made again" {
    serve
    local nap=6106.$$
    ax add -q now -- sh -c "if [ -e before ]; then sleeping=\$(pgrep -fx 'sleep $nap'); echo \"[\$sleeping]\" >second; exit 0; fi
        touch before; setsid sleep $nap & exec sleep $nap"
    until_true 20 eval '[ "$(sleeps $nap | wc -l)" -eq 2 ]'
    local worker
    worker=$(pgrep -f "__worker $AX_SPOOL ")
    unserve KILL
    kill -9 $worker
    [ "$(sleeps $nap | wc -l)" -eq 2 ]
    serve
    until_true 30 over 1
    [ "$(cat second)" = '[]' ]
    outcome_is 1.1 lost
    outcome_is 1.2 ok 0
    until_true 20 swept
}
