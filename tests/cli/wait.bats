#!/usr/bin/env bats
# ax wait: whose end it waits for, and what it exits with.

load helper

import() {
    ax import ndjson - <<<"$1" >/dev/null 2>&1
}

# What is written when the command runs: it goes on once the file `go` is there.
held='until [ -e go ]; do sleep 0.05; done;'

@test "the command's code is passed on" {
    serve
    while read -r expected script; do
        ax add -q --name one --now -- sh -c "$script"
        run -"$expected" ax wait one
    done <<'END'
0 exit 0
3 exit 3
143 kill -TERM $$
END
    ax add -q --name limited --timeout 100ms --now -- sleep 30
    run -124 ax wait limited
    assert_output --partial "timeout"
    ax add -q --name unstartable --no-check --now -- /no/such/program
    run -125 ax wait unstartable
    ax add -q --name late --in 1h -- true
    ax cancel late
    run -125 ax wait late
    assert_output "job 6: cancelled: cancelled before it started"
}

@test "a job that is due once is waited for to its end, retries included" {
    serve
    ax add -q --name twice --retries 1 --retry-delay 300ms --now -- sh -c 'test $AX_ATTEMPT = 2'
    run -0 ax wait twice
    assert_output "run 1.2: ok"
    run -1 ax wait 1.1
    assert_output "run 1.1: failed, exit 1"
    run -0 ax wait --json twice
    assert_equal "$(field run <<<"$output")" 1.2
    run -0 ax wait -q twice
    assert_output ""
}

@test "of a repeating job it waits for the run that goes on" {
    import "{\"name\":\"often\",\"every\":\"1h\",\"command\":\"$held exit 7\",\"cwd\":\"$PWD\"}"
    serve
    ax start often
    until_true 10 state_is often running
    ax wait often >out && code=0 || code=$? &
    waiter=$!
    ax wait --timeout 300ms often && false || [ $? = 124 ]
    touch go
    run -7 ax wait 1.1
    wait $waiter
    assert_equal "$(cat out)" "run 1.1: failed, exit 7"
}

@test "of a repeating job that does not run it waits for the next run, not for one that has ended" {
    import '{"name":"often","every":"1h","command":"exit $(cat code)","cwd":"'"$PWD"'","retries":1,"retry_delay":"200ms"}'
    serve
    echo 4 >code
    (sleep 0.3; ax start often >/dev/null) &
    run -4 ax wait often
    assert_output "run 1.2: failed, exit 4"
    run -124 ax wait --timeout 200ms often
    assert_output "ax wait: job 1 has not ended within 200ms"
    echo 0 >code
    (sleep 0.3; ax start often >/dev/null) &
    run -0 ax wait often
    assert_output "run 1.3: ok"
}

@test "a cancelled job ends the wait" {
    import '{"name":"often","every":"1h","command":"sleep 7821"}'
    serve
    (sleep 0.5; ax cancel often >/dev/null) &
    run -125 ax wait often
    assert_output "job 1: cancelled: cancelled before it started"
    wait
}

@test "of several, the first code that is not 0" {
    serve
    ax add -q --name good --now -- true
    ax add -q --name bad --now -- sh -c 'sleep 0.3; exit 5'
    ax add -q --name worse --now -- sh -c 'exit 6'
    run -5 ax wait good bad worse
    assert_line --index 0 "run 1.1: ok"
    assert_line --index 1 "run 2.1: failed, exit 5"
    assert_line --index 2 "run 3.1: failed, exit 6"
}

@test "it sleeps: no looking while nothing happens" {
    import '{"name":"often","every":"1h","command":"true"}'
    serve
    command -v strace || skip "no strace"
    ASAN_OPTIONS=detect_leaks=0 run -124 timeout -s KILL 20 strace -o trace -e trace=openat "$AX" wait --timeout 3s often
    [ "$(grep -c data.mdb trace)" -gt 0 ]
    [ "$(grep -c data.mdb trace)" -le 8 ]
}

@test "what is not there: exit 3, and the near name; nobody serves: it says so" {
    run -3 ax wait nightly
    ax add -q --name nightly --in 1h -- true
    run -3 ax wait nihgtly
    assert_output --partial "nightly"
    run -3 ax wait 1.7
    assert_output "ax wait: there is no run 1.7: job 1 has had none"
    ax exec nightly
    run -3 ax wait 1.7
    assert_output "ax wait: there is no run 1.7: the last one of job 1 is 1.1"
    run -3 ax wait 8.1
    assert_output "ax wait: there is no run 8.1: there is no job 8"
    run -2 ax wait
    run -2 ax wait --timeout soon nightly
    run -124 ax wait --timeout 10ms nightly
    assert_output --partial "nobody serves the spool"
}
