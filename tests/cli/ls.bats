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
    assert_line --index 0 --regexp '^JOB +NAME +STATE +DUE +FROM NOW +SCHEDULE +LAST +COMMAND$'
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
        assert_output "ax ls: --state: 'canceled' is none of running, queued, retrying, waiting, paused, failed, done, cancelled; did you mean cancelled?"
    done
    for states in , queued, ''; do
        run -2 ax ls --state "$states"
        assert_output --partial "ax ls: --state: '' is none of running"
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

on_screen() { # COLUMNS ARGUMENT...: what a terminal of that width shows
    script -qec "stty cols $1; '$AX' ${*:2}" /dev/null | tr -d '\r'
}

@test "columns fit the terminal: cut, then left out; the rest is on the same screen at each width" {
    ax add -q --no-check --name backup-of-home 71h -c 'rsync -a --delete /home /mnt/backup/home'
    ax add -q --cron '*/10 8-18 * * mon-fri' -c 'echo very long command line that does not fit into any screen'
    export NO_COLOR=1
    local width longest
    for width in 20 40 64 80 140; do
        longest=$(on_screen $width ls | wc -L)
        [ $longest -le $width ] || [ $width = 20 ] || fail "$longest columns on a screen of $width"
    done
    run on_screen 40 ls
    assert_line --regexp '^JOB  NAME +STATE +FROM NOW$'
    refute_output --partial DUE
    run on_screen 64 ls
    assert_line --regexp '^JOB  NAME +STATE +DUE +FROM NOW +COMMAND'
    assert_line --regexp '^  1  backup-of-.*  waiting  (Mon|Tue|Wed|Thu|Fri|Sat|Sun) [0-9:]{5} +in 2d 2[23]h  rsync -.*\.\.\.$'
    refute_output --partial SCHEDULE
    run on_screen 80 ls
    assert_line --regexp '^JOB  NAME +STATE +DUE +FROM NOW'
    run on_screen 140 ls
    assert_line --regexp ' 20..-..-.. ..:..:.. \+00:00  in 2d 2.h +-  .* rsync -a --delete /home /mn'
    assert_line --regexp '  \*/10 8-18 \* \* mon-fri  .* echo very lo.*\.\.\.$'
    run on_screen 40 ls --wide
    assert_line --regexp ' 20..-..-.. ..:..:.. \+00:00  in .* rsync -a --delete /home /mnt/backup/home$'
    run ax ls
    assert_line --regexp '  echo very long command line that does not fit into any screen$'
}

@test "a terminal that does not know its width, or is dumb" {
    ax add -q 20m -c 'echo very long command line that does not fit into any screen at all, and goes on and on'
    [ "$(on_screen 0 ls | sed 's/\x1b[^m]*m//g' | wc -L)" -le 80 ]
    [ "$(COLUMNS=40 on_screen 0 ls | sed 's/\x1b[^m]*m//g' | wc -L)" -le 40 ]
    TERM=dumb run on_screen 60 ls
    refute_output --partial $'\e'
    [ "$(TERM=dumb on_screen 60 ls | wc -L)" -le 60 ]
}

@test "colour of the state, and of how it ended last" {
    serve
    ax add --wait -q now -c 'exit 3' || true
    ax add -q now -- sleep 100
    until_true 5 state_is 2 running
    run on_screen 100 ls
    assert_output --partial $'\e[31mfailed\e[0m'
    assert_output --partial $'\e[31mexit 3\e[0m'
    assert_output --partial $'\e[34mrunning\e[0m'
}

@test "filters: one word of an option is enough, every option must agree" {
    ax add -q --name backup-a --tags disk,night --queue slow 1h -- true
    ax add -q --name backup-b --tags disk 3h -- true
    ax add -q --name web --tags net --queue slow 5h -- true
    ax add -q 7h -- true
    local arguments want
    while read -r want arguments; do
        run ax ls --json $arguments
        [ "$(field job <<<"$output" | tr -d '\n')" = "${want#-}" ] || fail "$arguments: $output"
    done <<-'END'
	12 --tag disk
	1 --tag night
	13 --tag night --tag net
	- --tag nothing
	13 --queue slow
	24 --queue default
	1234 --queue slow --queue default
	12 --name backup-*
	13 --name *[aw]* --queue slow
	- --name backup
	3 --tag net --queue slow
	1 --tag disk --queue slow
	123 --due-before 6h
	1 --due-before 2h
	- --due-before now
	1234 --due-before 2100-01-01
	- --source web
	END
    ax ls --json | grep -qF '"tags":["disk","night"]'
}

@test "--source: jobs of a job file" {
    printf 'version: 1\njobs:\n  one:\n    every: 1h\n    command: "true"\n' >jobs.yaml
    ax add -q 20m -- true
    ax apply --source web jobs.yaml
    [ "$(ax ls --source web --json | field name)" = one ]
    [ "$(ax ls --source web --source other --json | field source)" = web ]
    [ -z "$(ax ls --source other)" ]
}

@test "--due-before takes what people write, and refuses the rest" {
    ax add -q 1s -- true
    for time in 2h tomorrow 'tomorrow 08:00' 2100-01-01 2100-01-01T00:00+01:00 @4102444800 'noon tomorrow'; do
        [ "$(ax ls --due-before "$time" --json | field job)" = 1 ] || fail "$time"
    done
    for time in '' 25:00 never 2100-13-01 'yesterday 7:0x' -2h; do
        run -2 ax ls --due-before "$time"
        assert_output --regexp '^ax ls: --due-before: '
    done
}

@test "--sort and --limit" {
    serve
    ax add -q --wait --name d now -- true
    ax add -q --wait --name c now -c 'exit 1' || true
    ax add -q --name b 5h -- true
    ax add -q 1h -- true
    ax add -q --name a 3h -- true
    local arguments want
    while read -r want arguments; do
        run ax ls --all --json $arguments
        [ "$(field job <<<"$output" | tr -d '\n')" = $want ] || fail "$arguments: $output"
    done <<-'END'
	12345
	12345 --sort number
	123 --limit 3
	45312 --sort due
	45 --sort due --limit 2
	53214 --sort name
	532 --sort name --limit 3
	34521 --sort state
	21345 --sort last
	2 --sort last -n 1
	4531 --sort due --state waiting,done
	345 --due-before 6h
	END
    run -2 ax ls --sort size
    assert_output --partial 'is none of number, due, name, state, last'
    run -2 ax ls --limit 0
    assert_output --partial '0 is below 1'
}

@test "paused jobs are told from those that wait" {
    ax add -q --name a 1h -- true
    ax add -q --name b 1h -- true
    ax pause b
    [ "$(ax ls --state paused --json | field name)" = b ]
    [ "$(ax ls --state waiting --json | field name)" = a ]
    [ "$(ax ls --sort state --json | field name | tr -d '\n')" = ab ]
}

@test "200,000 jobs: titles once, in little memory, the first lines at once" {
    [ -z "${AX_SANITIZED:-}" ] || skip "sanitizers need memory of their own"
    seq 1 200000 | sed 's/.*/{"in":"&s","command":"true","name":"job-&"}/' | ax import ndjson -q - 2>/dev/null
    small() { bash -c 'ulimit -d 3072; exec "$0" "$@"' "$AX" "$@"; }
    [ "$(small ls --sort number | grep -c NAME)" -eq 1 ]
    [ "$(small ls --json --sort due --limit 2000 --name '*0' | wc -l)" -eq 2000 ]
    run ! small ls --sort due >/dev/null # which holds them all
    [ "$(ax ls --sort due | wc -l)" -eq 200001 ]
    timeout 2 "$AX" ls | head -1 | grep -q NAME
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
    local writer=$! killed=0 code i times=400
    [ -z "${AX_SANITIZED:-}" ] || times=80
    for ((i = 0; i < times; i++)); do
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
    [ $killed -ge $((times / 8)) ] || fail "only $killed of $times were killed"
    timeout 2 "$AX" ls >/dev/null
    # A reader that is dead, but not cleared, would keep the pages of all that is written from now on.
    local before after
    before=$(stat -c %s "$AX_SPOOL/data.mdb")
    for ((i = 0; i < 500; i++)); do ax add -q --name moved --replace 2h true 2>/dev/null; done >/dev/null
    after=$(stat -c %s "$AX_SPOOL/data.mdb")
    ((after <= before + 1048576)) || fail "the file grew from $before to $after bytes"
    timeout 2 "$AX" ls >/dev/null
}
