#!/usr/bin/env bats
# The field notify: lines that are run when something happens to a job.

load helper

setup() {
    export AX_SPOOL=$BATS_TEST_TMPDIR/spool TZ=UTC LC_ALL=C.UTF-8 told=$BATS_TEST_TMPDIR/told
    export NOTE='echo "$AX_EVENT $AX_AFTER $AX_JOB $AX_RUN $AX_OUTCOME" >>"$told"' # the kept environment has $told
    cd "$BATS_TEST_TMPDIR"
    touch told
}

told_is() { # LINES...
    [ "$(cat told)" = "$(printf '%s\n' "$@")" ] || { cat told; return 1; }
}

@test "failure once for a due time, whatever its attempts; recovery with the next ok" {
    ax add -q --boot none --name job --retries 1 --retry-delay 50ms --notify "failure=$NOTE" --notify "recovery=$NOTE" -- test -e good
    serve
    ax start -q job
    until_true 20 told_is "failure  1 1.2 failed"
    ax start -q job
    until_true 20 told_is "failure  1 1.2 failed" "failure  1 1.4 failed"
    touch good
    ax start -q job
    until_true 20 told_is "failure  1 1.2 failed" "failure  1 1.4 failed" "recovery  1 1.5 ok"
    ax start -q job
    until_true 20 grep -q 'event=ended run=1.6' "$AX_SPOOL/scheduler.log"
    sleep 0.3
    told_is "failure  1 1.2 failed" "failure  1 1.4 failed" "recovery  1 1.5 ok"
}

@test "gave_up takes the place of failure where retries were used up" {
    ax add -q --now --retries 1 --retry-delay 50ms --notify "failure=$NOTE" --notify "gave_up=$NOTE" -- false
    ax add -q --now --notify "failure=$NOTE" --notify "gave_up=$NOTE" -- sh -c 'kill -9 $$'
    ax add -q --now --notify "failure=$NOTE" --no-check -- /nonexistent/program
    ax add -q --now --timeout 100ms --kill-after 0s --notify "failure=$NOTE" -- sleep 30
    run -0 timeout 30 "$AX" run --until-idle
    sort -o told told
    told_is "failure  2 2.1 killed" "failure  3 3.1 unstartable" "failure  4 4.1 timeout" "gave_up  1 1.2 failed"
}

@test "the line has the shell, directory and environment of the job, and can read the output of the run" {
    mkdir work
    ax add -q --now --name job --cwd "$PWD/work" --env COLOUR=blue --shell 'bash -u -c' \
        --notify "failure=[[ -v AX_SIGNAL ]] && $AX log \$AX_RUN >>\$told && echo \$COLOUR \$PWD \$AX_NAME \$AX_EXIT_CODE >>\$told" \
        -- sh -c 'echo said; exit 3'
    run -0 timeout 20 "$AX" run --until-idle
    told_is said "blue $PWD/work job 3"
}

@test "the line runs as the user of the job" {
    [ "$(id -u)" -eq 0 ] || skip "for root only"
    local open # nobody cannot reach the folder of the test
    open=$(mktemp -d)
    chmod 777 "$open"
    ax add -q --now --cwd / --user nobody --notify "failure={ id -un; echo \$HOME; } >$open/told" -- false
    run -0 timeout 20 "$AX" run --until-idle
    cp "$open/told" told
    rm -r "$open"
    told_is nobody "$(getent passwd nobody | cut -d: -f6)"
}

@test "a directory that is not there keeps the command from starting, but not the line" {
    ax add -q --now --no-check --cwd /nonexistent --notify "failure=echo \$PWD: \$AX_REASON >>\$told" -- true
    run -0 timeout 20 "$AX" run --until-idle
    run cat told
    assert_output --partial "/nonexistent: No such file"
    ax add -q --now --no-check --env-file /nonexistent --notify "failure=$NOTE" -- true
    run -0 timeout 20 "$AX" run --until-idle
    grep -qx "failure  2 2.1 unstartable" told
}

@test "long: the run goes on, and is told of once for each duration" {
    ax add -q --now --notify "long 1s=$NOTE" --notify "long 2s=$NOTE" --notify "recovery=$NOTE" -- sleep 3.2
    run -0 timeout 20 "$AX" run --until-idle
    told_is "long 1s 1 1.1 running" "long 2s 1 1.1 running"
    assert_equal "$(ax history --json | field outcome)" ok
}

@test "long: the line is none of the processes of its run, and outlives it" {
    ax add -q --now --notify "long 1s=sleep 1.5; $NOTE" -- sleep 1.2
    run -0 timeout 20 "$AX" run --until-idle
    told_is "long 1s 1 1.1 running"
    assert_equal "$(ax history --json | field reason)" null
}

@test "late: while there is no slot, once; then it runs" {
    ax add -q --now --name first -- sh -c 'while [ ! -e go ]; do sleep 0.1; done'
    serve -j 1
    ax add -q --name second --notify "late 1s=$NOTE" in 1s true
    until_true 20 told_is "late 1s 2  "
    touch go
    until_true 20 state_is second "done"
    sleep 0.3
    told_is "late 1s 2  "
}

@test "long over a restart: once, whoever serves" {
    ax add -q --now --notify "long 1s=$NOTE" -- sleep 5
    serve
    until_true 10 grep -q . told
    unserve KILL
    serve
    until_true 20 state_is 1 "done"
    told_is "long 1s 1 1.1 running"
}

@test "long: it comes to be so while nobody serves" {
    ax add -q --now --notify "long 2s=$NOTE" -- sleep 5
    serve
    until_true 10 state_is 1 running
    unserve KILL
    sleep 2
    [ ! -s told ]
    serve
    until_true 10 told_is "long 2s 1 1.1 running"
    until_true 20 state_is 1 "done"
    told_is "long 2s 1 1.1 running"
}

@test "late over a restart: a job that waits is told of once, whoever serves" {
    ax queue set narrow --limit 1
    ax add -q --queue narrow --now -- sh -c 'while [ ! -e go ]; do sleep 0.1; done'
    serve
    ax add -q --queue narrow --notify "late 1s=$NOTE" in 1s true
    until_true 20 told_is "late 1s 2  "
    unserve KILL
    serve
    touch go
    until_true 20 state_is 2 "done"
    told_is "late 1s 2  "
}

@test "a line that fails is named in the log and in the trail of its job, and waits to be tried again" {
    ax add -q --now --name job --notify 'failure=nosuchprogram --loud' -- false
    run timeout 20 "$AX" run --until-idle
    assert_output --partial "run 1.1: failure: the line ended with exit code 127: will be tried again"
    assert_output --partial "nosuchprogram: not found"
    run -0 ax show job
    assert_output --partial "notify run 1.1: failure: the line ended with exit code 127: will be tried again"
    run -0 ax status
    assert_output --regexp 'notices +1 waits to be told'
    run timeout 20 "$AX" run --until-idle # not yet its time
    refute_output --partial nosuchprogram
    assert_equal "$(ax history --json | field outcome)" failed
}

@test "a shell that is not there is named in the log" {
    ax add -q --now --no-check --shell /nonexistent/sh --notify "failure=$NOTE" -c 'true'
    run timeout 20 "$AX" run --until-idle
    assert_output --partial "run 1.1: failure: executing the command /nonexistent/sh: No such file"
}

@test "a line that hangs holds up nobody, and no other line" {
    ax add -q --now --notify 'failure=exec sleep 7822' -- false
    serve
    until_true 10 pgrep -fx "sleep 7822"
    ax add -q --now --name next --notify "failure=$NOTE" -- false
    until_true 5 state_is next failed
    until_true 10 told_is "failure  2 2.1 failed"
    pkill -fx "sleep 7822"
    until_true 10 grep -q "failure: the line was ended by signal 15: will be tried again" "$AX_SPOOL/scheduler.log"
}

@test "what was cancelled or stopped, and runs of ax exec, are not told of" {
    ax add -q --boot none --name job --notify "failure=$NOTE" -- sleep 30
    serve
    ax start -q job
    until_true 10 state_is job running
    ax stop -q job
    until_true 10 grep -q 'event=ended run=1.1' "$AX_SPOOL/scheduler.log"
    ax add -q --boot none --name other --notify "failure=$NOTE" -- false
    run -1 ax exec other
    sleep 0.5
    [ ! -s told ]
}

@test "a rule that is gone by then tells nobody, and nothing stays behind" {
    ax add -q --now --name job --notify 'failure=exit 1' -- false
    run timeout 20 "$AX" run --until-idle
    ax set -q job notify=
    ax add -q --now --name other --notify "failure=$NOTE" -- false
    run -0 timeout 20 "$AX" run --until-idle
    told_is "failure  2 2.1 failed"
}

@test "in job files: events merge with those of the defaults, and come back from export" {
    cat >ax.yaml <<'END'
version: 1
source: test
defaults:
  cwd: /
  notify:
    failure: one
    late 10m: two
jobs:
  a:
    command: "true"
    every: 1h
    notify:
      failure: "three # with = and 'quotes'"
      long 1h: four
  b:
    command: "true"
    notify:
END
    ax apply -q
    ax show a --json >shown
    grep -qF '"notify":{"failure":"three # with = and '"'quotes'"'","late 10m":"two","long 1h":"four"}' shown
    run -0 ax show b --json
    refute_output --partial '"notify"'
    run -0 ax diff
    ax export >exported.yaml
    run -0 ax diff exported.yaml
    run -0 ax show a --shell
    assert_output --partial "--notify 'late 10m=two'"
}

@test "bad entries are refused in their place, with the nearest event" {
    run -2 ax add --notify 'faliure=x' 1m true
    assert_output --partial "there is no event 'faliure': did you mean 'failure'?"
    run -2 ax add --notify 'late=x' 1m true
    assert_output --partial "'late' needs a duration behind it"
    run -2 ax add --notify 'late 10=x' 1m true
    run -2 ax add --notify 'failure=' 1m true
    assert_output --partial "line is empty"
    run -2 ax add --notify 'failure' 1m true
    assert_output --partial "EVENT=LINE"
    run -2 ax add --notify 'late 60s=x' --notify 'late 1m=y' 1m true
    assert_output --partial "'late 60s' and 'late 1m' are the same time"
    printf 'version: 1\njobs:\n  a:\n    command: x\n    cwd: /\n    notify:\n      recovered: x\n' >ax.yaml
    run -2 ax check
    assert_output --partial "ax.yaml:7:"
    assert_output --partial "did you mean 'recovery'?"
}
