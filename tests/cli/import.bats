load helper

@test "one job a line, all in one" {
    printf '%s\n' '{"in":"20m","command":"make x","name":"a"}' '' '{"every":"10m","command":["echo","b c"],"retries":3,"retry_delay":["1s","5s"],"env":{"A":"1"}}' >jobs.ndjson
    run --separate-stderr ax import ndjson jobs.ndjson
    assert_success
    assert_output 'added jobs 1 to 2'
    [[ $stderr == *'ax run --detach'* ]]
    [ "$(ax show a --json | field command)" = 'make x' ]
    run ax show 2 --json
    assert_output --partial '"retry_delay":["1s","5s"]'
    assert_output --partial '"kept_env":null'
}

@test "from standard input; a last line without its end; nothing in it" {
    printf '{"in":"20m","command":"a"}' | ax import ndjson -
    state_is 1 waiting
    run ax import ndjson /dev/null
    assert_success
    assert_output 'no jobs in it, nothing added'
    run --separate-stderr ax import ndjson --json - <<<'{"in":"20m","command":"a"}'
    assert_output '{"added":1,"first":2,"last":2}'
}

@test "a bad line is named, with field and reason, and nothing is added" {
    local bad
    for bad in '{"in":"20m","command":"x","retries":"many"}|line 2, column 37: retries: ' '{"in":"90","command":"x"}|line 2, column 7: in: 90 has no unit' \
        '{"in":"20m","command":"x","retrys":1}|line 2, column 36: retrys: there is no such field: did you mean' '{"in":"20m"}|line 2: command' '{"in":"20m","command":"x"|line 2, column' \
        '[1]|line 2: a job is an object' '{"in":"20m","command":"x","name":"12"}|line 2, column 34: name: ' '{"in":"20m","command":"x","name":"first"}|line 2' \
        '{"in":"20m","in":"10m","command":"x"}|line 2' '{"at":"2020-01-01T00:00Z","command":"x"}|line 2, column 7: at: '; do
        printf '%s\n' '{"in":"20m","command":"ok","name":"first"}' "${bad%%|*}" >jobs.ndjson
        run ax import ndjson jobs.ndjson
        [ "$status" -eq 2 ] || [ "$status" -eq 4 ] || fail "${bad}: $status"
        assert_output --partial "ax import: jobs.ndjson: ${bad##*|}"
        run ax ls --json
        assert_output ''
    done
}

@test "two lines with one name: both lines are told" {
    printf '%s\n' '{"in":"1h","command":"a","name":"x"}' '' '{"in":"1h","command":"a","name":"y"}' '{"in":"1h","command":"a","name":"y"}' >jobs.ndjson
    run -2 ax import ndjson jobs.ndjson
    assert_output "ax import: jobs.ndjson: line 4: name: line 3 has the name 'y' too"
    ax add -q --name y 20m true
    run -4 ax import ndjson jobs.ndjson
    assert_output --partial 'line 3: name: '
    assert_output --partial 'job 1'
    [ "$(ax ls --json | wc -l)" -eq 1 ]
}

@test "numbers are numbers; in a list of words they are words" {
    run -2 ax import ndjson - <<<'{"in":"1h","command":"a","retries":"3"}'
    assert_output 'ax import: standard input: line 1, column 36: retries: wants a whole number, not a text'
    run -2 ax import ndjson - <<<'{"in":"1h","command":["a",true]}'
    assert_output 'ax import: standard input: line 1, column 22: command: wants a text, not true or false'
    ax import ndjson - <<<'{"in":"1h","command":["sleep",5]}'
    [[ $(ax ls --json) == *'"command":["sleep","5"]'* ]]
}

@test "what cannot be read" {
    run ax import ndjson nosuch
    assert_failure 2
    assert_output --partial 'nosuch: No such file'
    run ax import ndjsn x
    assert_failure 2
    assert_output --partial 'did you mean ndjson?'
    run ax import ndjson
    assert_failure 2
    run ax import ndjson "$PWD"
    assert_failure 2
}

@test "export writes what import reads" {
    ax add --name n --retries 3 --retry-delay 1s,2s --timeout 1h --env A='x y' --success-exit 0,3 --tags a,b --queue q --weight 2 --priority -4 --nice 5 \
        --rlimits nofile=64:128 --umask 077 --cwd / --stdin $'in\n' --output-max 2M --if-lost fail --shell /bin/bash 2100-01-01T00:00:00.5Z -c 'echo "$A"'
    ax add 'every 10m' -- printf '<%s>\n' 'a b' ''
    ax add --no-check 20m cancelled
    ax cancel 3
    ax export --ndjson >one
    [ "$(wc -l <one)" -eq 2 ]
    AX_SPOOL=$PWD/other ax import ndjson one
    AX_SPOOL=$PWD/other ax export --ndjson >two
    diff one two
    [ "$(ax export --ndjson --all | wc -l)" -eq 3 ]
}

@test "kept environments are left out, unless they are asked for" {
    SECRET=hidden ax add 20m true
    run ax export --ndjson
    refute_output --partial hidden
    run ax export --ndjson --with-env
    assert_output --partial '"SECRET":"hidden"'
    ax export --ndjson --with-env | AX_SPOOL=$PWD/other ax import ndjson -
    run env AX_SPOOL="$PWD/other" "$AX" show 1
    assert_output --partial SECRET
}

@test "a job that is late is exported as due at once" {
    ax add now true
    ax export --ndjson | AX_SPOOL=$PWD/other ax import ndjson -
    AX_SPOOL=$PWD/other state_is 1 queued
}

@test "bytes that JSON cannot say: each such job is named" {
    ax add -q 1h true
    ax add -q 1h -- echo $'\xff'
    run --separate-stderr -1 ax export --ndjson
    [ ${#lines[@]} -eq 2 ]
    [[ ${lines[1]} == *'"command":["echo","�"]'* ]]
    assert_equal "$stderr" 'ax export: JSON cannot say bytes that are no UTF-8: they were written as U+FFFD in job 2; `ax show --shell` has them as they are'
    for ((i = 0; i < 12; i++)); do ax add -q 1h -- echo $'\xff'; done
    run --separate-stderr -1 ax export --ndjson
    [ ${#lines[@]} -eq 14 ]
    [[ $stderr == *'in jobs 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more; '* ]]
}

@test "export: one source, or jobs by name, not both" {
    run ax export --ndjson 1
    assert_failure 2
    assert_output --partial '--ndjson goes with all jobs'
    run ax export --ndjson --source nosuch
    assert_success
    assert_output ''
}

@test "an error has its line and column, and the place in an expression" {
    local line
    line='{"name": "cron", "except": [{"cron": 1}], "cron" : "0 61 * * *", "command":"true"}'
    run -2 ax import ndjson - <<<'{"name": "a \"cron\":", "tags": ["cron"], "cron" : "0 61 * * *", "command":"true"}'
    assert_output "ax import: standard input: line 1, column 52: cron: hour: 61 is above 23
    0 61 * * *
      ^~"
    run -2 ax import ndjson - <<<"$line"
    assert_output --partial 'line 1, column 28: except: '
}

@test "a job file is not for import" {
    echo 'version: 1' >jobs.yaml
    run -2 ax import jobs.yaml
    assert_output --partial 'jobs.yaml is a job file: `ax apply` takes it'
}
