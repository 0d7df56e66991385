load helper

# Notices are on disk with what they tell of.

setup() {
    export AX_SPOOL=$BATS_TEST_TMPDIR/spool TZ=UTC LC_ALL=C.UTF-8 told=$BATS_TEST_TMPDIR/told
    NOTE='echo "$AX_EVENT $AX_AFTER $AX_RUN" >>"$told"'
    cd "$BATS_TEST_TMPDIR"
    touch told
}

@test "the scheduler dies around the commit of an outcome: the line is run, and once" {
    local number=0
    for fault in before-commit:2 after-commit:2 before-acknowledge:1; do
        number=$((number + 1))
        : >told
        AX_FAULT=scheduler-$fault serve
        ax add -q --notify "failure=$NOTE" now -- sh -c 'sleep 0.3; exit 7'
        echo "# $fault" && scheduler_gone
        [ "${fault%:*}" = before-acknowledge ] || [ ! -s told ] # the errand may be on its way then
        serve
        until_true 20 lines told 1
        sleep 0.5
        [ "$(cat told)" = "failure  $number.1" ]
        unserve KILL
    done
}

@test "long: the scheduler dies around the commit" {
    for fault in before-commit after-commit; do
        : >told
        rm -rf spool
        serve
        ax add -q --notify "long 2s=$NOTE" now -- sleep 6
        until_true 20 state_is 1 running
        unserve KILL
        scheduler=
        AX_FAULT=scheduler-$fault serve || true # its first transaction is that of the alarm, before it serves if it is time by then
        [ -z "$scheduler" ] || scheduler_gone
        [ ! -s told ]
        serve
        until_true 20 state_is 1 "done"
        [ "$(cat told)" = "long 2s 1.1" ]
        unserve KILL
    done
}

@test "the errand dies before it has noted that a line was run: the line is run again" {
    AX_FAULT=notifier-before-note serve
    ax add -q --notify "failure=$NOTE" now -- false
    until_true 20 lines told 1
    unserve KILL
    serve
    until_true 20 lines told 2
}

@test "a line that hangs is ended after its time, tried again a few times, and given up" {
    export AX_SLACK=1
    serve
    ax add -q --name job --notify 'failure=echo tried >>"$told"; sleep 7823 & sleep 7824' now -- false
    until_true 60 lines told 4
    until_true 20 grep -q "failure: the line took longer than 1 seconds, and was ended: given up" "$AX_SPOOL/scheduler.log"
    run ax show job
    assert_output --partial "and was ended: given up"
    run pgrep -fx "sleep 782[34]"
    assert_failure
    [ "$(ax status --json | field mail)" != 1 ]
    sleep 1.5
    lines told 4
}

@test "late: what passed while nobody served is told by the next scheduler, once" {
    export AX_CLOCK_SHIFT=-9000 # two and a half hours ago
    ax add -q --every 1h --name hourly --notify "late 10m=$NOTE" -- true
    ax add -q --every 1h --name skips --catchup skip --notify "late 10m=$NOTE" -- true
    ax add -q --every 1h --name soon --notify "late 1h=$NOTE" -- true
    ax add -q --every 1h --name paused --notify "late 10m=$NOTE" -- true
    ax add -q --every 1d --name daily --notify "late 10m=$NOTE" -- true
    ax add -q --every 1h --name quiet -- true
    ax pause -q paused
    unset AX_CLOCK_SHIFT
    serve
    until_true 20 lines told 3
    sleep 0.5
    sort -o told told
    echo "# $(cat told)"
    [ "$(cat told)" = "$(printf '%s\n' 'late 10m ' 'late 10m 1.1' 'late 1h ')" ]
    unserve
    serve
    sleep 0.5
    lines told 3
}
