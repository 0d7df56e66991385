load helper

SCHEMA=$BATS_TEST_DIRNAME/../../share/ax-jobs.schema.json

valid() { # FILE...
    "$BATS_TEST_DIRNAME/schema.py" "$SCHEMA" "$@"
}

# One file of standard input, lines of `jobs:` below a job `j`: ax and the schema are of one mind.
both_take() {
    cat >file.yaml
    run ax check -q --cwd / file.yaml
    assert_success
    run valid file.yaml
    assert_success
}
both_refuse() {
    cat >file.yaml
    run ax check -q --cwd / file.yaml
    assert_failure 2
    run valid file.yaml
    assert_failure 1
}
job() { # LINE...: a file with one job with a command and these fields
    printf 'version: 1\njobs:\n  j:\n    command: "true"\n'
    printf '    %s\n' "$@"
}

@test "the file that is installed is what ax prints" {
    ax schema >now.json
    run diff now.json "$SCHEMA"
    assert_success
}

@test "it takes no arguments" {
    run ax schema x
    assert_failure 2
}

@test "every field of ax add is in it, but for name and in" {
    ax help add | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE '[a-z][a-z-]*$' | tr - _ | sort >options
    sed -n '/"job": {/,$s/^        "\([a-z_]*\)": {$/\1/p' "$SCHEMA" | sort >properties
    [ "$(wc -l <properties)" -gt 40 ]
    run comm -13 options properties
    assert_output ''
    run comm -23 options properties
    assert_output "$(printf '%s\n' clean_env dry_run env_drop help in json keep name no_check now quiet replace spool wait)"
}

@test "what ax takes" {
    both_take <<'X'
version: 1
source: web
defaults: {env: {PATH: /usr/bin, N: 5, B: true, T: "no"}, timeout: 1h}
params: {HOST: example.org, PORT: 80}
queues: {disks: 2, net: {limit: 3}}
x-shared: &shared {retries: 3}
jobs:
  no: {command: [sleep, 5], every: 10m, <<: *shared}
  a:
    command: echo ${HOST}
    cron: [0 2 * * *, "@daily"]
    except: [2026-12-24, Sat]
    timezone: Europe/Berlin
    success_exit: [0, 3, 64-78]
    no_retry_exit: 1,2
    retry_delay: [1s, 1m30s]
    umask: 022
    output_max: 10M
    retry_jitter: 20%
    shell: [bash, -euo, pipefail, -c]
    rlimits: {nofile: 1024, as: 2G}
    notify: {failure: echo 1, gave_up: 2, recovery: x, late 10m: y, long PT1H: z}
    tags: one,two
  b: {command: "true", at: 2099-12-24T18:00}
  c: {command: "true", calendar: "Mon..Fri 09:00", not_after: 2099-01-01}
  d: {command: "true", boot: machine, cron: }
X
    both_take <<'X'
version: 1
defaults: {command: run-it}
jobs: {a: , b: {every: 1h}}
X
    both_take <<'X'
version: 1
jobs:
X
}

@test "what ax refuses, field by field" {
    local line
    for line in 'timout: 30s' 'in: 5m' 'name: other' 'timeout: 30' 'timeout: soon' 'retries: many' 'retries: "3"' 'retries: -1' 'retries: 1.5' 'weight: 10001' \
        'overlap: sometimes' 'catchup: true' 'boot: yes' 'success_exit: []' 'success_exit: 256' 'no_retry_exit: [x]' 'umask: 1000' 'umask: "0999"' 'env: [A=1]' \
        'env: {A: [1]}' 'env: A=1' 'tags: {a: b}' 'cron: {minute: 5}' 'cron: []' 'output_max: 5X' 'retry_jitter: 101' 'retry_delay: []' 'every: 5' 'nice: 20' \
        'shell: []' 'at: {day: 1}' 'priority: high' 'notify: {faliure: x}' 'notify: {late: x}' 'notify: {failure 5m: x}' 'notify: x'; do
        echo "# $line"
        job "$line" | both_refuse
    done
}

@test "what ax refuses, of two fields" {
    job 'every: 5m' 'cron: "@daily"' | both_refuse
    job 'at: 2099-01-01T00:00' 'boot: machine' | both_refuse
    job 'every: 5m' 'cron: ' | both_take
}

@test "what ax refuses, of a file" {
    both_refuse <<<'{version: 2, jobs: {j: {command: "true"}}}'
    both_refuse <<<'{jobs: {j: {command: "true"}}}'
    both_refuse <<<'{version: 1, jobs: [{name: j, command: "true"}]}'
    both_refuse <<<'{version: 1, job: {j: {command: "true"}}}'
    both_refuse <<<'{version: 1, jobs: {j: {every: 5m}}}'
    both_refuse <<<'{version: 1, jobs: {j: {command: []}}}'
    both_refuse <<<'{version: 1, jobs: {j: "true"}}'
    both_refuse <<<'{version: 1, jobs: {12: {command: "true"}}}'
    both_refuse <<<'{version: 1, jobs: {12.3: {command: "true"}}}'
    both_refuse <<<'{version: 1, jobs: {-x: {command: "true"}}}'
    both_refuse <<<'{version: 1, queues: {a: {limits: 2}}}'
    both_refuse <<<'{version: 1, queues: {a: few}}'
    both_refuse <<<'{version: 1, params: {A: [1]}, jobs: {j: {command: "true"}}}'
}

@test "real job files" {
    run valid "$BATS_TEST_DIRNAME"/../data/jobfiles/*.yaml
    assert_success
}

@test "what ax exports, the schema takes" {
    ax add --name a --retries 3 --retry-delay 1s,2s --env A=1 --success-exit 0,3 --tags a,b --umask 077 --timeout 1h 20m 'echo hi'
    ax add --name b --cron '0 2 * * *' --cron @daily --except 2026-12-24 --stdin $'a\nb' -- sh -c 'exit 3'
    ax add --name c --every 10m --every-from clock --rlimits nofile=10 --shell 'bash -euc' -c ls
    ax export --with-env >all.yaml
    run valid all.yaml
    assert_success
}
