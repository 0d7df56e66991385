#!/usr/bin/env bats
# ax start, and runs that overlap: occurrences beside the schedule's own.

load helper

import() {
    ax import ndjson - <<<"$1" >/dev/null 2>&1
}

# How many runs of a job have ended with this outcome.
ended() { # JOB OUTCOME
    ax history --json "$1" | grep -c "\"outcome\":\"$2\""
}

ended_times() { # JOB OUTCOME COUNT
    [ "$(ended "$1" "$2")" -ge "$3" ]
}

@test "start runs a job now, and leaves its schedule" {
    ax add -q --name nightly --every 1h -- sh -c 'echo $AX_DUE'
    due=$(ax ls --json | field due)
    serve
    run -0 ax start nightly
    assert_output "job 1 nightly: starts as soon as there is a slot"
    until_true 10 ended_times nightly ok 1
    assert_equal "$(ax ls --json | field due)" "$due"
    assert_equal "$(ax history --json nightly | field cause)" manual
    state_is nightly waiting
}

@test "start runs a one-off job again that has ended, and one that waits for nothing" {
    import '{"name":"by-hand","command":"true"}'
    ax add -q --name once --now -- true
    serve
    until_true 10 state_is once done
    ax start once by-hand
    until_true 10 ended_times once ok 2
    until_true 10 ended_times by-hand ok 1
    until_true 10 state_is once done
    state_is by-hand waiting
}

@test "replays run one after the other, each with the due time it stands for" {
    import '{"name":"hourly","cron":"0 * * * *","timezone":"UTC","command":"echo $AX_DUE; sleep 0.2"}'
    serve
    run -0 ax start hourly --from 2026-01-01T10:30Z --until 2026-01-01T13:00Z --json
    assert_equal "$(field count <<<"$output")" 3
    until_true 10 ended_times hourly ok 3
    run -0 ax history --json hourly
    assert_equal "$(field due <<<"$output" | sort | tr '\n' ' ')" "2026-01-01T11:00:00Z 2026-01-01T12:00:00Z 2026-01-01T13:00:00Z "
    assert_equal "$(field cause <<<"$output" | sort -u)" replay
    # none started before the one in front had ended
    ax history --json hourly | sort -t. -k2n >rows
    assert_equal "$(while read -r row; do echo "$(field started_ns <<<"$row") $(field ended_ns <<<"$row")"; done <rows | sort -n | tr ' ' '\n')" \
        "$(while read -r row; do echo "$(field started_ns <<<"$row") $(field ended_ns <<<"$row")"; done <rows | tr ' ' '\n' | sort -n)"
}

@test "--until takes in the whole day of a date, of today what has passed" {
    import '{"name":"daily","cron":"0 3 * * *","timezone":"UTC","command":"true"}'
    run -0 --separate-stderr ax start daily --from 2026-01-01 --until 2026-01-03
    assert_output "job 1 daily: replays 3 due times, 2026-01-01 03:00:00 +00:00 to 2026-01-03 03:00:00 +00:00"
    run -0 --separate-stderr ax start daily --from 2026-01-01 --until 2026-01-03T00:00
    assert_output --partial "replays 2 due times"
    run -0 --separate-stderr ax start daily --from @1767236400 --until @1767236400 # 2026-01-01T03:00Z
    assert_output --partial "replays its due time 2026-01-01 03:00:00"
    import '{"name":"often","cron":"* * * * *","timezone":"UTC","command":"true"}'
    run -0 --separate-stderr ax start often --from "@$(($(date +%s) - 180))" --until "$(date +%F)"
    run -2 ax start daily --from 2026-01-01 --until yesterday
    assert_output --partial "ax start: --until: "
}

@test "what is no due time, or not yet one, is not replayed" {
    import '{"name":"hourly","cron":"0 * * * *","timezone":"UTC","command":"true"}'
    run -2 ax start hourly --due 2026-01-01T10:30Z
    assert_output "ax start: 2026-01-01T10:30:00Z is no due time of job 1; the next one after it is 2026-01-01T11:00:00Z"
    run -2 ax start hourly --due 2100-01-01T10:00Z
    assert_output --partial "a due time to come is not replayed"
    run -2 ax start hourly --due 2026-01-01T10:00Z --from 2026-01-01T10:00Z
    run -2 ax start hourly --until 2026-01-01T10:00Z
    run -2 ax start hourly --from 2000-01-01
    assert_output --partial "more than 10000 due times"
    run -3 ax start nobody
    run -2 ax start
    run -0 ax history --json
    assert_output ""
}

@test "overlap: allow runs them side by side, and cancel stops them all" {
    import '{"name":"many","every":"1s","command":"sleep 7811","overlap":"allow"}'
    serve
    three() { [ "$(sleeps 7811 | wc -l)" -ge 3 ]; }
    until_true 20 three
    state_is many running
    run -0 ax cancel many
    assert_output --partial "run 1.1 was stopped"
    assert_output --partial "run 1.3 was stopped"
    run ! sleeps 7811
    state_is many cancelled
}

@test "runs that overlap outlive the scheduler, and the next one hears of their ends" {
    import '{"name":"many","every":"1s","command":"sleep 4","overlap":"allow"}'
    serve
    until_true 20 test -e "$AX_SPOOL/runs/1.2"
    unserve KILL
    serve
    until_true 20 ended_times many ok 2
    run -0 ax history --json many
    refute_output --partial lost
}

@test "overlap: replace ends the run before" {
    import '{"name":"one","every":"1s","command":"sleep 7812","overlap":"replace"}'
    serve
    until_true 20 ended_times one cancelled 2
    run -0 ax history --json one
    assert_output --partial "stopped for the next occurrence (overlap: replace)"
    [ "$(sleeps 7812 | wc -l)" -le 1 ]
    ax cancel one
}
