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

@test "processor time and memory" {
    serve
    ax add --wait -q now -- true
    run ax history
    assert_line --index 0 --regexp '^RUN  NAME  TRY  DUE +LATE +TOOK  OUTCOME +CPU +MEMORY  OUTPUT  REASON$'
    assert_line --index 1 --regexp '^1\.1 +1 .* ok +0\.[0-9]{3}s  [0-9.]+ [KM]iB$'
}

@test "--since and --until: what ended from then on, and before then" {
    serve
    ax add --wait -q now -- true
    local middle
    middle=$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)
    ax add --wait -q now -c 'exit 1' || true
    ax add --wait -q --name last now -- true
    local arguments want
    while read -r want arguments; do
        run -0 ax history --json $arguments
        [ "$(field job <<<"$output" | tr -d '\n')" = "${want#-}" ] || fail "$arguments: $output"
    done <<-END
	321 --since 1h
	321 --since yesterday
	- --since tomorrow
	32 --since $middle
	1 --until $middle
	- --since 2099-01-01 --until 2100-01-01T00:00Z
	- --until 1h
	321 --until $(date -u +%F)
	321 --until today
	- --until yesterday
	3 --since $middle --outcome ok
	3 --since 1h last
	- --until 1h last
	3 --since $middle --limit 1
	END
    run -2 ax history --since 25:00
    assert_output --partial 'ax history: --since: '
    run -2 ax history --since 2h --until 3h
    assert_output --partial 'does not lie behind --since'
}

@test "more rows than one slice: each once, the titles once" {
    for ((i = 0; i < 2500; i++)); do echo '{"in":"1h","command":"true"}'; done | ax import ndjson -q - 2>/dev/null
    ax cancel $(seq 2500) >/dev/null
    [ "$(ax history | grep -c '^ *RUN')" -eq 1 ]
    [ "$(ax history | wc -l)" -eq 2501 ]
    [ "$(ax history --since 1h --json | field job | sort -nu | wc -l)" -eq 2500 ]
    [ "$(ax history --limit 1500 --json | wc -l)" -eq 1500 ]
    [ "$(ax history --stats --json | field job | sort -nu | wc -l)" -eq 2500 ]
    [ "$(ax history --stats | grep -c '^ *JOB')" -eq 1 ]
    [ "$(ax history --stats --limit 3 | wc -l)" -eq 4 ]
}

@test "a long history, in little memory" {
    [ -z "${AX_SANITIZED:-}" ] || skip "sanitizers need memory of their own"
    seq 1 50000 | sed 's/.*/{"in":"&h","command":"true"}/' | ax import ndjson -q - 2>/dev/null
    ax cancel $(seq 50000) >/dev/null
    small() { bash -c 'ulimit -d 3072; exec "$0" "$@"' "$AX" "$@"; }
    [ "$(small history | wc -l)" -eq 50001 ]
    [ "$(small history --since 1h --json | wc -l)" -eq 50000 ]
    [ "$(small history --stats --json | wc -l)" -eq 50000 ]
    [ "$(small history 50000 --since 1h --json | wc -l)" -eq 1 ]
}

@test "columns fit the terminal" {
    serve
    ax add --wait -q --no-check --name a-job-with-a-name now -- ./nosuch || true
    local width
    for width in 50 80 140; do
        [ "$(script -qec "stty cols $width; NO_COLOR=1 '$AX' history" /dev/null | tr -d '\r' | wc -L)" -le $width ]
        [ "$(script -qec "stty cols $width; NO_COLOR=1 '$AX' history --stats" /dev/null | tr -d '\r' | wc -L)" -le $width ]
    done
    run script -qec "stty cols 50; NO_COLOR=1 '$AX' history --wide" /dev/null
    assert_line --regexp 'a-job-with-a-name .* unstartable .*No such file'
}

@test "--stats: a line for each job" {
    serve
    ax add --wait -q --retries 1 --retry-delay 10ms --name twice now -c 'test $AX_ATTEMPT = 2' || true
    ax add --wait -q --name slow now -- sleep 0.3
    ax add -q --name never 1h -- true
    ax cancel never
    run ax history --stats
    assert_line --index 0 --regexp '^JOB  NAME +RUNS +OK +NOT RUN +P50 +P95 +P99 +MAX +TREND +LATEST$'
    assert_line --index 1 --regexp '^  1  twice +2 +50\.0% +0 .* [^ ]{2}$'
    assert_line --index 2 --regexp '^  2  slow +1 +100% +0( +0\.[3-9][0-9]{2}s){4} +▃$'
    assert_line --index 3 --regexp '^  3  never +0 +- +0$'
    LC_ALL=C run ax history --stats slow
    assert_line --index 1 --regexp ' ,$'
    run ax history --stats twice --json
    for part in '"job":1,"name":"twice","runs":2,"ok":1,"failed":1,' '"missed":0,"success_rate":0.5,' '"trend":null'; do assert_output --partial "$part"; done
    [ "$(ax history --stats --outcome failed --json | field job)" = 1 ]
    [ "$(ax history --stats --since tomorrow --json | wc -l)" -eq 0 ]
}

@test "--stats: the latest 30 against those before" {
    serve
    ax add -q --name t --boot none -c '[ -e slow ] && exec sleep 0.2 || exec sleep 0.05'
    for ((i = 0; i < 12; i++)); do ax start -q t; done
    until_true 30 eval '[ "$(ax history t --json | wc -l)" -eq 12 ]'
    touch slow
    for ((i = 0; i < 30; i++)); do ax start -q t; done
    until_true 30 eval '[ "$(ax history t --json | wc -l)" -eq 42 ]'
    run ax history --stats t
    assert_line --index 1 --regexp ' \+[1-4][0-9]{2}%  [^ ]{30}$'
}

@test "--since with a time of day is the last time the clock said so" {
    serve
    ax add -q --name j --wait now true
    run -0 ax history --since "$(date -u -d '2 minutes' +%H:%M)"
    assert_output --partial ' j '
    run -0 ax history --until "$(date -u -d '2 minutes' +%H:%M)"
    refute_output --partial ' j '
}
