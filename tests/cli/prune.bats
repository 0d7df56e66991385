load helper

# What is over is forgotten after a while; paused, a field.

rows() { # JOB: its rows of history
    ax history --json "$1" 2>/dev/null | wc -l
}
gone() { # JOB
    ! ax show "$1" 2>/dev/null
}

@test "a job that goes on keeps its latest runs" {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"often","every":"1h","command":"echo $AX_RUN","cwd":"/","keep_runs":3}
{"name":"all","every":"1h","command":"true","cwd":"/"}
END
    serve
    for i in 1 2 3 4 5 6; do
        ax start -q --wait often
        ax start -q --wait all
    done
    assert_equal "$(ax history --json often | field run | tr '\n' ' ')" '1.6 1.5 1.4 '
    assert_equal "$(rows all)" 6
    assert_equal "$(ax log 1.4)" 1.4
    run -3 ax log 1.3
    assert_output --partial 'run 1.3 is kept no more'
    run -3 ax log 1.7
    refute_output --partial 'kept no more'
    ax set -q often keep_runs=1
    ax start -q --wait often
    assert_equal "$(ax history --json often | field run)" 1.7 # numbers go on
}

@test "output that has a file of its own goes with its run" {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"big","every":"1h","command":"seq 5000","cwd":"/","keep_runs":1}
END
    serve
    ax start -q --wait big
    [ -s "$AX_SPOOL/output/1.1" ]
    ax start -q --wait big
    until_true 10 [ ! -e "$AX_SPOOL/output/1.1" ]
    [ -s "$AX_SPOOL/output/1.2" ]
}

@test "ax prune: what the rules say, or stricter ones; what is not over stays" {
    serve
    ax add -q --wait --name done1 now -- seq 5000
    ax add -q --wait --name bad now -- false || true
    ax add -q --name far 20h -- true
    ax add -q --name gone 20h -- true
    ax cancel -q gone
    ax add -q --name often every 1h -- echo x
    for i in 1 2 3; do ax start -q --wait often; done
    assert_equal "$(ax prune)" 'forgot 0 jobs and 0 rows of history, with 0 B of output'
    sleep 0.1
    assert_equal "$(ax prune --older-than 50ms --dry-run)" 'would forget 2 jobs and 4 rows of history, with 23.3 KiB of output'
    assert_equal "$(rows often)" 3
    run -0 ax prune --older-than 50ms --json
    assert_output '{"jobs":2,"rows":4,"output_bytes":23897,"dry_run":false}'
    gone done1 && gone gone
    assert_equal "$(ax ls --all --json | field name | tr '\n' ' ')" 'bad far often '
    assert_equal "$(ax history --json often | field run)" 5.3
    [ -z "$(ls "$AX_SPOOL/output")" ]
    # the name is free, the number is not given again
    ax add -q --name done1 20h -- true
    assert_equal "$(ax show --json done1 | field job)" 6
    ax prune --older-than 50ms --failed -q
    gone bad
    run -3 ax prune nosuch
}

@test "ax prune --keep, of one job" {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"a","every":"1h","command":"true","cwd":"/"}
{"name":"b","every":"1h","command":"true","cwd":"/"}
END
    serve
    for i in 1 2 3 4; do ax start -q --wait a b; done
    ax prune -q --keep 2 a
    assert_equal "$(rows a) $(rows b)" '2 4'
}

@test "a job that is done goes by itself when its time has come, unless it gave up" {
    [[ $AX_BUILD = */check || $AX_BUILD = */faults ]] || skip "wants a shifted clock"
    serve
    ax add -q --wait --keep-for 1m --name short now -- true
    ax add -q --wait --name long now -- true
    ax add -q --wait --keep-for 1m --name bad now -- false || true
    unserve
    AX_CLOCK_SHIFT=120s "$AX" run --until-idle 2>>log
    gone short
    [ "$(rows long)" -eq 1 ]
    [ "$(rows bad)" -eq 1 ]
}

@test "keep_for is at least a minute, or none" {
    run -2 ax add --keep-for 59s 20m true
    assert_output --partial 'must be at least 1m; `none` stands for no limit'
    ax add -q --keep-for none --name ever 20m true
    assert_equal "$(ax show --json ever | field keep_for)" none
    ax export ever | grep -q 'keep_for: none'
}

@test "paused: added so, said by a file, left alone by one that does not say it" {
    ax add -q --paused --name p every 5m -- true
    state_is p paused
    ax export p | grep -q 'paused: true'
    cat >ax.yaml <<'END'
version: 1
defaults: {cwd: /}
jobs:
  a: {command: 'true', every: 5m, paused: true}
  b: {command: 'true', every: 5m}
  c: {command: 'true', every: 5m, paused: false}
END
    ax apply -q
    state_is a paused
    state_is b waiting
    run -0 ax apply
    assert_output 'nothing changed: 3 unchanged'
    ax pause -q b c
    ax resume -q a
    run -1 ax diff
    assert_line --partial 'paused: - -> true'
    ax apply -q
    state_is a paused
    state_is b paused # no file says anything of it
    state_is c waiting
    run -0 ax diff
    ax set -q b paused=false
    state_is b waiting
    ax export a b c >again.yaml
    run -0 ax diff again.yaml
    sed -i 's/paused: true/paused: yes/' ax.yaml
    run -2 ax check
    assert_output --partial "'yes' is neither true nor false"
}
