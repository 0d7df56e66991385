load helper

@test "nothing yet" {
    run ax history
    assert_success
    assert_output ''
}

@test "newest first, of one job or of all" {
    serve
    ax add --wait --name a now -- true
    ax add --wait now -- sh -c 'exit 3' || true
    run ax history --json
    [ "$(field run <<<"${lines[0]}")" = 2.1 ]
    [ "$(field run <<<"${lines[1]}")" = 1.1 ]
    run ax history a --json
    [ "${#lines[@]}" -eq 1 ]
    run ax history --limit 1 --json
    [ "$(field run <<<"$output")" = 2.1 ]
    run ax history
    assert_line --regexp '^2\.1 .* failed, exit 3'
    ax add --wait --success-exit 3 now -- true || true
    run ax history
    assert_line --regexp '^3\.1 .* failed, exit 0'
}

@test "the names that are kept" {
    serve
    ax add --wait --name n now -- sh -c 'echo out; kill -TERM $$' || true
    run ax history --json
    for part in '"run":"1.1"' '"job":1' '"name":"n"' '"attempt":1' '"outcome":"killed"' '"exit_code":null' '"signal":15' '"signal_name":"SIGTERM"' '"output_bytes":4'; do
        assert_output --partial "$part"
    done
    for time in due started ended; do
        assert_output --regexp "\"$time\":\"20[^\"]*Z\",\"${time}_ns\":[0-9]{19}[,}]"
    done
    for number in cpu_user_ns cpu_system_ns max_rss; do assert_output --regexp "\"$number\":[0-9]+[,}]"; done
}

@test "due times without a run have a row with the reason" {
    ax add 20m true
    ax cancel 1
    run ax history --json
    assert_output --partial '"run":null'
    assert_output --partial '"started":null'
    assert_output --partial '"reason":"cancelled before it started"'
}

@test "retries count their attempts" {
    serve
    ax add --wait --retries 2 --retry-delay 100ms now -- false || true
    run ax history --json
    [ "$(field attempt <<<"$output" | tr '\n' ' ')" = '3 2 1 ' ]
    state_is 1 failed
}

@test "--outcome chooses, lists too" {
    serve
    ax add --wait now -- true
    ax add --wait now -- false || true
    ax add 1h true
    ax cancel 3
    ax add --wait --no-check now -- ./nosuch || true
    [ "$(ax history --outcome ok --json | field job | tr '\n' ' ')" = '1 ' ]
    [ "$(ax history --outcome cancelled,failed,ok --json | field job | tr '\n' ' ')" = '3 2 1 ' ]
    [ "$(ax history -o failed -o unstartable --json -n 1 | field job | tr '\n' ' ')" = '4 ' ]
    run -0 ax history --outcome lost
    assert_output ''
    run -2 ax history --outcome ok,faild
    assert_output --partial 'did you mean failed?'
}

@test "an unknown job" {
    run ax history 7
    assert_failure 3
    ax add 20m true
    run ax history 7
    assert_failure 3
}
