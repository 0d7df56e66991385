load helper

# Design section 9: a clock that is set back brings no silence, whoever runs at that moment.

late() { # SECONDS: jobs that are due more than so far from now
    ax ls --json | sed -nE 's/.*"due_ns":([0-9]+).*/\1/p' | awk -v most="$(($(date +%s) + $1))" '$1 / 1e9 > most' | wc -l
}

none_late() {
    [ "$(late 3610)" -eq 0 ]
}

@test "the clock is set back while no scheduler runs: interval jobs go on at once" {
    AX_CLOCK_SHIFT=7200 ax add -q every 1s -- sh -c 'echo x >>ran'
    ax add -q every 1h -- true
    serve
    until_true 20 [ -s ran ]
    [ "$(late 3610)" -eq 0 ]
    state_is 2 waiting
    [ "$(ax show --json 2 | field due_ns)" -gt "$(($(date +%s) + 3500))000000000" ]
}

@test "the scheduler dies while a step of the clock is half applied: the next one goes on with it, no job is moved twice" {
    local jobs=2500
    for i in $(seq $jobs); do echo '{"command":"true","every":"1h"}'; done | AX_CLOCK_SHIFT=7200 ax import ndjson - >imported
    [ "$(late 3610)" -eq $jobs ]
    AX_FAULT=scheduler-after-commit:2 serve || true
    [ "$(late 3610)" -gt 0 ]
    [ "$(late 3610)" -lt $jobs ]
    serve
    until_true 20 none_late
    [ "$(late 3500)" -eq $jobs ]
}
