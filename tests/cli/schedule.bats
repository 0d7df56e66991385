load helper

# Schedules of jobs: how they are said, and how they are shown.

# ---- said ----

@test "a cron expression is a WHEN, and a flag; the echo tells the first due time and the expression" {
    local day
    day=$(date -d tomorrow +%F)
    [ "$(date +%H%M)" != 0000 ] || skip 'midnight'
    for words in "WHEN" "--cron"; do
        [ "$words" = --cron ] && set -- --cron '0 0 * * *' || set -- '0 0 * * *'
        run --separate-stderr -0 ax add "$@" true
        assert_output --regexp "^job [12]: $day 00:00:00 \+00:00 \(tomorrow, in .*\), then by cron 0 0 \* \* \*$"
    done
    run --separate-stderr -0 ax add --name d @daily true
    assert_output --regexp "^job 3 d: $day 00:00:00 \+00:00 \(tomorrow, in .*\), then by cron @daily$"
}

@test "several expressions are one schedule" {
    run --separate-stderr -0 ax add --cron '0 1 1 1 *' --cron '0 2 * * *' --cron '0 3 1 1 *' true
    assert_output --regexp ' 02:00:00 \+00:00 .*, then by cron 0 1 1 1 \* and 0 2 \* \* \* and 0 3 1 1 \*$'
    run -0 ax add -q --calendar '*-*-* 05:00' --calendar 'Mon *-*-* 06:00' true
    [ "$(ax show 2 --json | grep -o '"calendar":\[[^]]*\]')" = '"calendar":["*-*-* 05:00","Mon *-*-* 06:00"]' ]
}

@test "boots are said without a time" {
    run --separate-stderr -0 ax add @reboot true
    assert_output 'job 1: at each boot of the machine'
    run --separate-stderr -0 ax add --boot machine true
    assert_output 'job 2: at each boot of the machine'
    run --separate-stderr -0 ax add --boot scheduler true
    assert_output 'job 3: at each start of the scheduler'
    run --separate-stderr -0 ax add --boot none true
    assert_output 'job 4: only when it is started by hand'
}

@test "the time is given once, whichever way" {
    run -2 ax add --cron '0 2 * * *' --every 3m true
    assert_output 'ax add: --every: the time is given already, by `--cron`'
    run -2 ax add @daily --cron '0 2 * * *' true
    assert_output 'ax add: --cron: the time is given already, by `@daily`'
    run -2 ax add --calendar daily --boot machine true
    assert_output 'ax add: --boot: the time is given already, by `--calendar`'
    run -2 ax add --cron '0 2 * * *' --calendar daily true
    assert_output 'ax add: --calendar: the time is given already, by `--cron`'
}

@test "--wait refuses what has no last outcome" {
    for when in @daily @reboot 'every 5m'; do
        run -125 ax add --wait "$when" true
        assert_output --partial 'a job that repeats has no last one'
    done
    run -125 ax add --wait --calendar weekly true
    assert_output --partial 'a job that repeats has no last one'
    run -125 ax add --wait --boot none true
    assert_output --partial 'a job that is started by hand may never have one'
}

# ---- local times ----

@test "--timezone is for all times, wherever it stands" {
    local day
    day=$(TZ=Asia/Tokyo date -d tomorrow +%F)
    for words in "--timezone Asia/Tokyo --at ${day}T18:00" "--at ${day}T18:00 --timezone Asia/Tokyo" \
        "--timezone Asia/Tokyo ${day}T18:00" "${day}T18:00 --timezone=Asia/Tokyo" "at ${day}T18:00 --timezone Asia/Tokyo"; do
        run --separate-stderr -0 ax add --dry-run $words true
        assert_output --partial "not added: $day 18:00:00 +09:00 "
    done
    ax add -q @daily --not-before 2100-01-01 --not-after 2100-02-03 --timezone Asia/Tokyo true
    [ "$(ax show 1 --json | field not_before)" = 2099-12-31T15:00:00Z ]
    [ "$(ax show 1 --json | field not_after)" = 2100-02-03T14:59:59.999999999Z ]
    [ "$(ax show 1 --json | field due)" = 2099-12-31T15:00:00Z ]
}

@test "a word of the command is no option" {
    run --separate-stderr -0 ax add --dry-run --no-check 2100-02-03T18:00 x --timezone Asia/Tokyo
    assert_output --partial 'not added: 2100-02-03 18:00:00 +00:00 '
    run --separate-stderr -0 ax add --dry-run --description --timezone --env --timezone=x 2100-02-03T18:00 true
    assert_output --partial 'not added: 2100-02-03 18:00:00 +00:00 '
}

@test "a job whose times are local keeps the zone that TZ names" {
    local tz
    for tz in Asia/Tokyo :Asia/Tokyo /usr/share/zoneinfo/Asia/Tokyo; do
        TZ=$tz run --separate-stderr -0 ax add --dry-run --json '0 2 * * *' true
        [ "$(field timezone <<<"$output")" = Asia/Tokyo ]
        [[ $output == *T17:00:00Z* ]]
    done
    TZ=Asia/Tokyo run --separate-stderr -0 ax add --dry-run --json --timezone Europe/Berlin '0 2 * * *' true
    [ "$(field timezone <<<"$output")" = Europe/Berlin ]
    TZ=Asia/Tokyo run --separate-stderr -0 ax add --dry-run --json 'every 2h' true
    [ "$(field timezone <<<"$output")" = null ]
    TZ=Asia/Tokyo run --separate-stderr -0 ax add --dry-run --json 'every 2h' --every-from clock true
    [ "$(field timezone <<<"$output")" = Asia/Tokyo ]
    unset TZ
    run --separate-stderr -0 ax add --dry-run --json '0 2 * * *' true
    [ "$(field timezone <<<"$output")" = null ]
}

@test "a TZ that names no zone is refused for local times, with the way out" {
    export TZ=CET-1CEST,M3.5.0,M10.5.0/3
    run -2 ax add '0 2 * * *' true
    assert_output --partial '--timezone ZONE'
    run -2 ax import ndjson - <<<'{"cron":"0 2 * * *","command":"true"}'
    assert_output --partial '(timezone)'
    run -0 ax add 20m true
    run -0 ax add --timezone Europe/Berlin '0 2 * * *' true
    run -0 ax add --timezone local '0 2 * * *' true
}

# ---- what is likely a slip ----

@test "what never comes is said at once" {
    run --separate-stderr -0 ax add --cron '0 0 30 2 *' true
    assert_output 'job 1: never, by cron 0 0 30 2 *'
    [[ $stderr == *'ax add: this never comes: no date ahead fits `0 0 30 2 *`'* ]]
    run --separate-stderr -0 ax add --dry-run --calendar '2020-*-* 00:00' true
    assert_output --partial 'never, by calendar'
    [[ $stderr == *'this never comes: no date ahead fits `2020-*-* 00:00`'* ]]
    run --separate-stderr -0 ax add --dry-run @daily --not-after 2020-01-01 true
    [[ $stderr == *'this never comes: not_before, not_after and except leave no due time of `@daily`'* ]]
    run --separate-stderr -0 ax add --dry-run --cron @daily --cron '0 0 30 2 *' true
    [[ $stderr == 'ax add: warning: `0 0 30 2 *` never comes; the others do' ]]
}

@test "a step that does not divide, and both day fields, are warned of" {
    run --separate-stderr -0 ax add --dry-run '*/70 * * * *' true
    [[ $stderr == 'ax add: warning: `*/70 * * * *`: minute: '* ]]
    run --separate-stderr -0 ax add --dry-run --cron '0 0 1 * mon' true
    [[ $stderr == 'ax add: warning: `0 0 1 * mon`: '*'a day that matches either is enough' ]]
    run --separate-stderr -0 ax add --dry-run '*/5 * * * *' true
    [ "$stderr" = '' ]
}

@test "a local time that the clock skips is said, whichever way it was given" {
    for when in --at at; do
        run --separate-stderr -0 ax add --dry-run --timezone Europe/Berlin "$when" '2:30 2100-03-28' true
        assert_output --partial 'not added: 2100-03-28 01:30:00 +01:00'
        [[ $stderr == 'ax add: warning: the clock skips that local time'* ]]
    done
    run --separate-stderr -0 ax add --dry-run --timezone Europe/Berlin --at '3:30 2100-03-28' true
    [ "$stderr" = '' ]
}

# ---- shown ----

@test "ls shows the schedule in its own notation, and what has no due time by words" {
    ax add -q '0 2 * * *' true
    ax add -q --cron @daily --cron @hourly true
    ax add -q --calendar 'Mon..Fri 09:00' true
    ax add -q 'every 90m' true
    ax add -q @reboot true
    ax add -q --boot scheduler true
    ax add -q --boot none true
    ax add -q --cron '0 0 30 2 *' true
    ax add -q 20m true
    run -0 ax ls
    assert_line --index 1 --regexp '^  1 +waiting +20.* in [^ ].* 0 2 \* \* \* +true$'
    assert_line --index 2 --regexp '^  2 .* @daily \+1 +true$'
    assert_line --index 3 --regexp '^  3 .* Mon\.\.Fri 09:00 +true$'
    assert_line --index 4 --regexp '^  4 .* every 1h30m +true$'
    assert_line --index 5 --regexp '^  5 +waiting +at boot +boot +true$'
    assert_line --index 6 --regexp '^  6 +waiting +at start +boot +true$'
    assert_line --index 7 --regexp '^  7 +waiting +by hand +- +true$'
    assert_line --index 8 --regexp '^  8 +waiting +never +0 0 30 2 \* +true$'
    assert_line --index 9 --regexp '^  9 +waiting +20.* - +true$'
    run -0 ax ls --json
    [ "$(field kind <<<"$output" | paste -sd ' ')" = 'cron cron calendar every boot boot none cron once' ]
    [ "$(field schedule <<<"$output" | paste -sd '|')" = '0 2 * * *|@daily; @hourly|Mon..Fri 09:00|every 1h30m|boot|boot|null|0 0 30 2 *|null' ]
}

@test "show lists the next five due times, in the zone of the job, with what a clock change does" {
    ax add -q --timezone Europe/Berlin --not-before 2098-03-29 --cron '30 2 * * *' true
    run -0 ax show 1
    assert_line --regexp '^due +2098-03-29 02:30:00 \+01:00 '
    assert_line --regexp '^next +2098-03-29 02:30:00 \+01:00 '
    assert_line --regexp '^ +2098-03-30 03:00:00 \+02:00 \([^;]*\); moved: the clock skips its local time$'
    assert_line --regexp '^ +2098-04-02 02:30:00 \+02:00 '
    refute_line --regexp '2098-04-03'
    assert_line --regexp '^cron +30 2 \* \* \*$'
    assert_line --regexp '^not_before +2098-03-29 00:00:00 \+01:00 '
    run -0 ax show --json 1
    assert_output --partial '"upcoming":["2098-03-29T01:30:00Z","2098-03-30T01:00:00Z","2098-03-31T00:30:00Z","2098-04-01T00:30:00Z","2098-04-02T00:30:00Z"]'
    assert_output --partial '"cron":"30 2 * * *"'
}

# One job for each way to say when, with all that goes with it.
add_all() {
    ax add -q --cron '0 2 * * *' --cron "*/5 22-6 * * fri-mon" --timezone Europe/Berlin --except 2100-12-24 --except '2100-12-24..2101-01-06' --except 'Sat,Sun' \
        --jitter 5m --spread 1h --catchup all --catchup-within 2d --catchup-max 7 --overlap queue true
    ax add -q --calendar 'Mon..Fri *-*-* 09:00' --calendar '*-*~01 06:00:00 Europe/Berlin' --not-before 2100-01-01 --not-after 2100-12-31T18:00 --catchup skip --overlap replace true
    ax add -q --boot machine --overlap allow true
    ax add -q --boot scheduler true
    ax add -q --boot none true
    ax add -q 'every 90m' --every-from end true
    ax add -q 'every 2h' --every-from clock --timezone Asia/Tokyo true
    ax add -q 2100-02-03T04:05 --timezone Asia/Tokyo true
}

@test "show --shell gives a line that adds the same job" {
    add_all
    ax export --ndjson >there
    for job in 1 2 3 4 5 6 7 8; do
        ax show --shell "$job" 2>/dev/null
    done >lines
    [ "$(wc -l <lines)" = 8 ]
    export AX_SPOOL=$BATS_TEST_TMPDIR/other
    PATH=$(dirname "$AX"):$PATH run bash -e lines
    assert_success
    run -0 ax export --ndjson
    assert_output "$(cat there)"
}

@test "export and import go round" {
    add_all
    ax export --ndjson >there
    export AX_SPOOL=$BATS_TEST_TMPDIR/other
    run -0 ax import ndjson there
    ax export --ndjson | diff there -
    [ "$(ax show 1 --json | field catchup_max)" = 7 ]
    [ "$(ax show 2 --json | field not_after)" = 2100-12-31T18:00:00Z ]
}

@test "an import reads local times in the job's zone, wherever that stands" {
    run -0 ax import ndjson - <<'X'
{"at":"2100-02-03T18:00","timezone":"Asia/Tokyo","command":"true"}
{"timezone":"Asia/Tokyo","at":"2100-02-03T18:00","command":"true"}
{"cron":"0 18 * * *","not_before":"2100-02-03","command":"true","timezone":"Asia/Tokyo"}
X
    [ "$(ax ls --json | field due | paste -sd ' ')" = '2100-02-03T09:00:00Z 2100-02-03T09:00:00Z 2100-02-03T09:00:00Z' ]
}

@test "a row of history for several due times tells the first and the last" {
    ax add -q --name tick 'every 1s' true
    sleep 4.2
    serve
    until_true 5 grep -q 'missed x' <(ax history tick)
    ax cancel tick
    run -0 ax history --outcome missed tick
    assert_output --regexp '20[0-9-]+ [0-9:]+ \+00:00 to 20[0-9-]+ [0-9:]+ \+00:00 .* missed x [23] '
    run -0 ax history --outcome missed --json tick
    local first last count
    first=$(field due_ns <<<"$output") last=$(field last_due_ns <<<"$output") count=$(field count <<<"$output")
    [ $((last - first)) = $(((count - 1) * 1000000000)) ]
}

# ---- refused ----

@test "words that a shell has made of a cron expression are refused with the line that was meant" {
    mkdir names
    cd names
    touch a.txt b.c
    run -2 ax add 0 2 * * * echo hi
    assert_output --partial "ax add '0 2 * * *' echo hi"
    run -2 ax add --name x 0 2 * * mon-fri echo hi
    assert_output --partial "ax add --name x '0 2 * * mon-fri' echo hi"
    run -2 ax add --name x --cron 0 2 * * * echo hi
    assert_output --partial "ax add --name x --cron '0 2 * * *' echo hi"
    run -2 ax add 0 2 '*' '*' bogus true
    refute_output --partial "0 2 * * bogus"
}

@test "a bad time is refused with its place, whichever way it was said" {
    run -2 ax add '0 61 * * *' true
    assert_output "ax add: WHEN: hour: 61 is above 23
    0 61 * * *
      ^~"
    run -2 ax add --cron '0 61 * * *' true
    assert_output "ax add: --cron: hour: 61 is above 23
    0 61 * * *
      ^~"
    run -2 ax add --calendar 'Mon..Fry' true
    assert_line --index 0 --partial 'ax add: --calendar: weekday: '
    assert_line --index 2 '         ^~~'
    run -2 ax add --at 25:00 true
    assert_line --index 0 'ax add: --at: hour: 25 is above 23'
    assert_line --index 2 '    ^~'
    run -2 ax add --every 5 true
    assert_line --index 0 'ax add: --every: 5 has no unit: write 5s, 5m or 5h'
    run -2 ax add --except 2026-13-01 @daily true
    assert_line --index 0 --partial 'ax add: --except: '
    assert_line --index 2 --partial '^'
    run -2 ax add --timezone Nowhere/City @daily true
    assert_output "ax add: --timezone: unknown time zone 'Nowhere/City': names are like Europe/Berlin or UTC"
    for near in Europe/Berln:Europe/Berlin berlin:Europe/Berlin utc:UTC america/newyork:America/New_York; do
        run -2 ax add --timezone ${near%:*} @daily true
        assert_output "ax add: --timezone: unknown time zone '${near%:*}': did you mean ${near#*:}?"
    done
    run -0 ax ls --all --json
    assert_output ''
}

@test "what has no meaning for the schedule is refused, under the name of its option" {
    run -2 ax add 20m --spread 3m true
    assert_output 'ax add: --spread: goes only with a job that repeats'
    for option in --except --not-before --not-after; do
        run -2 ax add 20m $option 2100-01-01 true
        assert_output "ax add: $option: goes only with a job that repeats"
    done
    run -2 ax add @daily --every-from end true
    assert_output 'ax add: --every-from: goes only with `every`'
    run -2 ax add @daily --except 2027-02-10..2027-02-30 true
    assert_output "ax add: --except: there is no 2027-02-30
    2027-02-10..2027-02-30
                ^~~~~~~~~~"
    run -0 ax ls --all --json
    assert_output ''
}

@test "an import names the lines that never come, and adds them" {
    printf '{"cron":"%s","command":"x"}\n' '0 0 30 2 *' '0 0 29 2 *' '0 0 31 4 *' >jobs
    run --separate-stderr -0 ax import ndjson jobs
    assert_output 'added jobs 1 to 3'
    [[ $stderr == 'ax import: jobs: line 1: this never comes: '*'ax import: jobs: line 3: this never comes: '* ]]
    [[ $stderr != *'line 2'* ]]
}

@test "an import warns of what is likely a slip, for the first ten" {
    { echo '{"every":"1h","command":"x"}'; for _ in {1..12}; do echo '{"cron":"*/70 * * * *","command":"x"}'; done; } >jobs
    run --separate-stderr -0 ax import ndjson jobs
    assert_output 'added jobs 1 to 13'
    [[ $stderr == 'ax import: jobs: line 2: warning: `*/70 * * * *`: minute: '* ]]
    [ "$(grep -c 'warning: ' <<<"$stderr")" -eq 10 ]
}
