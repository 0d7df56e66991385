#!/usr/bin/env bats
# ax signal: who gets it, and when nobody does.

load helper

# A job that writes each signal it gets into a file, and whose child does the same.
cat_job() {
    cat >job.sh <<'END'
trap 'echo HUP >>main; ' HUP
sh -c 'trap "echo HUP >>child" HUP; touch ready; while :; do sleep 0.05; done' &
while :; do wait; done
END
    ax add -q --name job --now -- sh job.sh
    until_true 10 test -e ready
}

@test "the session of the command gets it; with --main its first process alone" {
    serve
    cat_job
    run -0 ax signal job HUP
    assert_output --regexp '^run 1\.1: SIGHUP sent to [2-5] processes$'
    until_true 10 test -s main
    until_true 10 test -s child
    rm main child
    run -0 ax signal --main 1.1 sighup
    assert_output "run 1.1: SIGHUP sent to 1 process"
    until_true 10 test -s main
    sleep 0.2
    [ ! -e child ]
    state_is job running
    ax cancel job
}

@test "a run that the signal ends is killed, and tried again as the job says" {
    serve
    ax add -q --name job --retries 1 --retry-delay 100ms --now -- sleep 7831
    until_true 10 sleeps 7831
    run -0 ax signal --json job 9
    assert_equal "$(field signal <<<"$output") $(field processes <<<"$output")" "9 1"
    run -137 ax wait 1.1
    until_true 10 test -e "$AX_SPOOL/runs/1.2"
    until_true 10 sleeps 7831
    ax signal job TERM
    run -143 ax wait job
}

@test "a stopped run is continued" {
    serve
    ax add -q --name job --now -- sleep 7832
    until_true 10 sleeps 7832
    state() { sed 's/.*) //; s/ .*//' "/proc/$(sleeps 7832)/stat"; }
    stopped() { [ "$(state)" = T ]; }
    ax signal job STOP
    until_true 10 stopped
    ax signal job CONT
    until_true 10 eval '! stopped'
    ax cancel job
}

@test "a run whose scheduler is gone gets it too; one that is not there does not" {
    serve
    ax add -q --name job --now -- sleep 7833
    ax add -q --name later --in 1h -- true
    until_true 10 sleeps 7833
    unserve KILL
    run -1 ax signal later HUP
    assert_output "job 2: no run of it is going"
    run -0 ax signal job TERM
    until_true 10 eval '! sleeps 7833'
    serve
    run -143 ax wait job
    run -1 ax signal 1.1 TERM
    assert_output "run 1.1: it has ended"
}

@test "a pid that is another process now gets nothing" {
    serve
    ax add -q --name job --now -- sleep 7834
    until_true 10 sleeps 7834
    unserve KILL
    worker=$(sed -n 's/^worker \([0-9]*\) .*/\1/p' "$AX_SPOOL/runs/1.1")
    kill -KILL "$worker" $(sleeps 7834)
    sleep 7835 &
    stranger=$!
    sed -i "s/^started [0-9]*/started $stranger/" "$AX_SPOOL/runs/1.1"
    for how in "" --main; do
        run -1 ax signal $how job KILL
        assert_output --partial "run 1.1: "
        kill -0 $stranger
    done
    kill $stranger
}

@test "what is wrong" {
    ax add -q --name job --in 1h -- true
    run -2 ax signal job
    run -2 ax signal HUP job
    assert_output 'ax signal: `job` is no signal: it comes last, as a name such as HUP or a number'
    run -2 ax signal job 0
    run -2 ax signal job 99
    run -3 ax signal jbo HUP
    run -3 ax signal 1.4 HUP
}
