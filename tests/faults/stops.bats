load helper

# How the scheduler goes: --on-stop, signals, --until-idle, and as PID 1.

@test "wait: it claims nothing more, and goes when the runs have ended" {
    serve_here -j 1
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done; exit 3'
    ax add -q now -- touch second
    until_true 20 [ -e began ]
    kill -TERM "$scheduler"
    until_true 20 grep -q event=stopping log
    sleep 0.3
    kill -0 "$scheduler"
    touch go
    exit_code
    [ "$code" -eq 0 ]
    outcome_is 1.1 failed 3
    [ ! -e second ]
}

@test "wait: what is not done in time is left going, exit 6, and the next one records it" {
    serve_here --stop-timeout 300ms
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done; exit 3'
    until_true 20 [ -e began ]
    kill -INT "$scheduler"
    exit_code
    [ "$code" -eq 6 ]
    serve
    touch go
    until_true 20 state_is 1 failed
    outcome_is 1.1 failed 3
    until_true 20 swept
}

@test "wait: a second signal hurries" {
    serve_here --stop-timeout 10m
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done'
    until_true 20 [ -e began ]
    kill -TERM "$scheduler"
    until_true 20 grep -q event=stopping log
    kill -TERM "$scheduler"
    exit_code
    [ "$code" -eq 6 ]
    touch go
}

@test "leave: it goes at once, exit 6, and the command is not disturbed" {
    serve_here --on-stop leave
    ax add -q now -- sh -c 'touch began; while [ ! -e go ]; do sleep 0.1; done; echo said; exit 3'
    until_true 20 [ -e began ]
    kill -HUP "$scheduler"
    exit_code
    [ "$code" -eq 6 ]
    touch go
    serve
    until_true 20 state_is 1 failed
    outcome_is 1.1 failed 3
    [ "$(ax log 1.1)" = said ]
}

@test "kill: the run is ended tree and all, recorded, and made again as if_lost says" {
    serve_here --on-stop kill
    ax add -q now -- sh -c 'echo x >>ran; setsid sleep 6301 & exec sleep 6301'
    ax add -q --if-lost fail now -- sh -c 'echo y >>ran; exec sleep 6301'
    until_true 20 eval '[ "$(sleeps 6301 | wc -l)" -eq 3 ]'
    kill -TERM "$scheduler"
    exit_code
    [ "$code" -eq 0 ]
    run sleeps 6301
    assert_failure
    outcome_is 1.1 killed
    outcome_is 2.1 killed
    serve_here --on-stop kill
    until_true 20 sleeps 6301
    [ "$(sort ran | tr -d '\n')" = xxy ]
    kill -TERM "$scheduler"
    exit_code
}

@test "kill: a second signal shortens the grace time" {
    serve_here --on-stop kill
    ax add -q --kill-after 10m now -- sh -c 'trap "" TERM; touch began; while :; do sleep 6302; done'
    until_true 20 [ -e began ]
    kill -TERM "$scheduler"
    until_true 20 grep -q event=stopping log
    sleep 0.3
    kill -0 "$scheduler"
    kill -TERM "$scheduler"
    exit_code
    [ "$code" -eq 0 ]
    run sleeps 6302
    assert_failure
    outcome_is 1.1 killed
}

@test "it goes though an outcome cannot be written; the next one is told" {
    for how in leave kill wait; do
        serve_here --on-stop $how --stop-timeout 500ms
        local number
        number=$(ax add -q now -- sh -c "touch began.$how; while [ ! -e go.$how ]; do sleep 0.1; done; exit 3")
        until_true 20 [ -e began.$how ]
        # a client is stopped while it writes
        AX_FAULT=store-in-write:1:stop "$AX" add -q 20m true 3>&- 4>&- &
        local client=$!
        until_true 20 stopped $client
        touch go.$how
        sleep 0.3
        kill -TERM "$scheduler"
        until_true 20 gone "$scheduler"
        exit_code
        [ "$code" -eq 6 ] || { echo "$how: exit $code"; return 1; }
        kill -CONT $client
        wait $client
        serve_here
        until_true 20 state_is "$number" failed
        [ "$(ax history --json "$number" | field exit_code)" = 3 ]
        kill -KILL "$scheduler"
        exit_code
    done
}

@test "it starts behind a writer that is stopped: it says so, and can be told to go" {
    ax add -q 20m true
    AX_FAULT=store-in-write:1:stop "$AX" add -q 20m true 3>&- 4>&- &
    local client=$!
    until_true 20 stopped $client
    "$AX" run 2>log 3>&- 4>&- &
    scheduler=$!
    until_true 30 grep -q "process $client is stopped" log
    kill -TERM "$scheduler"
    until_true 20 gone "$scheduler"
    exit_code
    [ "$code" -eq 5 ]
    kill -CONT $client
    wait $client
}

@test "until-idle: waits for runs, retries and one-off jobs, then exits 0" {
    ax add -q --retries 1 --retry-delay 500ms now -- sh -c 'echo x >>ran; exit 1'
    ax add -q in 1s -- sh -c 'echo y >>ran'
    ax add -q 'every 10m' -- true
    run timeout 40 "$AX" run --until-idle
    assert_success
    [ "$(sort ran | tr -d '\n')" = xxy ]
    state_is 1 failed
}

@test "as PID 1: orphans are reaped, outcomes are true, TERM is obeyed" {
    unshare -rpf --mount-proc true 2>/dev/null || skip "no namespaces here"
    for i in $(seq 20); do ax add -q now -- sh -c '(sleep 0.2 &); exit 3'; done
    ax add -q in 2s -- sh -c 'ps -eo stat | grep -c "^Z" >zombies; touch counted; sleep 6303'
    unshare -rpf --mount-proc "$AX" run --stop-timeout 300ms 2>log 3>&- 4>&- &
    local outside=$!
    until_true 30 [ -e counted ]
    [ "$(cat zombies)" -eq 0 ]
    [ "$(ax history --json --limit 100 | grep -c '"outcome":"failed","exit_code":3')" -eq 20 ]
    pkill -TERM -P $outside
    until_true 30 gone $outside
    wait $outside || true
    run sleeps 6303
    assert_failure
    outcome_is 21.1 killed
}
