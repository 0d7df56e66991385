load helper

@test "a waiting job is cancelled at once" {
    ax add --name n 20m true
    run ax cancel n
    assert_success
    assert_output 'job 1: cancelled, it will not start'
    state_is 1 cancelled
    [ "$(ax history --json | field outcome)" = cancelled ]
}

@test "one that has ended: exit 1 and how" {
    serve
    ax add --wait now -- sh -c 'exit 3' || true
    run ax cancel 1
    assert_failure 1
    assert_output 'job 1: had ended already: failed, exit 3'
}

@test "an unknown job: exit 3, and none of the others is cancelled" {
    run ax cancel 1
    assert_failure 3
    [ ! -e "$AX_SPOOL" ]
    ax add 20m true
    run ax cancel 1 99
    assert_failure 3
    state_is 1 waiting
    run ax cancel
    assert_failure 2
}

@test "a running job is stopped, tree and all, before cancel returns" {
    serve
    ax add --kill-after 500ms now -- sh -c 'sleep 7812 & setsid sleep 7812 & wait'
    until_true 5 sleeps 7812
    run ax cancel 1
    assert_success
    assert_output --partial 'job 1: it was running; run 1.1 was stopped'
    run sleeps 7812
    assert_failure
    state_is 1 cancelled
    [ "$(ax history 1 --json | field outcome)" = cancelled ]
}

@test "a job that waits for its retry is cancelled at once, and not tried again" {
    serve
    ax add --retries 5 --retry-delay 1s --retry-jitter 0 now -- sh -c 'echo try; exit 1'
    until_true 5 state_is 1 retrying
    run ax cancel 1
    assert_success
    sleep 1.5
    [ "$(ax history 1 --json | grep -c '"run":"1')" -eq 1 ]
    state_is 1 cancelled
}

@test "a run whose worker outlived its scheduler" {
    serve
    ax add now -- sleep 7813
    until_true 5 sleeps 7813
    unserve KILL
    sleeps 7813
    run timeout 30 "$AX" cancel 1
    assert_success
    assert_output --partial 'was stopped (to be recorded when a scheduler next runs)'
    state_is 1 running
    run sleeps 7813
    assert_failure
    serve
    until_true 5 state_is 1 cancelled
}

@test "scheduler and worker are dead: nothing of the run stays alive, and no outcome is made up" {
    serve
    ax add --if-lost fail now -- sleep 7814
    until_true 5 sleeps 7814
    local worker
    worker=$(ps -o ppid= -p "$(sleeps 7814)")
    unserve KILL
    kill -9 $worker
    run timeout 30 "$AX" cancel 1
    assert_failure 1
    assert_output --partial 'nobody can know'
    run sleeps 7814
    assert_failure
    serve
    until_true 5 state_is 1 cancelled
    [ "$(ax history 1 --json | field outcome)" = lost ]
}

@test "a repeating job that is cancelled while it runs does not come again" {
    serve
    ax add 'every 1s' -- sleep 100
    until_true 5 state_is 1 running
    run ax cancel 1
    assert_success
    state_is 1 cancelled
}

@test "--json" {
    ax add 20m true
    run ax cancel --json 1
    assert_output '{"job":1,"result":"cancelled","run":null,"outcome":"cancelled","source":null,"was_paused":false}'
    run ax rm --json 1
    assert_failure 1
    assert_output '{"job":1,"result":"over","run":null,"outcome":"cancelled","source":null,"was_paused":false}'
}
