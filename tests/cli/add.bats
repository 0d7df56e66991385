load helper

# ---- WHEN ----

@test "a delay is echoed as an absolute time with offset, its distance and its kind" {
    run --separate-stderr ax add 20m true
    assert_success
    assert_output --regexp '^job 1: [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} \+00:00 \(.*in (20m|19m 59s)\), once$'
}

@test "the echoed time is that of date" {
    for delay in 15m 1h30m 2d 0s; do
        local seconds
        case $delay in 15m) seconds=900 ;; 1h30m) seconds=5400 ;; 2d) seconds=172800 ;; 0s) seconds=0 ;; esac
        local at now
        now=$(date +%s)
        at=$(ax add --dry-run "$delay" true | grep -oE '[0-9]{4}-[0-9-]+ [0-9:]+ \+00:00')
        at=$(date -d "$at" +%s)
        ((at >= now + seconds && at <= now + seconds + 5)) || fail "$delay: $at is not $now + $seconds"
    done
}

@test "pairs and flags say the same as one word" {
    for words in "in 20m" "--in 20m" "20m"; do
        run ax add --dry-run $words true
        assert_success
        assert_output --regexp ', once: shell line: true$'
    done
    for words in "every 10m" "--every 10m"; do
        run ax add --dry-run $words true
        assert_success
        assert_output --regexp ', then every 10m: shell line: true$'
    done
    run ax add --dry-run 'every 10m' true
    assert_output --partial ', then every 10m'
    run ax add --dry-run at 23:59 true
    assert_output --partial ' 23:59:00 +00:00'
    run ax add --dry-run --at 2100-02-03T04:05+01:00 true
    assert_output --partial '2100-02-03 03:05:00 +00:00'
}

@test "WHEN takes the words of at, in one word" {
    local day
    day=$(date -d 'next friday' +%F)
    run -0 ax add --dry-run 'fri 9am' true
    assert_output --partial "$day 09:00:00 +00:00"
    run -0 ax add --dry-run at '9am fri + 1 week' true
    assert_output --partial "$(date -d "$day + 7 days" +%F) 09:00:00 +00:00"
    run -0 ax add --dry-run --at '10am Jul 31 2100' true
    assert_output --partial '2100-07-31 10:00:00 +00:00'
    run -0 ax add --dry-run @4102444800 true
    assert_output --partial '2100-01-01 00:00:00 +00:00'
    run -0 ax add --dry-run PT15M true
    assert_output --partial 'in 15m'
    run -2 ax add --at 'tomorrow noon' true
    assert_output --partial '`noon tomorrow`'
    assert_line '             ^~~~'
    run -2 ax add 4pm + 2 days true
    assert_output --partial "ax add '4pm + 2 days' true"
}

@test "bad times are refused with the place" {
    local when
    for when in 90 1h30 -5m 99999999999999h '' '5 minutes' 1.5h 15M 1h-10m 2020-01-01T00:00 25:00 frx; do
        run ax add "$when" true
        assert_failure 2
        assert_output --partial 'ax add: '
        [ -z "$when" ] || assert_output --partial '^'
    done
    run ax ls --all --json
    assert_output ''
}

@test "bad durations of options are named" {
    run ax add --timeout 90 20m true
    assert_failure 2
    assert_line 'ax add: --timeout: 90 has no unit: write 90s, 90m or 90h'
    assert_line '    90'
    assert_line '    ^~'
}

@test "numbers of options are read in their range" {
    run -2 ax add --weight 99999999999999999999 20m true
    assert_output 'ax add: --weight: must be from 0 to 10000'
    run -2 ax add --priority -99999999999999999999 20m true
    assert_output 'ax add: --priority: must be from -1000 to 1000'
    run -2 ax add --retries 3x 20m true
    assert_output "ax add: --retries: '3x' is not a whole number"
    run -2 ax add --output-max 5q 20m true
    assert_output "ax add: --output-max: '5q' is not a number of bytes, such as 4096, 64k or 10M"
    ax add -q --output-max 5k --rlimits as=2g 20m true
    [ "$(ax show 1 --json | field output_max)" = 5120 ]
}

@test "a time is given once" {
    run ax add --in 3m --every 10m true
    assert_failure 2
    assert_output --partial '--every: the time is given already, by `--in`'
    run ax add 3m --every 10m true
    assert_failure 2
    assert_output --partial 'given already'
    run ax add
    assert_failure 2
    assert_output --partial 'no time is given'
}

# ---- the command ----

@test "several words are a vector, one word is a shell line, -- makes a vector" {
    run ax add --dry-run 20m ls -l -- --prod
    assert_output --regexp ': ls -l -- --prod$'
    run ax add --dry-run 20m 'echo hi; true'
    assert_output --regexp ': shell line: echo hi; true$'
    run ax add --dry-run 20m -- true
    assert_output --regexp ', once: true$'
    run ax add --dry-run 20m -c 'echo hi'
    assert_output --regexp ': shell line: echo hi$'
    run ax add 20m -c 'echo hi' there
    assert_failure 2
}

@test "options stand before WHEN and behind it, and end at the command" {
    run ax add --dry-run --name a 20m --retries 2 echo --retries 3
    assert_success
    assert_output --regexp '^not added a: .*: echo --retries 3$'
}

@test "a -- that is the argument of an option ends nothing" {
    run ax add --dry-run --description -- 20m true
    assert_success
    assert_output --partial 'shell line: true'
}

@test "a script is read from standard input" {
    run ax add --dry-run 20m - <<<$'echo one\necho two'
    assert_success
    assert_output --partial 'shell line: echo one\necho two'
    run ax add 20m - </dev/null
    assert_failure 2
    run ax add 20m - < <(printf 'a\0b')
    assert_failure 2
    assert_output --partial NUL
}

@test "no command: an error without a terminal, a prompt on one" {
    run ax add 20m </dev/null
    assert_failure 2
    assert_output --partial 'no command is given'
    run script -qec "'$AX' add --dry-run 20m" /dev/null < <(printf 'echo asked\n'; sleep 0.3; printf '\004')
    assert_output --partial 'ax> '
    assert_output --partial 'shell line: echo asked'
}

@test "an empty command, and one longer than the kernel takes" {
    run ax add 20m ''
    assert_failure 2
    run ax add 20m -- ''
    assert_failure 2
    run ax add 20m - < <(head -c 200000 /dev/zero | tr '\0' x)
    assert_failure 2
    assert_output --partial 'command'
    run ax ls --json
    assert_output ''
}

# ---- slips ----

@test "a time in several words is refused with the line that was meant" {
    run ax add now + 3 days make x
    assert_failure 2
    assert_output --partial 'ax add 3d make x'
    run ax add 3 days true
    assert_failure 2
    assert_output --partial 'ax add 3d true'
    run ax add tomorrow 17:30 true
    assert_failure 2
    assert_output --partial "ax add 'tomorrow 17:30' true"
    run ax add 20m 17:30 true
    assert_failure 2
    assert_output --partial 'ax add --no-check 20m 17:30 true'
}

@test "cron fields that the shell expanded are put together again" {
    touch a b 'c d'
    run ax add 0 2 * * * backup now
    assert_failure 2
    assert_output --partial "ax add '0 2 * * *' backup now"
    run ax add 0 2 '*' '*' 1-5 backup
    assert_failure 2
    assert_output --partial "ax add '0 2 * * 1-5' backup"
}

@test "a first word that is no program is refused, --no-check insists" {
    run ax add 20m nosuchprogram x
    assert_failure 2
    assert_output --partial 'ax add --no-check 20m nosuchprogram x'
    touch plain
    run ax add 20m ./plain x
    assert_failure 2
    assert_output --partial 'not an executable file'
    run ax add --no-check 20m nosuchprogram x
    assert_success
    run ax add 20m 'nosuchprogram x'
    assert_failure 2
}

@test "the program is looked for where the job will look" {
    mkdir bin && printf '#!/bin/sh\n' >bin/mine && chmod +x bin/mine
    run ax add 20m mine x
    assert_failure 2
    run ax add --env PATH="$PWD/bin" 20m mine x
    assert_success
    run ax add --cwd bin 20m ./mine x
    assert_success
    PATH=$PWD/bin run ax add --clean-env 20m mine x
    assert_failure 2
}

@test "who and where are looked at before the program" {
    local rows=('--user nosuch|there is no user nosuch' '--group nosuch|there is no group nosuch' '--cwd /nosuch|/nosuch: there is no such directory'
        '--cwd /dev/null|/dev/null: not a directory' '--env-file nosuch|/nosuch: there is no such file')
    for row in "${rows[@]}"; do
        for command in true nosuchprogram; do
            run -2 ax add ${row%%|*} 20m -- $command
            assert_output --partial "${row##*|}; to add the job all the same: ax add --no-check ${row%%|*} 20m -- $command"
        done
    done
    run -2 ax add --shell nosuchshell 20m -c 'true'
    assert_output --partial 'nosuchshell: no such program in its PATH'
    ax add -q --no-check --user nosuch --group nosuch --cwd /nosuch --env-file nosuch --shell nosuchshell 20m true
}

@test "another user or group is for root" {
    [ "$(id -u)" -eq 0 ] || skip 'needs root'
    ax add -q --user daemon --group users 20m -- true
    chmod 755 "$BATS_TEST_TMPDIR"
    for who in '--user root' '--group root'; do
        run -2 setpriv --reuid 1 --regid 1 --clear-groups "$AX" add --cwd / $who 20m -- true
        assert_output --partial 'root: only root may run a job as someone else'
    done
    setpriv --reuid 1 --regid 1 --clear-groups "$AX" add --dry-run --cwd / --user daemon 20m -- true
}

@test "a group without a user" {
    [ "$(id -u)" -eq 0 ] || skip 'needs root'
    serve
    ax add --wait --group daemon now -- id -gn
    [ "$(ax log 1)" = daemon ]
    run -125 ax add --wait --no-check --group nosuch now -- true
    assert_line --partial 'unstartable: there is no group nosuch'
}

@test "a name far too long is cut between characters, and shown safely" {
    local name
    name=$(printf 'é\e%.0s' {1..300})
    for words in "20m -- $name x" "--name $name 20m true" "--shell $name 20m -c true" "--user $name 20m true" "--cwd /$name 20m true" "--queue -$name 20m true" \
        "--env-file /$name 20m true" "--rlimits $name=1 20m true" "--rlimits as=$name 20m true" "--timeout $name 20m true" "--output-max $name 20m true" \
        "--success-exit $name 20m true" "--tags $name, 20m true" "--env =$name 20m true" "--retry-backoff $name 20m true" "$name true" "--$name 20m true"; do
        run ax add $words
        [ "$status" -eq 2 ] || fail "${words:0:40}: $status"
        refute_output --partial $'\e'
        refute_output --partial '\xc3'
        refute_output --partial '\xa9'
        [ ${#output} -lt 2000 ] || fail "${words:0:40}: ${#output}: $output"
    done
}

@test "words of the shell are refused with -c" {
    run ax add 20m cd /tmp
    assert_failure 2
    assert_output --partial "ax add 20m -c 'cd /tmp'"
    run ax add 20m A=1 make
    assert_failure 2
    assert_output --partial "ax add 20m -c 'A=1 make'"
}

# ---- names ----

@test "a name is unique; --keep and --replace" {
    ax add --name n 20m true
    run ax add --name n 30m true
    assert_failure 4
    run --separate-stderr ax add --name n --keep 30m false
    assert_success
    assert_output --regexp '^job 1 n \(kept\): .*in (20m|19m 59s)'
    run --separate-stderr ax add --name n --replace 1h false
    assert_success
    assert_output --regexp '^job 1 n \(replaced\): .*in (1h|59m 59s)'
    [ "$(ax ls --json | wc -l)" -eq 1 ]
    [ "$(ax show n --json | field command)" = false ]
    run ax add --replace 20m true
    assert_failure 2
}

@test "names that could be something else are refused" {
    for name in 12 12.3 -x '' $'a\tb'; do
        run ax add --name="$name" 20m true
        assert_failure 2
        assert_output --partial 'ax add: --name'
    done
}

# ---- what is printed ----

@test "-q prints the number, --json one object" {
    run --separate-stderr ax add -q 20m true
    assert_output 1
    run --separate-stderr ax add --json --name x 'every 5m' true
    assert_output --regexp '^\{"job":2,"name":"x","due":"20[^"]*Z","due_ns":[0-9]+,"kind":"every","every":"5m","cron":null,"calendar":null,"boot":null,"timezone":null,"command":"true","replaced":false,"kept":false,"dry_run":false\}$'
}

@test "who serves nobody is told how to start" {
    run --separate-stderr ax add 20m true
    assert_success
    [[ $stderr == *'`ax run --detach`'* ]]
}

@test "--dry-run adds nothing, not even a spool" {
    run ax add --dry-run 20m true
    assert_success
    [ ! -e "$AX_SPOOL" ]
}

@test "unknown options name the near one" {
    run ax add --tmeout 9s 20m true
    assert_failure 2
    assert_output 'ax add: unknown option --tmeout; did you mean --timeout?'
}

@test "control characters do not reach the screen" {
    run ax add --dry-run 20m -- printf $'\e]0;x\a'
    assert_success
    refute_output --partial $'\e'
    run ax add $'\e]0;x' true
    assert_failure 2
    refute_output --partial $'\e'
}

@test "standard output that is full or closed is an error" {
    run bash -c "'$AX' add 20m true >/dev/full 2>err"
    assert_failure 1
    run cat err
    assert_output --partial 'standard output: No space left on device'
    run bash -c "'$AX' ls >&- 2>err"
    assert_failure 1
}

# ---- the caller ----

@test "directory, umask and environment are kept, less what belongs to terminal and login" {
    (umask 027 && MINE=1 DROPPED=1 TERM=x DISPLAY=:0 SSH_TTY=/dev/x TMUX=y OLDPWD=/ ax add --env-drop 'DROP*' 20m true)
    run ax show 1 --json --values
    assert_output --partial "\"cwd\":\"$PWD\""
    assert_output --partial '"umask":"027"'
    assert_output --partial '"MINE":"1"'
    for name in DROPPED TERM DISPLAY SSH_TTY TMUX OLDPWD SHLVL _; do refute_output --partial "\"$name\":"; done
    run ax show 1
    assert_line --regexp '^kept environment .* MINE( |$)'
}

@test "--clean-env keeps none of it" {
    MINE=1 ax add --clean-env 20m true
    run ax show 1 --json --values
    assert_output --partial '"kept_env":null'
}

# ---- --wait ----

@test "--wait passes the outcome on" {
    serve
    run ax add --wait -q now -- true
    assert_success
    run ax add --wait -q now -- sh -c 'exit 3'
    assert_failure 3
    run ax add --wait -q now -- sh -c 'kill -9 $$'
    assert_failure 137
    run ax add --wait -q --timeout 300ms now -- sleep 100
    assert_failure 124
    run ax add --wait -q --no-check now -- ./nosuch
    assert_failure 125
    run ax add --wait --no-such-option now -- true
    assert_failure 125
}

@test "--wait passes on the code of a success too" {
    serve
    run -4 ax add --wait -q --success-exit 0,4 now -c 'exit 4'
    [ "$(ax ls --all --json | field state)" = done ]
}

@test "--wait --json: the job at once, its last run when it is over" {
    serve
    run --separate-stderr -3 ax add --wait --json --name n --retries 1 --retry-delay 10ms now -c 'exit 3'
    [ ${#lines[@]} -eq 2 ]
    [[ ${lines[0]} == '{"job":1,"name":"n","due":'* ]]
    [[ ${lines[1]} == '{"run":"1.2","job":1,"name":"n","attempt":2,'*'"outcome":"failed","exit_code":3,"signal":null,'* ]]
}

@test "--wait --json of a job that got no run says so" {
    serve
    ax add --wait --json --name n 1h true >out &
    local waiting=$! code=0
    until_true 5 grep -q '"job":1' out
    ax cancel n
    wait $waiting || code=$?
    [ $code -eq 125 ]
    run tail -n 1 out
    assert_output --regexp '^\{"run":null,"job":1,"name":"n",.*"outcome":"cancelled".*"reason":"cancelled before it started"'
}

@test "--wait does not wait for a job that repeats, kept or added" {
    ax add --name n every 10m true
    run -125 timeout 5 "$AX" add --wait every 10m true
    run -125 timeout 5 "$AX" add --wait --keep --name n now true
    assert_output 'ax add: --wait waits for one outcome, and job 1, which would be kept, repeats'
}

@test "--wait says why a command could not be started" {
    serve
    run -125 ax add --wait --no-check --now -- ./nosuchprogram
    assert_line --partial 'unstartable: executing the command ./nosuchprogram: No such file or directory'
}

@test "--wait waits for the retries" {
    serve
    run --separate-stderr ax add --wait --retries 2 --retry-delay 100ms -c 'test $AX_ATTEMPT = 3' --now
    assert_success
    run ax history 1 --json
    [ "$(grep -c . <<<"$output")" -eq 3 ]
}

@test "what ax show prints adds the same job" {
    serve
    ax add --wait --now -- printf '<%s>\n' 'a b' '' '$HOME' "it's" '*' -n $'two\nlines'
    printf '<%s>\n' 'a b' '' '$HOME' "it's" '*' -n $'two\nlines' >want
    ax log 1 | cmp - want
    PATH=$(dirname "$AX"):$PATH sh -c "$(ax show 1 --shell | sed 's/^ax add/& --wait/')"
    ax log 2 | cmp - want
}

@test "--now starts without delay" {
    serve
    ax add --now --wait -q -- true
    run ax history --json
    local due started
    due=$(field due_ns <<<"$output") started=$(field started_ns <<<"$output")
    ((started >= due && started - due < 2000000000))
}

@test "a shell line whose first word is no program is refused, but not what the shell has itself" {
    for line in nosuchprogram 'nosuchprogram -x | cat' './nosuchprogram'; do
        run -2 ax add 1h -c "$line"
        assert_output --partial 'no such program'
        assert_output --partial 'ax add --no-check 1h -c '
        ax add -q --no-check 1h -c "$line"
    done
    run -2 ax add 1h nosuchprogram
    for line in 'A=1 nosuchprogram' 'if true; then :; fi' ': x' 'f() { :; }; f' '"$HOME/x"' '# x' 'exit 3' '/bin/true&' '[ -x a ] && b'; do
        ax add -q 1h -c "$line"
    done
    ax add -q --shell bash 1h -c 'shopt -s extglob'
}

@test "a command that begins like a WHEN of two words is refused, unless it is meant" {
    for words in 'at true' 'every 5m true' 'now true' 'in 5 echo'; do
        run -2 ax add 20m $words
        assert_output --partial 'part of the time'
    done
    ax add -q 20m -- at -l || true
    ax add -q --no-check 20m at now
}

@test "--spool with nothing in it is refused" {
    run -2 ax add --spool '' 20m true
    assert_output --partial '--spool: the path is empty'
}

@test "the time behind the command, and days behind every: the line that was meant" {
    run -2 ax add make 20m
    assert_output 'ax add: the time stands in front of the command: ax add 20m make'
    run -2 ax add --name n 'echo hi' 'fri 9am'
    assert_output "ax add: the time stands in front of the command: ax add --name n 'fri 9am' 'echo hi'"
    run -2 ax add 'every day at 9' true
    assert_output --partial "a cron expression such as '0 9 * * mon'"
    run -2 ax add 'every 5x' true
    assert_output --partial 'is not a unit'
}

@test "times as people write them: the words that were meant" {
    local line want
    while IFS='|' read -r line want; do
        run -2 eval "ax add $line"
        assert_output --partial "$want"
    done <<'END'
'in 20 minutes' true|write it without blanks: 20m
every 10 minutes true|ax add 'every 10m' true
'every 2 hours' true|write it without blanks: 2h
17.30 true|a time of day is written with a colon, 17:30
tomorrow at 9:00 true|ax add 'tomorrow at 9:00' true
END
    [ "$(ax add --dry-run 'tomorrow at 9am' true)" = "$(ax add --dry-run 'tomorrow 9am' true)" ]
    [ "$(ax add --dry-run 'at tomorrow at 9am' true)" = "$(ax add --dry-run 'tomorrow 9am' true)" ]
}

@test "a word that only a shell reads, among words" {
    run -2 ax add 1h echo hi '|' wc
    assert_output "ax add: \`|\` is no program but a matter of the shell: ax add 1h -c 'echo hi | wc'"
    ax add -q --dry-run 1h -- echo hi '|' wc
    ax add -q --dry-run --no-check 1h echo hi '&&' true
    ax add -q --dry-run 1h find . -exec echo {} ';'
}
