load helper

@test "every field that is not at its default" {
    ax add --name n --retries 3 --retry-delay 1s,2s --timeout 1h --env A=1 --success-exit 0,3 --tags a,b --stdin text 20m 'echo hi'
    run ax show n
    assert_success
    assert_line --regexp '^job +1$'
    assert_line --regexp '^shell line +echo hi$'
    assert_line --regexp '^state +waiting$'
    assert_line --regexp '^due +20.* \+00:00 \(.*in .*\)$'
    assert_line --regexp '^retries +3$'
    assert_line --regexp '^timeout +1h$'
    assert_line --regexp '^retry_delay +\["1s","2s"\]$'
    refute_line --regexp '^kill_after'
}

@test "kept environment: names, and values only when asked for" {
    SECRET=hidden ax add 20m true
    run ax show 1
    assert_line --regexp '^kept environment .* SECRET( |$)'
    refute_output --partial hidden
    run ax show 1 --json
    assert_output --partial '"SECRET":null'
    refute_output --partial hidden
    run ax show 1 --values
    assert_output --partial 'SECRET=hidden'
}

@test "--yaml: the job file that it would stand in" {
    SECRET=hidden ax add -q --name backup --timeout 1h --cron '0 2 * * *' -- tar czf /b.tgz /srv
    run -0 ax show --yaml backup
    assert_output "$(ax export backup)"
    refute_output --partial hidden
    ax show --yaml --values backup | grep -q 'SECRET: hidden'
    ax show --yaml backup >job.yaml
    ax cancel -q backup
    ax apply -q job.yaml
    assert_equal "$(ax show --json backup | field timeout)" 1h
    run -2 ax show --yaml --json backup
}

@test "--shell: eval of it adds the same job" {
    ax add --name n --retries 3 --retry-delay 1s,2s --timeout 1h --kill-after 2s --env A='x y' --env B="it's" --success-exit 0,3 --tags a,b --queue q \
        --weight 2 --priority -4 --nice 5 --rlimits nofile=64:128 --umask 077 --cwd / --description 'two
lines' --stdin $'in\n' --output-max 2M --if-lost fail --retry-jitter 0 --shell /bin/bash 2100-01-01T00:00:00.123456789Z -c 'echo "$A"'
    ax show n --json --values | sed -E 's/"job":[0-9]+|"added[^,]*,|"added_ns[^,]*,//g' >first
    local line
    line=$(ax show n --shell)
    ax cancel n
    PATH=$(dirname "$AX"):$PATH sh -c "$line"
    ax show n --json --values | sed -E 's/"job":[0-9]+|"added[^,]*,|"added_ns[^,]*,//g' >second
    run diff <(tr ',' '\n' <first | grep -v '"PATH"\|"PWD"\|SHLVL\|BASH_FUNC') <(tr ',' '\n' <second | grep -v '"PATH"\|"PWD"\|SHLVL\|BASH_FUNC')
    assert_success
}

@test "--shell of a job whose shell has words of its own" {
    ax add -q --name one --shell ' bash  -euo pipefail -c ' 1h -c 'echo $0'
    ax import ndjson - <<<'{"in":"1h","command":"echo $0","shell":["bash","-euo","pipefail","-c"],"name":"two"}'
    for name in one two; do
        ax show $name --json | grep -qF '"shell":["bash","-euo","pipefail","-c"]'
        run --separate-stderr ax show $name --shell
        assert_output --partial " --shell 'bash -euo pipefail -c' "
        ax cancel $name
        eval "$output"
        ax show $name --json | grep -qF '"shell":["bash","-euo","pipefail","-c"]'
    done
    ax import ndjson - <<<'{"in":"1h","command":"echo $0","shell":["bash","a b","-c"],"name":"blank"}'
    ax import ndjson - <<<'{"in":"1h","command":"script","shell":["bash"],"name":"single"}'
    run ax show blank --shell
    assert_output --partial "-- bash 'a b' -c 'echo \$0'"
    run ax show single --shell
    assert_output --partial "-- bash script"
    run -2 ax add --shell ' ' 1h -c true
    assert_output 'ax add: --shell: is empty: it names the shell'
}

@test "--shell is for every shell: bytes and control characters in single quotes" {
    serve
    ax add --wait now -- printf '%s' $'a\377\001\007\033[1m\177\tb'
    PATH=$(dirname "$AX"):$PATH sh -c "$(ax show 1 --shell | sed 's/^ax add/& --wait/')"
    [ "$(ax log 1 | od -An -tx1)" = ' 61 ff 01 07 1b 5b 31 6d 7f 09 62' ]
    cmp <(ax log 1) <(ax log 2)
    run script -qec "'$AX' show 1 --shell" /dev/null
    refute_output --partial $'\e'
    assert_output --partial '\377'
}

@test "--shell says that bytes of stdin are left out" {
    ax import ndjson -q - <<<'{"in":"1h","command":"cat","stdin":"a\u0000b"}' 2>/dev/null
    run --separate-stderr ax show 1 --shell
    assert_output --partial ' --stdin a '
    [[ $stderr == 'ax show: stdin holds a NUL byte, '* ]]
}

@test "--shell says that a kept environment is left out" {
    MINE=1 ax add -q 1h true
    run --separate-stderr ax show 1 --shell
    refute_output --partial MINE
    assert_equal "$stderr" 'ax show: the environment that the job has kept is not in the line; `ax show --shell --values 1` puts it in'
    run --separate-stderr ax show 1 --shell --values
    assert_output --partial " 'MINE=1' "
    assert_equal "$stderr" ''
    ax add -q --clean-env 1h true
    run --separate-stderr ax show 2 --shell
    assert_equal "$stderr" ''
}

@test "--shell of a repeating job, and of one with a clean environment" {
    ax add --clean-env 'every 10m' -- true
    run ax show 1 --shell
    assert_output --regexp '^ax add --no-check --clean-env --every 10m .*-- true$'
}

@test "what is not there" {
    run ax show 1
    assert_failure 3
    [ ! -e "$AX_SPOOL" ]
    ax add --name backup 20m true
    run ax show bakcup
    assert_failure 3
    assert_output --partial backup
    run ax show
    assert_failure 2
}

@test "a running job says so" {
    serve
    ax add now -- sleep 100
    until_true 5 state_is 1 running
    run ax show 1
    assert_line --regexp '^running +1\.1, attempt 1$'
    ax cancel 1
}

@test "the latest five rows of its history" {
    serve
    ax add -q --name n --boot none -c 'test $AX_RUN != 1.4'
    for ((i = 1; i <= 6; i++)); do
        ax start -q n
        until_true 5 eval '[ "$(ax history n --json | wc -l)" -eq '$i' ]'
    done
    run ax show n
    assert_line --regexp '^latest runs +1\.6, ok, 20.* \(.*\), took 0\.[0-9]{3}s$'
    assert_line --regexp '^ +1\.4, failed, exit 1, 20.*$'
    assert_line --regexp '^ +1\.2, ok, '
    refute_output --partial '1.1, ok'
    run ax show n --json
    assert_output --partial '"latest_runs":[{"run":"1.6","job":1,"name":"n",'
    [ "$(grep -o '"run":"1\.[0-9]"' <<<"$output" | wc -l)" -eq 5 ]
    ax add -q --name c 1h -- true
    ax cancel c
    run ax show c
    assert_line --regexp '^latest runs +cancelled, due 20.* \(in .*\): cancelled before it started$'
    ax add -q --name none 1h -- true
    ax show none --json | grep -qF '"latest_runs":[]'
}

@test "where it comes from: by hand, or from a job file; by whom it was added" {
    ax add -q --name hand 1h -- true
    printf 'version: 1\nsource: web\njobs:\n  one:\n    every: 1h\n    cwd: /\n    command: "true"\n' >jobs.yaml
    ax apply jobs.yaml
    run ax show hand
    refute_line --regexp '^(source|file) '
    assert_line --regexp "^added +20"
    assert_line --regexp "^by +$(id -un) \(uid $(id -u)\)$"
    run ax show one
    assert_line --regexp '^source +web$'
    assert_line --regexp "^file +$PWD/jobs.yaml$"
    run ax show one --json
    assert_output --partial '"source":"web"'
    [ "$(grep -o '"source"' <<<"$output" | wc -l)" -eq 1 ]
    assert_output --partial "\"creator\":$(id -u)"
}

@test "who added a job stays when another changes it" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    command -v setpriv >/dev/null || skip "needs setpriv"
    ax add -q --name n 1h -- true
    ax show n --json | grep -qF '"creator":0'
    local other
    other=$(mktemp -d)
    chmod 777 "$other"
    cp "$AX" "$other/ax" # where the sources are, others may not look
    (cd / && setpriv --reuid 12345 --clear-groups env AX_SPOOL="$other/spool" "$other/ax" add -q --name n 1h -- true)
    chown -R 0 "$other/spool"
    AX_SPOOL=$other/spool ax add -q --name n --replace 2h -- true
    run env AX_SPOOL="$other/spool" "$AX" show n
    rm -rf "$other"
    assert_line --regexp '^by +uid 12345$'
}

@test "what people did with a job" {
    ax add -q --name t every 1h true
    ax pause t
    ax resume t
    ax start -q t
    ax skip -q t
    ax set t timeout=5m
    ax cancel t
    run -0 ax show t
    assert_line --regexp "^what was done +20.*, .*: paused$"
    assert_line --regexp "^ +20.*: resumed$"
    assert_line --regexp "^ +20.*: cancelled$"
    run -0 ax show --json t
    assert_output --partial '"what":"started by hand"'
    assert_output --partial '"what":"next occurrence skipped"'
    assert_output --partial '"what":"set timeout=5m"'
}

@test "--raw: the command byte for byte" {
    line=$(printf 'printf "%%s\\n" a\tb; : ü \\x')
    ax add -q --name line in 1h -c "$line"
    ax add -q --name words in 1h -- echo 'a b' '' $'c\nd'
    ax show --raw line >got
    cmp got <(printf %s "$line")
    ax show --raw words >got
    cmp got <(printf '%s\0' echo 'a b' '' $'c\nd')
    run script -qec "$AX show --raw words" /dev/null
    assert_line --index 1 --partial 'a b'
    run -2 ax show --raw --json line
    assert_output --partial 'exclude each other'
}

@test "what people did with a job, by whom, without values that may be secrets" {
    what() { ax show --json "$1" | grep -o '"what":"[^"]*"' | sed 's/"what":"//; s/"$//'; }
    printf 'version: 1\njobs:\n  one: {every: 1h, command: "true", cwd: /}\n  two: {every: 1h, command: "true", cwd: /}\n' >x.yaml
    ax apply -q --source mine x.yaml
    printf 'version: 1\njobs:\n  one: {every: 1h, command: "true", cwd: /, timeout: 5m, env: {TOKEN: hidden}}\n' >x.yaml
    ax apply -q --source mine --prune x.yaml
    assert_equal "$(what one)" "added by source mine
changed by source mine: timeout, env"
    assert_equal "$(what two)" "added by source mine
not in source mine any more, removed"
    printf '#!/bin/sh\nsed -i "s/timeout: .*/timeout: 6m/" "$1"\n' >editor
    chmod +x editor
    EDITOR=./editor VISUAL= ax edit one
    assert_equal "$(what one | tail -n 1)" "edited: timeout"
    ax add -q --name three 1h -- true
    ax add -q --name three --replace 2h -- true
    ax pause three
    ax set -q three env=TOKEN=hidden
    assert_equal "$(what three)" "replaced by ax add --replace
paused
set env=TOKEN"
    run -0 ax show --json three
    assert_equal "$(grep -o '"user":"[^"]*"' <<<"$output" | sort -u)" "\"user\":\"$(id -un)\""
    run -0 ax show three
    assert_line --regexp "^what was done +[-0-9: +]+, $(id -un): replaced by ax add --replace"
    for i in $(seq 60); do ax set -q three priority=$((i % 2)); done
    assert_equal "$(what three | wc -l)" 50 # the last ones are kept
}
