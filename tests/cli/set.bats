#!/usr/bin/env bats
# ax set: fields of jobs, one by one or of many at once.

load helper

import() {
    ax import ndjson - <<<"$1" >/dev/null 2>&1
}

value() { # JOB FIELD
    ax show --json "$1" | field "$2"
}

@test "a field is set, shown as it was and as it is, and put back to its default" {
    ax add -q --name nightly --every 1d -- true
    run -0 --separate-stderr ax set nightly timeout=5m retry-delay=1m,2m
    assert_line --index 0 "~ nightly (job 1): changed"
    assert_line --partial "timeout: - -> 5m"
    assert_line --partial 'retry_delay: 30s -> ["1m","2m"]'
    assert_equal "$(value nightly timeout)" 5m
    run -0 ax set 1 timeout=
    assert_output --partial "timeout: 5m -> -"
    run -0 ax set 1 timeout=
    assert_output "nothing changed: 1 unchanged"
}

@test "the due time moves with the schedule only" {
    ax add -q --name hourly --every 1h -- true
    due=$(value hourly due)
    ax set -q hourly priority=3 jitter=1s
    assert_equal "$(value hourly due)" "$due"
    run -0 ax set --json hourly cron='0 3 * * *' timezone=Europe/Berlin
    assert_equal "$(field rescheduled <<<"$output")" true
    assert_equal "$(value hourly every)" null
    assert_equal "$(TZ=Europe/Berlin date -d "$(value hourly due)" +%H:%M)" 03:00
    ax set -q hourly at=2090-07-01T12:00 jitter=
    assert_equal "$(value hourly due)" 2090-07-01T10:00:00Z
    run -2 ax set hourly at=2001-01-01T12:00
    assert_output --partial "at: "
    run -2 ax set hourly cron='0 3 * * *' every=1h
}

@test "the scheduler hears of it" {
    ax add -q --name later --in 1h -- echo hello
    serve
    ax set -q later in=0s
    run -0 timeout 20 "$AX" wait later
    assert_output "run 1.1: ok"
    ax set -q later in=0s command='exit 3'
    run -3 timeout 20 "$AX" wait later
}

@test "lists are replaced, maps entry by entry" {
    ax add -q --name job --every 1h --tags old,older --env A=1 --env B=2 -- true
    ax set -q job tags=new,newer tags=newest env=B=3 env=C=4
    run -0 ax show --json job
    assert_output --partial '"tags":["new","newer","newest"]'
    assert_output --partial '"env":{"A":"1","B":"3","C":"4"}'
    ax set -q job env=
    run -0 ax show --json job
    refute_output --partial '"A":"1"'
}

@test "many at once: only with --all, all or none" {
    import '{"name":"a","every":"1h","command":"true","tags":["web"],"queue":"q"}
{"name":"b","every":"2h","command":"true","tags":["web"]}
{"name":"c","every":"3h","command":"true"}
{"name":"d","command":"true","at":"2090-01-01T00:00:00Z"}'
    ax cancel d
    run -2 ax set --tag web priority=5 </dev/null
    assert_output "ax set: 2 jobs match (a, b); to change them all: \`ax set --tag web 'priority=5' --yes\`"
    assert_equal "$(value a priority)" 0
    run -0 ax set --tag web --all priority=5
    assert_line --partial "2 changed"
    assert_equal "$(value a priority) $(value b priority) $(value c priority)" "5 5 0"
    run -0 ax set --tag web --queue q priority=6 </dev/null
    assert_equal "$(value a priority) $(value b priority)" "6 5"
    run -0 ax set --all nice=3
    assert_line --partial "3 changed"
    assert_equal "$(value 4 nice)" ""
    run -0 ax set --state cancelled nice=4 </dev/null
    assert_equal "$(value c nice) $(value 4 nice)" "3 4"
    run -3 ax set a b nobody nice=7
    assert_equal "$(value a nice)" 3
    run -3 ax set --tag nothing nice=7
    run -2 ax set --all name=same
}

@test "a question on the terminal" {
    command -v script >/dev/null || skip "no script(1)"
    import '{"name":"a","every":"1h","command":"true"}
{"name":"b","every":"1h","command":"true"}'
    run script -qec "'$AX' set --name '[ab]' priority=5" /dev/null <<<n
    assert_output --partial "change 2 jobs (a, b)? [y/N]"
    assert_equal "$(value a priority)" 0
    run script -qec "'$AX' set --name '[ab]' priority=5" /dev/null <<<y
    assert_equal "$(value a priority) $(value b priority)" "5 5"
}

@test "a job of a file: the file wins at the next apply" {
    printf 'version: 1\nsource: web\njobs:\n  poll:\n    every: 1h\n    command: "true"\n' >jobs.yaml
    ax apply -q jobs.yaml
    run -0 --separate-stderr ax set poll priority=2
    assert_equal "$stderr" "ax set: job 1 belongs to source web: the next apply of that brings back what the file says"
    ax apply -q jobs.yaml
    assert_equal "$(value poll priority)" 0
}

@test "what is wrong changes nothing, and is named" {
    ax add -q --name job --every 1h -- true
    ax add -q --every 1h -- true
    while read -r code words; do
        run -"$code" ax set $words
        echo "$words: $output"
        [[ $output == "ax set: "* ]]
    done <<'END'
2 job
2 priority=1
2 job priority=1 --all
2 job priority=many
2 job prioritty=1
2 job name=other
2 job command=
3 jobb priority=1
4 2 name=job
END
    run -2 ax set job prioritty=1
    assert_output 'ax set: there is no field `prioritty`: did you mean `priority`?'
    run -0 ax set 2 name=second
    assert_output --partial "second (job 2): changed"
    assert_equal "$(value job priority)" 0
}

@test "an error names the field, though its text has the word" {
    ax add -q --name j 1h true
    run -2 ax set j cron='1 * * *'
    assert_output --partial 'ax set: cron: day-of-week: it is missing'
}

@test "fields as they are called elsewhere" {
    ax add -q --name j 1h true
    run -2 ax set j schedule='0 3 * * *'
    assert_output --partial 'did you mean `cron`, `every`, `at` or `calendar`?'
    run -2 ax set j '0 3 * * *'
    assert_output --partial "cron='0 3 * * *'"
}
