load helper

# What `ax next` prints in the column of UTC, in one line.
utc() {
    ax next "$@" 2>err | awk '{ printf "%s%s", sep, $4; sep = " " } END { print "" }'
}

# The same as dates alone, of which the times must be TIME.
days() { # TIME OPTION...
    local times
    times=$(utc "${@:2}")
    [ "$(grep -o "T$1Z" <<<"$times" | wc -l)" -eq "$(wc -w <<<"$times")" ] || fail "not all at $1: $times"
    sed -E 's/[0-9]{4}-([0-9-]{5})T[^ ]*/\1/g' <<<"$times"
}

@test "a line has the local time, UTC, the distance and what the clock did" {
    run ax next '30 2 * * *' --from 2027-03-27T00:00Z --timezone Europe/Berlin -n 3
    assert_success
    assert_output "2027-03-27 02:30:00 +01:00  2027-03-27T01:30:00Z  in 1h 30m
2027-03-28 03:00:00 +02:00  2027-03-28T01:00:00Z  in 1d 1h  moved: the clock skips its local time
2027-03-29 02:30:00 +02:00  2027-03-29T00:30:00Z  in 2d 1h"
}

@test "--json has the names that are kept" {
    run ax next '30 2 * * *' --from 2027-03-28T00:00Z --timezone Europe/Berlin -n 2 --json
    assert_success
    assert_output '{"due":"2027-03-28T01:00:00Z","due_ns":1806195600000000000,"local":"2027-03-28T03:00:00+02:00","note":"moved"}
{"due":"2027-03-29T00:30:00Z","due_ns":1806280200000000000,"local":"2027-03-29T02:30:00+02:00","note":null}'
    [ "$(ax next '30 2,3 * * *' --from 2027-03-28T00:00Z --timezone Europe/Berlin -n 1 --json | field note)" = moved ]
    [ "$(ax next '0 2,3 * * *' --from 2027-03-28T00:00Z --timezone Europe/Berlin -n 1 --json | field note)" = merged ]
    [ "$(ax next '30 2 * * *' --from 2027-10-31T00:00Z --timezone Europe/Berlin -n 1 --json | field note)" = first ]
    [ "$(ax next '30 * * * *' --from 2027-10-31T01:00Z --timezone Europe/Berlin -n 1 --json | field note)" = repeated ]
    [ "$(ax next '*/30 * * * *' --from 2027-10-31T01:00Z --timezone Europe/Berlin -n 1 --json | field note)" = repeated ]
}

@test "ten lines, unless -n or --until say otherwise" {
    [ "$(ax next '* * * * *' | wc -l)" -eq 10 ]
    [ "$(ax next '* * * * *' -n 3 | wc -l)" -eq 3 ]
    [ "$(ax next '* * * * *' --lines 3000 | wc -l)" -eq 3000 ]
    [ "$(ax next '0 * * * *' --from 2027-01-01T00:30 --until 2027-01-02T00:00 | wc -l)" -eq 24 ]
    [ "$(ax next '0 * * * *' --from 2027-01-01T00:30 --until 2027-01-02T00:00 -n 5 | wc -l)" -eq 5 ]
    # a date takes in its day
    [ "$(utc '0 12 * * *' --from 2027-01-01T13:00 --until 2027-01-03)" = '2027-01-02T12:00:00Z 2027-01-03T12:00:00Z' ]
    for n in 0 -1 1000001 x; do
        run -2 ax next '* * * * *' -n $n
    done
}

@test "never: nothing on standard output, plain text, exit code 1" {
    for expression in '0 0 30 2 *' '0 0 31 4,6,9,11 *' @reboot; do
        run -1 --separate-stderr ax next "$expression"
        assert_output ''
        [[ $stderr == 'ax next: never'* ]]
    done
    run -1 ax next '0 0 1 1 *' --from 2027-02-01 --until 2027-12-31
    assert_output 'ax next: none up to then: the next one is 2028-01-01 00:00:00 +00:00'
    run -1 ax next --calendar '2026-01-01' --from 2027-01-01T00:00Z
    assert_output 'ax next: never: there is no such time after 2027-01-01 00:00:00 +00:00'
}

@test "what cannot be read is refused with 2, and nothing is printed" {
    for wrong in '61 * * * *' '7x * * * *' '@weeklyish' 'foo bar' 20 '20 minutes ago' '0 0 * * * *' weekly 'every 0s' '' '-5m' 25:00; do
        run --separate-stderr ax next "$wrong"
        [ "$status" -eq 2 ] || [ "$wrong" = 20 ] || fail "$wrong: $status $stderr"
        assert_output ''
        [ -n "$stderr" ]
    done
    for option in --cron=x --calendar=25:00 --at=yesterday --in=x --every=1ms --from=x --until=x --timezone=Europe/Berlln; do
        run -2 ax next "$option"
        assert_output --partial "ax next: ${option%%=*}: "
    done
    run -2 ax next '61 * * * *'
    assert_line --index 1 '    61 * * * *'
    assert_line --index 2 '    ^~'
}

@test "one schedule, and rules only with one" {
    run -2 ax next --cron '* * * * *' --in 5m
    run -2 ax next --cron '* * * * *' 5m
    assert_output 'ax next: the schedule is given already, so `5m` is one too many'
    run -2 ax next 0 2 x y
    assert_output --partial 'in quotes'
    run -2 ax next --except 2027-01-01
    run -2 ax next --in 5m --spread 1h
    run -2 ax next '* * * * *' --every-from end
    run -2 ax next --explain
}

@test "each way to say when" {
    [ "$(utc --in 20m --from 2027-01-01T00:00Z)" = 2027-01-01T00:20:00Z ]
    [ "$(utc in 20m --from 2027-01-01T00:00Z)" = 2027-01-01T00:20:00Z ]
    [ "$(utc 20m --from 2027-01-01T00:00Z)" = 2027-01-01T00:20:00Z ]
    [ "$(utc at 'noon tomorrow' --from 2027-01-01T00:00Z)" = 2027-01-02T12:00:00Z ]
    [ "$(utc 'fri 9am' --from 2027-01-01T10:00Z)" = 2027-01-08T09:00:00Z ]
    [ "$(utc --at @1735689600 --from 2020-01-01T00:00Z)" = 2025-01-01T00:00:00Z ]
    [ "$(utc 'every 90m' --from 2027-01-01T00:00Z -n 3)" = '2027-01-01T01:30:00Z 2027-01-01T03:00:00Z 2027-01-01T04:30:00Z' ]
    [ "$(utc every 90m --from 2027-01-01T00:00Z -n 1)" = 2027-01-01T01:30:00Z ]
    [ "$(utc --every 90m --from 2027-01-01T00:00Z -n 1 --not-before 2027-02-01)" = 2027-02-01T00:00:00Z ]
    [ "$(utc --every 7h --every-from clock --from 2027-01-01T22:00Z -n 2)" = '2027-01-02T00:00:00Z 2027-01-02T07:00:00Z' ]
    [ "$(utc --cron '30 0 9 * * 1' --from 2027-01-01T00:00Z -n 1)" = 2027-01-04T09:00:30Z ]
    [ "$(utc @daily --from 2027-01-01T00:00Z -n 2)" = '2027-01-02T00:00:00Z 2027-01-03T00:00:00Z' ]
    [ "$(utc --calendar 'Mon 09:00 Asia/Tokyo' --from 2027-01-01T00:00Z -n 1)" = 2027-01-04T00:00:00Z ]
}

@test "a time in words of at that the clock skips is said to be moved" {
    run -0 ax next --at '2:30 2027-03-28' --from 2027-03-01 --timezone Europe/Berlin
    assert_output --partial '2027-03-28 01:30:00 +01:00  2027-03-28T00:30:00Z'
    assert_output --partial 'moved: the clock skips its local time'
    run -0 ax next '2:30 2027-03-28' --from 2027-03-01 --timezone Europe/Berlin --json
    assert_output --partial '"note":"moved"'
    run -0 ax next '3:30 2027-03-28' --from 2027-03-01 --timezone Europe/Berlin --json
    assert_output --partial '"note":null'
}

@test "the now of at is printed though it lies a little back" {
    [ "$(utc --at now --from 2027-01-01T10:20:30Z)" = 2027-01-01T10:20:00Z ]
    [ "$(utc now --from 2027-01-01T10:20:30Z)" = 2027-01-01T10:20:00Z ]
    [ "$(utc --at 'now + 1 minute' --from 2027-01-01T10:20:30Z)" = 2027-01-01T10:21:00Z ]
    [ "$(utc --at today --from 2027-01-01T10:20:30Z)" = 2027-01-01T10:20:00Z ]
    run -2 ax next --at '10:19 today' --from 2027-01-01T10:20:30Z
    assert_output --partial 'is past'
}

@test "several expressions are one schedule" {
    [ "$(utc --cron '0 9 * * *' --cron '0 9,12 * * *' --from 2027-01-01T00:00Z -n 3)" = '2027-01-01T09:00:00Z 2027-01-01T12:00:00Z 2027-01-02T09:00:00Z' ]
    [ "$(utc --calendar 09:00 --calendar 12:00 --from 2027-01-01T00:00Z -n 3)" = '2027-01-01T09:00:00Z 2027-01-01T12:00:00Z 2027-01-02T09:00:00Z' ]
    [ "$(utc @daily --except 2027-01-02..2027-01-05 --not-after 2027-01-07 --from 2027-01-01T00:00Z)" = '2027-01-06T00:00:00Z 2027-01-07T00:00:00Z' ]
}

@test "spread and a~b choose by the name" {
    one=$(utc --cron '0~59 * * * *' --name one -n 1)
    [ "$one" = "$(utc --cron '0~59 * * * *' --name one -n 1)" ]
    for name in a b c d e f g h; do utc --cron '0~59 * * * *' --name $name -n 1; done >chosen
    [ "$(sort -u chosen | wc -l)" -gt 1 ]
    for name in a b c d e f g h; do utc @hourly --spread 30m --name $name -n 1; done >chosen
    [ "$(sort -u chosen | wc -l)" -gt 1 ]
}

@test "--from takes what --at takes" {
    [ "$(utc @yearly --from @1735689600 -n 1)" = 2026-01-01T00:00:00Z ]
    [ "$(utc @yearly --from 20250101T000000Z -n 1)" = 2026-01-01T00:00:00Z ]
    [ "$(utc @daily --from 'tomorrow 12:00' -n 1)" = "$(date -u -d 'today + 2 days' +%F)T00:00:00Z" ]
}

@test "--explain says it in words and warns of traps" {
    run --separate-stderr ax next --explain '0 2 1 * 1' --from 2027-01-01T00:00Z -n 1
    assert_success
    assert_line --index 0 'at 02:00 on the 1st, and on every Monday: either day is enough (local times of UTC)'
    assert_line --index 1 --partial 2027-01-01T02:00:00Z
    [[ $stderr == *'day-of-month 1 and day-of-week 1 are both set'* ]]
    run --separate-stderr ax next --explain '*/7 * * * *' -n 1
    [[ $stderr == *'minute: */7 does not come round evenly'* ]]
    run --separate-stderr ax next --explain '30 2 * * *' --timezone Europe/Berlin --from 2027-01-01T00:00Z -n 1
    assert_equal "$stderr" 'ax next: the clock goes from 2027-03-28 02:00 to 03:00: what it skips comes once, right after'
    run --separate-stderr ax next --explain --calendar 02:30 --timezone Europe/Berlin --from 2027-01-01T00:00Z -n 1
    assert_equal "$stderr" 'ax next: the clock goes from 2027-03-28 02:00 to 03:00: there is no 02:30 that day, and a calendar expression leaves it out'
    for time in 01:59 03:00; do
        run --separate-stderr ax next --explain --calendar $time --timezone Europe/Berlin --from 2027-01-01T00:00Z -n 1
        assert_equal "$stderr" ''
    done
    run --separate-stderr ax next --explain --calendar hourly --timezone Europe/Berlin --from 2027-01-01T00:00Z -n 1
    assert_equal "$stderr" ''
    run --separate-stderr ax next --explain '30 3 * * *' --timezone Europe/Berlin -n 1
    assert_equal "$stderr" ''
    run ax next --explain --json --calendar weekly --calendar 'fri,mon..wed 9:00' -n 1
    assert_line --index 0 --partial '"normal":["Mon *-*-* 00:00:00","Mon..Wed,Fri *-*-* 09:00:00"]'
    run ax next --explain --json '0 2 1 * 1' -n 1
    assert_line --index 0 --regexp '^\{"explanation":"at 02:00 on the 1st, .*","warnings":\["day-of-month 1 and .*"\]\}$'
    run ax next --explain --every 1d --from 2027-01-01T00:00Z -n 1
    assert_line --index 0 'every 1d, each day of 24 hours whatever the clock does, from 2027-01-02 00:00:00 +00:00'
}

@test "cron goes on behind the year 2261, where instants end" {
    assert_equal "$(days 12:00:00 '0 12 29 2 *' --from 2399-01-01T00:00Z -n 2)" '02-29 02-29'
    [ "$(utc '0 12 29 2 *' --from 2257-01-01T00:00Z -n 3)" = '2260-02-29T12:00:00Z 2264-02-29T12:00:00Z 2268-02-29T12:00:00Z' ]
    assert_equal "$(ax next '0 12 29 2 *' --tz Europe/Berlin --from 2399-01-01T00:00Z -n 1 --json)" \
        '{"due":"2400-02-29T11:00:00Z","due_ns":null,"local":"2400-02-29T12:00:00+01:00","note":null}'
    run -1 ax next '0 12 29 2 *' --from 9999-01-01T00:00Z
    assert_output 'ax next: never: there is no such time after 9999-01-01T00:00Z'
    for options in '--calendar 12:00' '@daily --except 2027-01-01' '@daily --until 2261-01-01' ''; do
        run -2 ax next $options --from 2399-01-01T00:00Z
        assert_output --partial 'ax next: --from: year: 2399 is not in 1678-2261'
    done
}

# ---- jobs ----

@test "a job goes on from what it waits for, by its own rules" {
    ax add --name poll --not-before 2100-01-01 'every 90m' true
    run ax next poll -n 2
    assert_output --partial '2100-01-01T00:00:00Z'
    assert_output --partial '2100-01-01T01:30:00Z'
    [ "$(utc 1 -n 2)" = '2100-01-01T00:00:00Z 2100-01-01T01:30:00Z' ]
    [ "$(utc poll --from 2100-01-01T00:00Z -n 2)" = '2100-01-01T01:30:00Z 2100-01-01T03:00:00Z' ]
    [ "$(ax next poll --json -n 1 | field job)" = 1 ]
    [ "$(ax next poll --json -n 1 | field name)" = poll ]
    [ "$(utc poll -n 1)" = "$(ax show poll --json | field due)" ]
    run ax next poll --timezone Asia/Tokyo -n 1
    assert_output --partial '2100-01-01 09:00:00 +09:00'
    run -2 ax next poll --except 2100-01-01
    run -3 ax next 7
    run -3 ax next nobody
}

@test "jobs by cron and calendar have their own zone, exceptions and places in the agenda" {
    cat >jobs <<'END'
{"name":"berlin","command":"true","cron":["30 2 * * *","0 12 * * *"],"timezone":"Europe/Berlin","except":"2100-03-27","not_before":"2100-03-26T12:00Z"}
{"name":"tokyo","command":"true","calendar":"Mon 09:00 Asia/Tokyo","not_before":"2100-03-26T12:00Z"}
{"name":"boot","command":"true","boot":"machine"}
{"name":"end","command":"true","every":"1h","every_from":"end","not_before":"2100-03-26T12:00Z"}
END
    ax import ndjson jobs
    run ax next berlin -n 2
    assert_line --index 0 --partial '2100-03-28 03:00:00 +02:00  2100-03-28T01:00:00Z'
    assert_line --index 0 --partial 'moved'
    assert_line --index 1 --partial '2100-03-28 12:00:00 +02:00  2100-03-28T10:00:00Z'
    run ax next tokyo -n 1
    assert_output --partial '2100-03-29 09:00:00 +09:00  2100-03-29T00:00:00Z'
    run -1 ax next boot
    assert_output 'ax next: never by the clock: it is due after each boot of the machine'
    run --separate-stderr ax next end
    assert_equal "${#lines[@]}" 1
    [[ $stderr == *'every_from: end'* ]]
    assert_equal "$(ax next -n 4 --json | field name | tr '\n' ' ')" 'end berlin berlin tokyo '
    run --separate-stderr ax next --explain berlin -n 1
    assert_line --index 0 --regexp '^at 02:30 every day; and at 12:00 every day, but not on 2100-03-27, not before .* \(local times of Europe/Berlin\)$'
}

@test "a job that is tried again: its due time has gone, the agenda has the next attempt" {
    serve
    ax add --retries 3 --retry-delay 1h --retry-jitter 0 now false
    until_true 10 state_is 1 retrying
    run -1 --separate-stderr ax next 1
    [[ $stderr == *'job 1 is retrying'* ]]
    run ax next
    assert_output --regexp '  in (1h|59m [0-9]+s)  job 1, tried again: false$'
    [ "$(ax next --json | field start)" = "$(ax show 1 --json | field ready)" ]
    [ "$(ax next --json | field due)" = "$(ax show 1 --json | field due)" ]
}

@test "a one-off job has one time, and none when it is over" {
    ax add --name once 2100-01-01T00:00Z true
    [ "$(utc once)" = 2100-01-01T00:00:00Z ]
    run -1 ax next once --from 2100-01-01T00:00Z
    ax cancel once
    run -1 --separate-stderr ax next 1
    assert_output ''
    [[ $stderr == *'job 1 is cancelled'* ]]
}

@test "a job that is late is still to come" {
    ax add 0s true
    due=$(ax show 1 --json | field due)
    [ "$(ax next 1 --json | field due)" = "$due" ]
    [ "$(ax next --json | field due)" = "$due" ]
}

@test "a name wins over a WHEN, and says so" {
    [ "$(utc noon --from 2027-01-01T00:00Z)" = 2027-01-01T12:00:00Z ]
    ax add --name noon 2100-01-01T00:00Z true
    run --separate-stderr ax next noon --json
    [ "$(field due <<<"$output")" = 2100-01-01T00:00:00Z ]
    [[ $stderr == *'job 1 has the name `noon`'* ]]
    [ "$(utc --at noon --from 2027-01-01T00:00Z)" = 2027-01-01T12:00:00Z ]
}

# ---- the agenda ----

@test "without a subject: all jobs in order of time, whatever their queue" {
    run ax next
    assert_success
    assert_output ''
    ax add --name late --queue a 2100-01-01T03:00Z true
    ax add --name early --priority 5 2100-01-01T01:00Z true
    ax add --name often --queue b --not-before 2100-01-01T00:30Z 'every 1h' true
    ax add --name gone 2100-01-01T00:00Z true
    ax cancel gone
    run ax next -n 6 --json
    assert_success
    assert_equal "$(field name <<<"$output" | tr '\n' ' ')" 'often early often often late often '
    assert_equal "$(field due <<<"$output" | sort | tr '\n' ' ')" "$(field due <<<"$output" | tr '\n' ' ')"
    assert_equal "$(ax next --until 2100-01-01T02:00Z --json | field name | tr '\n' ' ')" 'often early often '
    assert_equal "$(ax next --from 2100-01-01T01:00Z -n 3 --json | field name | tr '\n' ' ')" 'often often late '
    run ax next -n 1
    assert_output --regexp '^2100-01-01 00:30:00 \+00:00  2100-01-01T00:30:00Z  in .*  job 3 often: true$'
}

@test "a running job is in the agenda with what follows its run" {
    serve
    ax add --name busy 'every 2s' sleep 60
    until_true 10 state_is busy running
    ax add --name later 2100-01-01 true
    run ax next -n 1 --json
    assert_equal "$(field name <<<"$output")" busy
    run ax next busy -n 1
    assert_success
}

@test "a running job that its next occurrence will replace is in the agenda once" {
    serve
    ax add --overlap replace --not-before "$(date -u -d '+1 second' +%FT%T.%NZ)" 'every 1h' sleep 60
    until_true 10 state_is 1 running
    run ax next -n 3
    assert_line --index 0 --regexp '  in (1h|59m [0-9]+s)  job 1: '
    assert_line --index 1 --regexp '  in (2h|1h (59|60)m)  job 1: '
    assert_equal "$(ax next -n 1 --json | field due)" "$(ax show 1 --json | field next)"
    assert_equal "$(utc 1 -n 3)" "$(utc -n 3)"
}

@test "thousands of jobs due at once, and one before them" {
    for i in $(seq 3000); do echo '{"command":"true","at":"2100-01-02T00:00Z"}'; done >jobs
    echo '{"command":"true","name":"first","at":"2100-01-01T00:00Z"}' >>jobs
    ax import ndjson jobs
    run ax next --json -n 2500
    assert_equal "$(head -1 <<<"$output" | field name)" first
    assert_equal "$(wc -l <<<"$output")" 2500
    assert_equal "$(tail -n +2 <<<"$output" | field job | tr '\n' ' ')" "$(seq -s ' ' 2499) "
}

# ---- field cases ----

@test "two spellings of one set of days, two different schedules" {
    assert_equal "$(days 06:15:00 '15 6 */3 * 2' --from 2027-03-01T00:00Z --tz UTC -n 5)" '03-16 04-13 05-04 05-25 06-01'
    assert_equal "$(days 06:15:00 '15 6 1-31/3 * 2' --from 2027-03-01T00:00Z --tz UTC -n 8)" '03-01 03-02 03-04 03-07 03-09 03-10 03-13 03-16'
}

@test "week ranges that touch Sunday" {
    assert_equal "$(days 08:00:00 '0 8 * * 5-7' --from 2027-03-01T00:00Z -n 4)" '03-05 03-06 03-07 03-12'
    assert_equal "$(days 08:00:00 '0 8 * * sun-thu' --from 2027-03-01T00:00Z -n 6)" '03-01 03-02 03-03 03-04 03-07 03-08'
    assert_equal "$(days 08:00:00 '0 8 * * 0,7' --from 2027-03-01T00:00Z -n 2)" '03-07 03-14'
    assert_equal "$(days 08:00:00 '0 8 * * FRI-MON' --from 2027-03-01T00:00Z -n 5)" '03-01 03-05 03-06 03-07 03-08'
}

@test "junk behind a valid beginning" {
    for pair in '7x * * * *|7x' '3- * * * *|3-' '1,,2 * * * *|1,,2' '1-2-3 * * * *|1-2-3' '*/15min * * * *|*/15min' '@weeklyish|@weeklyish' '* * * * * *extra|*extra'; do
        for how in WHEN --cron; do
            if [ $how = --cron ]; then run -2 ax next --cron "${pair%|*}"; else run -2 ax next "${pair%|*}"; fi
            assert_output --partial "${pair#*|}"
        done
    done
    assert_equal "$(utc '0 9 * * 1 ' --from 2027-03-01T00:00Z)" "$(utc '0 9 * * 1' --from 2027-03-01T00:00Z)"
}

@test "steps bigger than the field, step zero, step after a single number" {
    for expression in '*/0 * * * *' '0-0/0 * * * *' '5/15 * * * *'; do
        run timeout 2 "$AX" next "$expression" -n 5
        assert_failure 2
    done
    for expression in '*/70 * * * *' '*/60 * * * *'; do
        assert_equal "$(utc "$expression" --from 2027-03-01T00:30Z -n 2)" '2027-03-01T01:00:00Z 2027-03-01T02:00:00Z'
        grep -F 'the step is longer than the range' err
    done
    assert_equal "$(utc '41-59/24 * * * *' --from 2027-03-01T00:00Z -n 2)" '2027-03-01T00:41:00Z 2027-03-01T01:41:00Z'
}

@test "a date that cannot come" {
    for expression in '0 0 30 2 *' '0 0 31 4,6,9,11 *'; do
        run timeout 2 "$AX" next "$expression" -n 1
        assert_failure 1
        assert_output --partial never
    done
    assert_equal "$(utc '0 0 31 4,5 *' --from 2027-03-01T00:00Z -n 2)" '2027-05-31T00:00:00Z 2028-05-31T00:00:00Z'
}

@test "the fourth Saturday is not the fifth" {
    assert_equal "$(days 18:30:00 '30 18 * * 6#4' --from 2027-01-01T00:00Z -n 7)" '01-23 02-27 03-27 04-24 05-22 06-26 07-24'
    assert_equal "$(days 18:30:00 '30 18 * * 6#5' --from 2027-01-01T00:00Z -n 4)" '01-30 05-29 07-31 10-30'
    run -2 ax next '30 18 * * 6#6'
    run -2 ax next '30 18 * * 6#0'
}

@test "a fixed time inside the spring gap" {
    assert_equal "$(utc '30 2 * * *' --from 2027-03-27T00:00Z --tz Europe/Berlin -n 3)" '2027-03-27T01:30:00Z 2027-03-28T01:00:00Z 2027-03-29T00:30:00Z'
}

@test "a fixed time inside the repeated hour" {
    assert_equal "$(utc '30 2 * * *' --from 2027-10-31T00:00Z --tz Europe/Berlin -n 2)" '2027-10-31T00:30:00Z 2027-11-01T01:30:00Z'
    assert_equal "$(utc '30 2 * * *' --from 2027-10-31T01:10Z --tz Europe/Berlin -n 1)" '2027-11-01T01:30:00Z'
}

@test "wildcards neither pause nor race in the repeated hour" {
    assert_equal "$(utc '*/20 * * * *' --from 2027-11-07T04:59Z --tz America/New_York -n 6)" \
        '2027-11-07T05:00:00Z 2027-11-07T05:20:00Z 2027-11-07T05:40:00Z 2027-11-07T06:00:00Z 2027-11-07T06:20:00Z 2027-11-07T06:40:00Z'
}

@test "a zone that does not exist" {
    for zone in Europe/Berlln ../../etc/passwd '' /etc/passwd; do
        run -2 ax next '0 9 * * *' --tz "$zone"
        assert_output --partial "$zone"
    done
    run -2 env TZ=Europe/Berlln "$AX" next '0 9 * * *'
    assert_output --partial Europe/Berlln
    [ "$(TZ= utc '0 9 * * *' --from 2027-03-01T00:00Z -n 1)" = 2027-03-01T09:00:00Z ]
}
