load helper

# has_reason JOB WORD...: exactly these reasons, in this order.
has_reasons() {
    local job=$1
    shift
    [ "$(ax why --json "$job" | grep -oE '"reason":"[a-z-]+","text"' | cut -d'"' -f4 | xargs)" = "$*" ]
}

@test "time, and nobody who serves" {
    ax add -q --name a 1h true
    run -0 ax why a
    assert_line --regexp '^Job 1 a is waiting: it waits for its due time, .* \(.*in .*\)\. It has had no run yet\.$'
    assert_line --regexp '^- nobody serves the spool'
    has_reasons a time no-scheduler
    serve
    has_reasons a time
    unserve KILL
    ax add -q now true
    has_reasons 2 no-scheduler
}

@test "paused, and ended" {
    serve
    ax add -q 1h true
    ax pause -q 1
    has_reasons 1 paused time
    ax cancel 1
    has_reasons 1 cancelled
    ax add -q now -- sh -c 'exit 3'
    until_true 5 state_is 2 failed
    has_reasons 2 failed
    run -0 ax why 2
    assert_line --regexp '^Job 2 is failed: its last run went wrong \(failed, exit 3\)'
    assert_line --regexp '^- 2\.1, due .*: failed, exit 3; on time$'
}

@test "a queue, a slot, those in front" {
    ax queue set q --limit 1
    serve -j 2
    ax add -q --queue q now -- sleep 100
    until_true 5 state_is 1 running
    ax add -q --queue q now true
    ax add -q --queue q now true
    ax add -q --queue q --priority 5 now true
    until_true 5 has_reasons 3 queue behind
    run -0 ax why 3
    assert_line --regexp '^- its queue q is full: 1 of 1 are taken, and it takes 1$'
    assert_line --regexp '^- 2 of its queue go before it'
    has_reasons 4 queue
    has_reasons 1 running
    ax why --json 1 | grep -q '"text":"run 1.1 is going (attempt 1), since [^"]*","until":null'
    ax add -q now -- sleep 100
    until_true 5 state_is 5 running
    ax add -q now true
    has_reasons 6 slot
    ax cancel 1 5
}

@test "slots that are kept for a heavier one of another queue" {
    serve -j 3
    ax add -q --weight 2 now -- sleep 100
    until_true 5 state_is 1 running
    ax add -q --weight 2 --queue big now true
    ax add -q now true
    sleep 0.3
    has_reasons 2 slot
    has_reasons 3 slot
    run -0 ax why 3
    assert_line '- the free slots are kept for another that goes before it and takes 2: 2 of 3 are taken'
    ax cancel 1
    until_true 5 state_is 3 done
}

@test "retry, and history" {
    serve
    ax add -q --retries 3 --retry-delay 1h now false
    until_true 5 state_is 1 retrying
    has_reasons 1 retry
    run -0 ax why 1
    assert_line --regexp '^- its last attempt went wrong \(failed, exit 1\); attempt 2 is .*in '
}

@test "an occurrence beside its own, and overlap" {
    serve
    ax add -q --every 1h -- sleep 100
    ax start -q 1
    until_true 5 state_is 1 running
    run -0 ax why 1
    assert_line --regexp '^- the occurrence started by hand, due .*: run 1\.1 is going \(attempt 1\), since'
    ax start -q 1
    until_true 5 eval "ax why 1 | grep -q 'waits for another occurrence of the job to end'"
    ax cancel 1
}

@test "why it ran late: nobody served" {
    ax add -q now true
    sleep 1.2
    serve
    until_true 5 state_is 1 done
    run -0 ax why 1
    assert_line --regexp '^- 1\.1, due .*: ok; 1\.[0-9]+s late: the scheduler came after the due time$'
}

@test "missed due times" {
    ax add -q --every 1s --catchup skip -- true
    sleep 2.1
    serve
    until_true 5 eval "ax why 1 | grep -q 'missed.*no scheduler was running (catchup: skip)'"
}

@test "wrong use, and unknown jobs" {
    run -2 ax why
    run -3 ax why 9
    ax add -q --name backup 1h true
    run -3 ax why bakup
    assert_output --partial backup
}

@test "exit 127 leads to what differs from the shell; a run stands for its job" {
    serve
    ax add -q --name lost --no-check now -c 'no-such-program-here'
    until_true 10 state_is lost failed
    run -0 ax why lost
    assert_output --partial 'exit 127 is what a shell says of a command that it does not find; `ax exec --compare 1` shows how its environment differs'
    run -0 ax why 1.1
    assert_output --partial 'Job 1 lost '
    ax add -q --name plain now -c 'exit 3'
    until_true 10 state_is plain failed
    run -0 ax why plain
    refute_output --partial 'compare'
}
