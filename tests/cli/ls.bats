load helper

@test "no spool, no jobs" {
    run ax ls
    assert_success
    assert_output ''
    run ax ls --json
    assert_success
    assert_output ''
    [ ! -e "$AX_SPOOL" ]
}

@test "waiting jobs are listed, cancelled ones only with --all" {
    ax add --name one 20m make x 2>/dev/null || ax add --no-check --name one 20m make x
    ax add 'every 10m' 'echo two'
    ax cancel one
    run ax ls
    assert_line --index 0 --regexp '^JOB +NAME +STATE +DUE +SCHEDULE +LAST +COMMAND$'
    assert_line --index 1 --regexp '^  2 +waiting +20.* in (10m|9m 59s) +every 10m +echo two$'
    refute_output --partial one
    run ax ls --all
    assert_line --regexp '^  1  one +cancelled .* make x$'
}

@test "--state chooses, and names the near state" {
    ax add 20m true
    ax add now true
    ax cancel 1
    [ "$(ax ls --state cancelled --json | field job)" = 1 ]
    [ "$(ax ls --state queued --json | field job)" = 2 ]
    [ "$(ax ls --state queued --state cancelled --json | wc -l)" -eq 2 ]
    [ "$(ax ls --state queued,cancelled --json | wc -l)" -eq 2 ]
    [ "$(ax ls --state queued,failed -s running --json | field job)" = 2 ]
    for states in canceled queued,canceled; do
        run -2 ax ls --state $states
        assert_output 'ax ls: --state: "canceled" is none of waiting, queued, retrying, running, done, failed, cancelled; did you mean cancelled?'
    done
    for states in , queued, ''; do
        run -2 ax ls --state "$states"
        assert_output --partial 'ax ls: --state: "" is none of waiting'
    done
}

@test "--json has the names that are kept" {
    ax add --name n --queue q --priority 5 2100-01-01T00:00Z -- echo 'a b'
    run ax ls --json
    for part in '"job":1' '"name":"n"' '"state":"waiting"' '"due":"2100-01-01T00:00:00Z"' '"due_ns":4102444800000000000' '"command":["echo","a b"]' \
        '"queue":"q"' '"priority":5' '"attempts":0'; do
        assert_output --partial "$part"
    done
}

@test "a job that was replaced while it runs shows both its due times" {
    serve
    ax add --name n now -- sleep 100
    until_true 5 state_is n running
    [ "$(ax ls --json | field next)" = null ]
    [ "$(ax ls --json | field replaced)" = false ]
    ax add --name n --replace 2h -- sleep 200
    run ax ls
    assert_line --regexp '^  1  n +running .* ago, then in (2h|1h 59m 59s) .* sleep 200$'
    run ax ls --json
    [ "$(field replaced <<<"$output")" = true ]
    (($(field next_ns <<<"$output") - $(field due_ns <<<"$output") >= 7200000000000))
    run ax show n
    assert_line --regexp '^then +20.*in (2h|1h 59m 59s)\)$'
    assert_line --regexp '^replaced +while it runs'
    ax cancel n
    [ "$(ax ls --all --json | field next)" = null ]
}

@test "the attempt that runs is counted; codes and signals are told apart" {
    serve
    ax add --name n --retries 1 --retry-delay 100ms now -c 'test $AX_ATTEMPT = 2 && exec sleep 100; exit 7'
    until_true 5 eval '[ "$(ax ls --json | field attempts)" = 2 ]'
    run ax ls --json
    [ "$(field state <<<"$output")" = running ]
    assert_output --partial '"last_exit_code":7,"last_signal":null'
    ax cancel n
    ax add --wait now -c 'kill -9 $$' || true
    ax add --wait --no-check now -- ./nosuch || true
    ax add --wait --success-exit 4 now -c 'exit 4' || true
    run ax ls --all --json
    [[ ${lines[0]} == *'"last_outcome":"cancelled","last_exit_code":null,"last_signal":null'* ]]
    [[ ${lines[1]} == *'"last_outcome":"killed","last_exit_code":null,"last_signal":9'* ]]
    [[ ${lines[2]} == *'"last_outcome":"unstartable","last_exit_code":null,"last_signal":null'* ]]
    [[ ${lines[3]} == *'"last_outcome":"ok","last_exit_code":4,"last_signal":null'* ]]
    refute_output --partial last_code
}

@test "failed jobs stay visible" {
    serve
    ax add --wait now -- false || true
    ax add --wait now -- true
    run ax ls --json
    [ "$(field job <<<"$output")" = 1 ]
    run ax ls --state failed
    assert_output --partial 'failed, exit 1'
}

@test "more jobs than one slice" {
    for ((i = 0; i < 2500; i++)); do echo '{"in":"1h","command":"true"}'; done | ax import ndjson -
    [ "$(ax ls --json | wc -l)" -eq 2500 ]
    [ "$(ax ls --json | field job | sort -nu | wc -l)" -eq 2500 ]
}

@test "control characters in names and commands do not reach the screen" {
    ax add 20m -- printf 'a\0b\377\376\033]0;x\007end'
    ax add 20m $'printf \e]0;x\a'
    run ax ls
    refute_output --partial $'\e'
    run script -qec "'$AX' ls" /dev/null
    refute_output --partial $'\e]'
    run ax ls --json
    refute_output --partial $'\e'
}

@test "colour only on a terminal, and not against the wish" {
    ax add now true
    run script -qec "'$AX' ls" /dev/null
    assert_output --partial $'\e['
    NO_COLOR=1 run script -qec "'$AX' ls" /dev/null
    refute_output --partial $'\e['
}

@test "aliases" {
    ax add 20m true
    [ "$(ax list)" = "$(ax ls)" ]
    [ "$(ax ps | wc -l)" -eq 2 ]
}

@test "a reader that ends early is no error" {
    ax add 20m true
    run bash -c "set -o pipefail; trap '' PIPE; '$AX' ls | true"
    assert_output ''
}

@test "readers killed in the middle leave no trace" {
    serve # holds the database open: who opens it alone starts with a new table of readers
    for ((i = 0; i < 3000; i++)); do echo '{"in":"1h","command":"true"}'; done | ax import ndjson -q - 2>/dev/null
    (while [ ! -e over ]; do "$AX" add -q --name moved --replace 2h true || echo failed >>over; done) >/dev/null 2>&1 &
    local writer=$! killed=0 code i
    for ((i = 0; i < 400; i++)); do
        "$AX" ls >/dev/null &
        sleep "$(printf 0.%03d $((RANDOM % 21)))"
        kill -9 $! 2>/dev/null || true
        code=0
        wait $! 2>/dev/null || code=$?
        if [ "$code" -eq 137 ]; then killed=$((killed + 1)); fi
    done
    [ ! -e over ] || fail "a writer was kept from writing"
    touch over
    wait $writer
    [ $killed -ge 50 ] || fail "only $killed of 400 were killed"
    timeout 2 "$AX" ls >/dev/null
    # A reader that is dead, but not cleared, would keep the pages of all that is written from now on.
    local before after
    before=$(stat -c %s "$AX_SPOOL/data.mdb")
    for ((i = 0; i < 500; i++)); do ax add -q --name moved --replace 2h true 2>/dev/null; done >/dev/null
    after=$(stat -c %s "$AX_SPOOL/data.mdb")
    ((after <= before + 1048576)) || fail "the file grew from $before to $after bytes"
    timeout 2 "$AX" ls >/dev/null
}
