#!/usr/bin/env bats
# ax pause, ax resume.

load helper

import() {
    ax import ndjson - <<<"$1" >/dev/null 2>&1
}

rows() { # JOB OUTCOME
    ax history --json "$1" | grep -c "\"outcome\":\"$2\""
}

some() { # JOB OUTCOME COUNT
    [ "$(rows "$1" "$2")" -ge "$3" ]
}

@test "a paused job does not run, and says so" {
    import '{"name":"tick","every":"1s","command":"true"}'
    serve
    until_true 10 some tick ok 1
    run -0 ax pause tick
    assert_output "job 1 tick: paused"
    before=$(rows tick ok)
    sleep 2.2
    assert_equal "$(rows tick ok)" "$before"
    state_is tick paused
    run -0 ax pause tick
    assert_output "job 1 tick: was paused already"
}

@test "what was due meanwhile follows catchup" {
    import '{"name":"latest","every":"1s","command":"true"}
{"name":"skip","every":"1s","command":"true","catchup":"skip"}'
    serve
    ax pause latest skip
    sleep 2.3
    run -0 ax resume latest skip
    until_true 5 some latest ok 1
    until_true 5 some skip ok 1
    run -0 ax history --json skip
    assert_output --partial "the job was paused (catchup: skip)"
    run -0 ax history --json latest
    assert_output --partial "the job was paused; of the times missed the latest runs"
}

@test "a one-off job that was paused runs late, and a run that is open goes on" {
    ax add -q --name once 500ms -- true
    ax add -q --name now --now -- sleep 1
    ax pause once
    serve
    until_true 10 state_is now running
    run -0 ax pause now
    assert_output --partial "the run that is open goes on"
    until_true 10 state_is now "done"
    sleep 0.5
    state_is once paused
    ax resume once
    until_true 5 state_is once "done"
}

@test "start runs a paused job, cancel ends it, and what has ended is not paused" {
    import '{"name":"held","every":"1h","command":"true"}'
    serve
    ax pause held
    ax start held
    until_true 5 some held ok 1
    state_is held paused
    ax cancel held
    state_is held cancelled
    run -1 ax pause held
    assert_output --partial "has ended"
    run -3 ax pause nobody
    run -2 ax resume
}

@test "--until-idle does not wait for a paused job" {
    ax add -q --name later 1h -- true
    ax pause later
    run -0 timeout 10 "$AX" run --until-idle
}
