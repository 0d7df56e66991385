#!/usr/bin/env bats
# ax run: the command; what it promises when things die is tried in tests/faults.

load helper

# The value of a member of the newest history row of a job, or of the row with this run.
row() { # JOB MEMBER [RUN]
    ax history --json "$1" | grep "\"run\":\"${3:-}" | head -n 1 | field "$2"
}

serving() { # in the background, with standard error in `log`
    "$AX" run "$@" 2>log &
    scheduler=$!
    until_true 20 grep -q event=serving log
}

ended() { # waits for the scheduler's own end; its exit code in $status
    local code=0
    wait "$scheduler" || code=$?
    scheduler=
    status=$code
}

@test "--until-idle runs what is due and what is to come, then ends" {
    ax add -q --now -- sh -c 'exit 3'
    ax add -q 1s -- true
    ax add -q --now --retries 1 --retry-delay 500ms -- false
    run -0 timeout 60 "$AX" run --until-idle
    assert_equal "$(row 1 outcome) $(row 1 exit_code)" "failed 3"
    assert_equal "$(row 2 outcome)" ok
    assert_equal "$(row 3 attempt)" 2
}

@test "with nothing to do it says what it waits for" {
    ax add -q --cron '0 0 1 1 *' -- true
    serving
    ! grep 'nothing is due' log
    unserve
    ax cancel 1
    serving
    until_true 10 grep -q 'nothing is due: waiting for `ax add`' log
}

@test "--until-idle does not wait for jobs that repeat" {
    ax add -q --every 1h -- true
    run -0 timeout 20 "$AX" run --until-idle
}

@test "no attempt starts before its time" {
    ax add -q --in 700ms -- true
    ax add -q --now --retries 1 --retry-delay 1s --retry-jitter 0 -- false
    run -0 timeout 60 "$AX" run --until-idle
    [ "$(row 1 started_ns)" -ge "$(row 1 due_ns)" ]
    [ "$(row 2 started_ns 2.2)" -ge $(($(row 2 ended_ns 2.1) + 1000000000)) ]
}

@test "a second scheduler is refused, with the pid of the first" {
    serve
    run -4 ax run
    assert_output --partial "pid $scheduler"
    run -4 ax run --detach
    assert_output --partial "pid $scheduler"
}

@test "--detach: a session of its own, the log in the spool, a relative spool" {
    unset AX_SPOOL
    ax run --detach --spool here >served
    scheduler=$(sed -n 's/.*, pid \([0-9]*\);.*/\1/p' served)
    [ "$(cut -d' ' -f6 "/proc/$scheduler/stat")" = "$scheduler" ]
    grep -q "event=serving spool=$BATS_TEST_TMPDIR/here " here/scheduler.log
    ax add --spool here -q --now -- true
    until_true 20 grep -q 'event=ended run=1.1' here/scheduler.log
}

@test "log: key=value or JSON, and levels" {
    ax add -q --now --name 'a "b"' -- true
    run -0 timeout 20 "$AX" run --until-idle
    assert_output --regexp 'time=[0-9TZ:.-]+ level=info event=ended run=1.1 name="a \\"b\\"" outcome=ok exit_code=0'
    ax add -q --now --name next -- false
    run -0 timeout 20 "$AX" run --until-idle --log-format json --log-level warning
    assert_output --regexp '^\{"time":"[^"]+","level":"warning","event":"ended","run":"2.1","name":"next","outcome":"failed","exit_code":1\}$'
}

@test "wrong use" {
    run -2 ax run 12
    assert_output --partial "ax start 12"
    assert_output --partial "ax exec 12"
    run -2 ax run -j 0
    assert_output --partial "-j: 0 is below 1"
    run -2 ax run --on-stop perhaps
    run -2 ax run --stop-timeout 30
    [ ! -e "$AX_SPOOL" ]
}

@test "-j: no more runs at once" {
    for _ in 1 2 3 4; do ax add -q --now -c 'echo >>begun; while [ ! -e go ]; do sleep 0.05; done'; done
    serving -j 2
    until_true 20 test -e begun
    sleep 0.5
    assert_equal "$(wc -l <begun)" 2
    touch go
    until_true 20 eval '[ "$(wc -l <begun)" -eq 4 ]'
}

@test "TERM: waits for the runs, starts none" {
    ax add -q --now -c 'echo >begun; while [ ! -e go ]; do sleep 0.05; done; exit 4'
    serving -j 1
    until_true 20 test -e begun
    ax add -q --now -- touch second
    kill -TERM "$scheduler"
    until_true 20 grep -q event=stopping log
    touch go
    ended
    assert_equal "$status" 0
    assert_equal "$(row 1 exit_code)" 4
    [ ! -e second ]
    state_is 2 queued
}

@test "TERM with runs that go on: left to the next scheduler, exit 6" {
    ax add -q --now -c 'echo >begun; while [ ! -e go ]; do sleep 0.05; done; exit 4'
    serving --stop-timeout 300ms
    until_true 20 test -e begun
    kill -TERM "$scheduler"
    ended
    assert_equal "$status" 6
    touch go
    run -0 timeout 30 "$AX" run --until-idle
    assert_equal "$(row 1 outcome) $(row 1 exit_code)" "failed 4"
}

@test "--on-stop leave: goes at once" {
    ax add -q --now -c 'echo >begun; while [ ! -e go ]; do sleep 0.05; done'
    serving --on-stop leave
    until_true 20 test -e begun
    kill -HUP "$scheduler"
    ended
    assert_equal "$status" 6
    state_is 1 running
    touch go
    run -0 timeout 30 "$AX" run --until-idle
    assert_equal "$(row 1 outcome)" ok
}

@test "--on-stop kill: ends them, recorded; they run again, as if_lost says" {
    ax add -q --now -c 'echo >>begun; [ -e again ] || sleep 1000'
    ax add -q --now --if-lost fail -c 'echo >>begun; sleep 1000'
    serving --on-stop kill
    until_true 20 eval '[ "$(wc -l <begun)" -eq 2 ]'
    kill -INT "$scheduler"
    ended
    assert_equal "$status" 0
    assert_equal "$(row 1 outcome 1.1) $(row 2 outcome 2.1)" "killed killed"
    state_is 2 failed
    touch again
    run -0 timeout 30 "$AX" run --until-idle
    assert_equal "$(row 1 outcome 1.2)" ok
}

@test "a second signal hurries" {
    ax add -q --now -c 'echo >begun; while [ ! -e go ]; do sleep 0.05; done'
    serving --stop-timeout 1h
    until_true 20 test -e begun
    kill -TERM "$scheduler"
    until_true 20 grep -q event=stopping log
    kill -TERM "$scheduler"
    ended
    assert_equal "$status" 6
    touch go
}

@test "PWD is the directory of the job" {
    serve
    mkdir sub
    ax add --wait now -- printenv PWD
    ax add --wait --cwd sub now -- printenv PWD
    ax add --wait --clean-env --cwd sub now -- printenv PWD
    ax add --wait --cwd sub --env PWD=/said now -- printenv PWD
    ax export --ndjson --all --with-env | grep '"PATH"' | AX_SPOOL=$PWD/other ax import ndjson -
    [ "$(for job in 1 2 3 4; do ax log $job; done)" = "$PWD"$'\n'"$PWD/sub"$'\n'"$PWD/sub"$'\n/said' ]
    [[ $(AX_SPOOL=$PWD/other ax show 2 --json) != *'"PWD":'* ]]
}

@test "AX_LOG: a level, or an error that names the levels" {
    AX_LOG=bogus run -2 timeout 20 "$AX" run --until-idle
    assert_output "ax run: AX_LOG: 'bogus' is none of error, warning, info, debug"
    [ ! -e "$AX_SPOOL" ]
    AX_LOG=error run -0 timeout 20 "$AX" run --until-idle
    assert_output ''
    AX_LOG= run -0 timeout 20 "$AX" run --until-idle
    assert_output --partial 'event=serving'
}

@test "ax run --stop stops who serves, and waits for it" {
    ax add -q 1h true
    run -0 ax run --stop
    assert_output --partial 'nobody serves'
    serve --on-stop leave
    ax add -q now -- sleep 6501
    until_true 10 sleeps 6501
    run -0 ax run --stop
    assert_output "the scheduler of $AX_SPOOL has stopped, pid $scheduler"
    ! alive "$scheduler"
    sleeps 6501
    run -5 ax run --stop --spool "$PWD/nowhere"
}
