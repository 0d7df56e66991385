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

@test "--head and --tail: lines, of short outputs and long ones" {
    serve
    ax add --wait -q now -- seq 5
    ax add --wait -q now -c 'seq 300000'
    ax add --wait -q now -- printf 'a\nb\nlast without a newline'
    ax add --wait -q now -- true
    [ "$(ax log 1 --head 2 | tr '\n' ' ')" = '1 2 ' ]
    [ "$(ax log 1 --tail 2 | tr '\n' ' ')" = '4 5 ' ]
    [ "$(ax log 1 -n 99 | tr '\n' ' ')" = '1 2 3 4 5 ' ]
    [ "$(ax log 1 --head 99 | wc -l)" -eq 5 ]
    [ -z "$(ax log 1 --tail 0)" ]
    ax log 2 --head 100000 | cmp - <(seq 300000 | head -100000)
    ax log 2 --tail 100000 | cmp - <(seq 300000 | tail -100000)
    [ "$(ax log 2 --tail 1)" = 300000 ]
    [ "$(ax log 3 --tail 1)" = 'last without a newline' ]
    [ "$(ax log 3 --tail 2)" = $'b\nlast without a newline' ]
    [ "$(ax log 3 --head 2)" = $'a\nb' ]
    [ "$(ax log 3 --head 3)" = $'a\nb\nlast without a newline' ]
    [ -z "$(ax log 4 --tail 3)" ]
    run -2 ax log 1 --head 2 --tail 2
    assert_output --partial 'exclude each other'
    run -2 ax log 1 --head 0
    run -2 ax log 1 --tail -1
}

@test "--tail of a long output needs no more memory than its lines" {
    [ -z "${AX_SANITIZED:-}" ] || skip "sanitizers need memory of their own"
    serve
    ax add --wait -q --output-max 50M now -c 'seq 3000000'
    run bash -c 'ulimit -d 6144; exec "$0" log 1 --tail 3' "$AX"
    assert_output $'2999998\n2999999\n3000000'
}

@test "--head and --tail where the middle is not kept" {
    serve
    ax add --wait -q --output-max 10K now -- seq 100000
    run --separate-stderr ax log 1 --tail 3
    assert_output $'99998\n99999\n100000'
    [ -z "$stderr" ]
    run --separate-stderr ax log 1 --head 3
    assert_output $'1\n2\n3'
    [ -z "$stderr" ]
    run --separate-stderr ax log 1 --tail 1000000
    assert_line --index 0 1
    [[ $stderr == *'are not kept'* ]]
    run script -qec "'$AX' log 1 --tail 1000000" /dev/null
    assert_output --partial 'bytes are not kept ...]'
}

@test "-f --tail: the last lines, then what comes" {
    serve
    ax add -q --retries 1 --retry-delay 100ms --retry-jitter 0 now -c 'seq 5; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo end $AX_ATTEMPT; exit 1'
    until_true 10 test -e begun
    timeout 20 "$AX" log -f --tail 2 1 >out 2>/dev/null &
    until_true 5 grep -q 5 out
    touch go
    wait $!
    [ "$(tr '\n' ' ' <out)" = '4 5 end 1 1 2 3 4 5 end 2 ' ]
}

@test "-f --head ends when it has its lines" {
    serve
    ax add -q now -c 'seq 5; exec sleep 100'
    run -0 timeout 20 "$AX" log -f --head 3 1
    assert_output $'1\n2\n3'
    ax cancel 1
}

@test "-f of a job whose runs overlap: each with its own retries, also of the same due time" {
    serve
    ax add -q --name o --boot none --overlap allow --retries 2 --retry-delay 300ms --retry-jitter 0 --retry-backoff fixed -c 'echo $AX_RUN $AX_ATTEMPT; sleep 0.2; exit 1'
    ax start -q --due 2020-01-01T00:00Z o
    until_true 5 eval 'ax log 1.1 | grep -q .'
    ax start -q --due 2020-01-01T00:00Z o
    until_true 5 eval 'ax log 1.2 | grep -q .'
    run --separate-stderr timeout 20 "$AX" log -f 1.1
    local first=$output
    [ "$(wc -l <<<"$first")" -eq 3 ]
    run --separate-stderr timeout 20 "$AX" log -f 1.2
    [ "$(wc -l <<<"$output")" -eq 3 ]
    [ "$(sort -u <<<"$first"$'\n'"$output" | wc -l)" -eq 6 ] # none is of both
    [ "$(cut -d' ' -f2 <<<"$output" | tr '\n' ' ')" = '1 2 3 ' ]
}

@test "the latest run of a job, when a row without a run has come since" {
    serve
    ax add -q --name n --every 1h -c 'echo run'
    ax start -q n
    until_true 5 eval '[ "$(ax history n --json | wc -l)" -eq 1 ]'
    ax cancel n
    run -0 ax log n
    assert_output run
    run -0 timeout 10 "$AX" log -f n
    assert_output --partial run
}
