load helper

@test "the bytes that were written, and a safe terminal" {
    serve
    printf 'a\0b\377\376\033]0;x\007end' >want
    ax add --wait -q now -- cat "$PWD/want"
    ax log 1 | cmp - want
    ax log --raw 1 | cmp - want
    run script -qec "'$AX' log 1" /dev/null
    refute_output --partial $'\e]'
    assert_output --partial 'end'
}

@test "latest run of a job, a run by its number, the latest of all" {
    serve
    ax add --wait --retries 1 --retry-delay 100ms now -- sh -c 'echo try $AX_ATTEMPT; exit 1' || true
    ax add --wait now -- echo other
    run ax log 1
    assert_output 'try 2'
    run ax log 1.1
    assert_output 'try 1'
    run ax logs
    assert_output other
}

@test "an output that is larger than the store keeps inline" {
    serve
    ax add --wait now -- seq 100000
    ax log 1 | cmp - <(seq 100000)
}

@test "of what is longer than the limit head and tail are kept" {
    serve
    ax add --wait --output-max 10K now -- seq 100000
    run --separate-stderr ax log 1
    assert_success
    assert_line --index 0 1
    assert_line --index -1 100000
    [[ $stderr == *'are not kept'* ]]
}

@test "-f follows to the end, through the retries" {
    serve
    ax add --retries 2 --retry-delay 200ms --retry-jitter 0 now -- sh -c 'echo a $AX_ATTEMPT; sleep 0.3; echo b $AX_ATTEMPT; exit 1'
    run --separate-stderr timeout 20 "$AX" log -f 1
    assert_success
    assert_output $'a 1\nb 1\na 2\nb 2\na 3\nb 3'
}

@test "-f waits for the first run" {
    serve
    ax add 1s -- echo late
    run --separate-stderr timeout 20 "$AX" log -f 1
    assert_output late
}

@test "-f prints as it comes" {
    serve
    ax add now -- sh -c 'echo begun; sleep 100'
    timeout 20 "$AX" log -f 1 >out &
    until_true 5 grep begun out
    ax cancel 1
    wait $!
}

@test "what is not there" {
    run ax log 1
    assert_failure 3
    ax add 20m true
    run ax log 1
    assert_failure 3
    assert_output --partial 'no run yet'
    run ax log 1.7
    assert_failure 3
}

@test "why a command could not be started" {
    serve
    ax add --no-check --wait now -- ./nosuch || true
    run ax log 1
    assert_success
    assert_output --partial 'unstartable'
    assert_output --partial 'No such file'
}

@test "a run that ended while nobody served: its output is there, and -f does not wait for a scheduler" {
    serve --on-stop leave
    ax add -q now -c 'echo one; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo two'
    until_true 20 test -e begun
    unserve
    touch go
    until_true 20 test -e "$AX_SPOOL/handover/1.1.left"
    run -0 ax log 1
    assert_output $'one\ntwo'
    run -0 timeout 10 "$AX" log -f 1
    assert_output --partial $'one\ntwo'
    run -0 timeout 20 "$AX" run --until-idle
    run -0 ax log 1
    assert_output $'one\ntwo'
}
