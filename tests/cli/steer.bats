#!/usr/bin/env bats
# stop, retry, skip: steering a job that goes on.

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

@test "stop ends the run and keeps the job" {
    import '{"name":"long","every":"1s","command":"sleep 7841; true","retries":3}'
    serve
    until_true 10 sleeps 7841
    run -0 ax stop long
    assert_output "job 1: it was running; run 1.1 was stopped"
    [ "$(ax history --json long | grep -c '"outcome":"cancelled"')" -ge 1 ]
    until_true 10 sleeps 7841 # its next occurrence
    ax cancel long
}

@test "stop of one run leaves the others that overlap" {
    import '{"name":"many","every":"1s","command":"sleep 7842","overlap":"allow"}'
    serve
    two() { [ "$(sleeps 7842 | wc -l)" -ge 2 ]; }
    until_true 15 two
    ax pause many
    before=$(sleeps 7842 | wc -l)
    run -0 ax stop 1.1 --json
    assert_equal "$(field result <<<"$output")" stopped
    assert_equal "$(sleeps 7842 | wc -l)" $((before - 1))
    run -1 ax stop 1.1
    assert_output "job 1: no run of it is going"
    run -0 ax stop many
    run ! sleeps 7842
    ax cancel many
}

@test "stop of a run whose scheduler is gone" {
    import '{"name":"long","every":"1h","command":"exec sleep 7843"}'
    serve --on-stop leave
    ax start long
    until_true 10 sleeps 7843
    unserve TERM
    sleeps 7843
    run -0 ax stop long
    run ! sleeps 7843
    serve
    until_true 10 some long cancelled 1
    state_is long waiting
}

@test "stop where there is nothing to stop" {
    ax add -q --name later 1h -- true
    run -1 ax stop later
    assert_output "job 1: no run of it is going"
    run -3 ax stop nobody
    run -3 ax stop 1.7
    run -2 ax stop
}

@test "retry starts a job that gave up once more, for the same occurrence" {
    ax add -q --name bad --now -c 'echo $AX_KEY; test -e mended'
    serve
    until_true 10 state_is bad failed
    touch mended
    run -0 ax retry bad
    assert_output --partial "job 1 bad: tries again, as soon as there is a slot, what was due "
    until_true 10 state_is bad "done"
    assert_equal "$(ax log 1.1)" "$(ax log 1.2)"
    run -1 ax retry bad
    assert_output "ax retry: job 1 has not failed: its last run was ok"
}

@test "retry --all-failed, and of a repeating job" {
    import '{"name":"tick","every":"1h","command":"test -e mended","cwd":"'"$PWD"'"}'
    ax add -q --name a --now -- false
    ax add -q --name b --now -- false
    serve
    until_true 10 state_is a failed
    until_true 10 state_is b failed
    run -0 ax retry --all-failed
    assert_line --index 0 --partial "job 2 a: tries again"
    assert_line --index 1 --partial "job 3 b: tries again"
    until_true 10 some a failed 2
    ax start tick
    until_true 10 some tick failed 1
    touch mended
    ax retry tick
    until_true 10 some tick ok 1
    assert_equal "$(ax history --json tick | field due | sort -u | wc -l)" 1
}

@test "skip leaves out the next occurrence, and again the one after it" {
    import '{"name":"daily","cron":"0 2 * * *","timezone":"UTC","command":"true"}'
    first=$(ax show --json daily | field due)
    run -0 ax skip daily
    second=$(ax show --json daily | field due)
    [ "$second" \> "$first" ]
    assert_equal "$(ax history --json daily | field due)" "$first"
    assert_equal "$(ax history --json daily | field reason)" "skipped by hand"
    run -0 ax skip daily --json
    assert_equal "$(field due <<<"$output")" "$second"
    ax add -q --name once 1h -- true
    run -1 ax skip once
    assert_output --partial "\`ax cancel\` takes a one-off job back"
}

@test "retry of a job that is started by hand" {
    ax import ndjson -q - <<<'{"name":"hand","command":"test -e there","cwd":"'"$PWD"'"}' 2>/dev/null
    serve
    run -1 ax retry hand
    assert_output --partial 'its last run was none yet'
    run -1 ax start -q --wait hand
    touch there
    run -0 ax retry hand
    until_true 20 eval 'ax history --json hand | grep -q "\"outcome\":\"ok\""'
    run -1 ax retry hand
    run -0 ax retry --all-failed
    assert_output 'no one-off job has failed; name the others that are to run again'
}

@test "retry of a run that is not the last: its due time once more" {
    ax import ndjson -q - <<<'{"name":"hand","command":"test -e there","cwd":"'"$PWD"'"}' 2>/dev/null
    serve
    run -1 ax start -q --wait hand
    touch there
    ax start -q --wait hand
    run -1 ax retry hand
    assert_output --partial 'job 1 has not failed: its last run was ok'
    run -1 ax retry 1.2
    assert_output --partial 'run 1.2 has not failed: it was ok'
    run -3 ax retry 1.9
    run -0 ax retry 1.1
    until_true 20 eval 'ax history --json hand | grep -q "\"run\":\"1.3\".*\"outcome\":\"ok\""'
    [ "$(ax history --json hand | grep '"run":"1.3"' | field due)" = "$(ax history --json hand | grep '"run":"1.1"' | field due)" ]
}
