#!/usr/bin/env bats
# ax exec: a job in the foreground, just as the scheduler runs it.

load helper

import() {
    ax import ndjson - <<<"$1" >/dev/null 2>&1
}

# What a command can see of how it was started, less what differs from run to run.
see='env | grep -vE "^(AX_(RUN|DUE|KEY)|_|SHLVL)=" | sort; pwd; umask; id; nice; ulimit -n; ls -l /proc/self/fd/0 | sed "s/.*-> //"; test -t 1 || echo no terminal; ps -o sid= -p $$ | grep -qx " *$$" && echo own session'

@test "environment, directory, umask, user, limits, shell, input: as the scheduler starts it" {
    mkdir place
    echo 'FROM_FILE=1' >place/vars
    quoted=$(sed 's/["\\]/\\&/g' <<<"$see")
    import "{\"name\":\"plain\",\"every\":\"1h\",\"command\":\"$quoted\"}
{\"name\":\"rich\",\"every\":\"1h\",\"command\":\"$quoted\",\"cwd\":\"$PWD/place\",\"umask\":\"077\",\"env\":{\"A\":\"b c\"},\"env_file\":\"$PWD/place/vars\",\"nice\":3,\"rlimits\":{\"nofile\":\"77\"},\"shell\":[\"/bin/bash\",\"-c\"]}"
    ONLY_HERE=1 ax add -q --name kept --every 1h -c "$see"
    serve
    for job in plain rich kept; do
        ax start "$job"
        until_true 20 eval '[ -n "$(ax history --json "$job")" ]' # it may be over before anyone could wait for it
        ax log --raw "$job" >by-scheduler
        run -0 --separate-stderr ax exec "$job"
        echo "$output" >by-exec
        diff by-scheduler by-exec
        [ "$(wc -l <by-exec)" -gt 10 ]
        ax log --raw "$job" | diff - by-exec
    done
    grep -qx ONLY_HERE=1 by-exec
}

@test "as another user, for root" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    import '{"name":"job","every":"1h","command":"id -un; echo $HOME $USER; pwd","user":"nobody","cwd":"/"}'
    run -0 ax exec job
    assert_line --index 0 nobody
    assert_line --index 1 --regexp ' nobody$'
    assert_line --index 2 /
}

@test "input, output of both kinds, exit codes" {
    import '{"name":"cat","every":"1h","command":["cat"],"stdin":"one\ntwo\n"}
{"name":"both","every":"1h","command":"echo out; echo err >&2; exit 3"}
{"name":"killed","every":"1h","command":"kill -TERM $$"}
{"name":"slow","every":"1h","command":"echo begun; sleep 7841","timeout":"300ms"}
{"name":"nothing","every":"1h","command":["/no/such/program"]}
{"name":"background","every":"1h","command":"sleep 7842 & echo done"}'
    run -0 ax exec cat
    assert_output $'one\ntwo'
    run -3 --separate-stderr ax exec both
    assert_output $'out\nerr'
    run -143 ax exec killed
    run -124 ax exec slow
    assert_output $'begun\nax exec: its time limit has ended it'
    run ! sleeps 7841
    run -125 ax exec nothing
    assert_output --partial "/no/such/program: No such file or directory"
    run -0 timeout 10 "$AX" exec background
    kill $(sleeps 7842)
    run -3 ax exec nobody
    run -2 ax exec
    run -2 ax exec cat both
    run -2 ax exec --env --compare cat
}

@test "it is kept in history as started by hand; schedule and retries have no part in it" {
    import '{"name":"job","every":"1h","command":"echo $AX_RUN $AX_ATTEMPT $AX_NAME; exit $(cat code)","cwd":"'"$PWD"'","retries":3,"retry_delay":"10ms"}'
    due() { ax show --json job | sed 's/"latest_runs.*//' | field due; }
    due=$(due)
    serve
    echo 4 >code
    run -4 ax exec job
    assert_output "1.1 1 job"
    run -0 ax history --json job
    assert_equal "$(field run <<<"$output") $(field outcome <<<"$output") $(field exit_code <<<"$output") $(field cause <<<"$output")" "1.1 failed 4 manual"
    run -0 ax log 1.1
    assert_output "1.1 1 job"
    echo 0 >code
    ax start job
    until_true 20 eval 'ax history --json job | grep -q "\"run\":\"1.2\".*\"outcome\":\"ok\""'
    run -0 ax exec job
    assert_output "1.3 1 job"
    assert_equal "$(due)" "$due"
    assert_equal "$(ax history --json job | wc -l)" 3
}

@test "a large output is kept like any other" {
    import '{"name":"job","every":"1h","command":"seq 20000"}'
    run -0 ax exec job
    assert_equal "$output" "$(seq 20000)"
    assert_equal "$(ax log --raw 1.1)" "$(seq 20000)"
    ax exec job | head -n 1 >first
    assert_equal "$(cat first)" 1
    assert_equal "$(ax log --raw 1.2)" "$(seq 20000)"
}

@test "TERM and Ctrl-C end it with all its processes" {
    import '{"name":"job","every":"1h","command":"sleep 7843 & setsid sleep 7843 & sleep 7843","kill_after":"1s"}
{"name":"stubborn","every":"1h","command":"trap \"\" TERM; sleep 7843; sleep 7843; sleep 7843","kill_after":"300ms"}'
    three() { [ "$(sleeps 7843 | wc -l)" = 3 ]; }
    for word in job:TERM:three stubborn:INT:"sleeps 7843"; do
        IFS=: read -r job signal begun <<<"$word"
        # what runs in the background of a script ignores INT
        env --default-signal=INT "$AX" exec "$job" >out 2>&1 &
        pid=$!
        until_true 10 $begun
        kill -"$signal" $pid
        wait $pid && code=0 || code=$?
        [ "$code" -ge 128 ]
        grep -q "ended with all its processes" out
        run ! sleeps 7843
        assert_equal "$(ax history --json "$job" | field outcome)" cancelled
    done
}

@test "--env and --compare run nothing" {
    import '{"name":"job","every":"1h","command":"touch ran","cwd":"'"$PWD"'","env":{"A":"1"}}'
    run -0 ax exec --env job
    assert_line A=1
    assert_line AX_NAME=job
    assert_line PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    run -0 env -i HOME="$HOME" PATH=/bin A=2 HERE=1 AX_SPOOL="$AX_SPOOL" "$AX" exec --compare job
    assert_line --index 0 PATH
    assert_line --index 1 "  here  /bin"
    assert_line --index 2 "  job   /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    assert_output --partial $'\nA\n  here  2\n  job   1\n'
    assert_output --partial $'\nHERE\n  here  1\n  job   (not set)\n'
    refute_line HOME
    run -0 ax exec --compare --json job
    assert_equal "$(head -n 1 <<<"$output" | field name)" PATH
    [ ! -e ran ]
    run -0 ax history --json job
    assert_output ""
}

@test "a job of a file, without a spool" {
    printf 'version: 1\njobs:\n  hello:\n    every: 1h\n    command: "echo $AX_NAME; pwd; exit 5"\n' >jobs.yaml
    run -5 --separate-stderr ax exec --file jobs.yaml hello
    assert_output $'hello\n'"$PWD"
    run -0 ax exec --file jobs.yaml --env hello
    assert_line "AX_FILE=$PWD/jobs.yaml"
    run -3 ax exec --file jobs.yaml other
    [ ! -e "$AX_SPOOL" ]
}

@test "while it goes it is an open run, for a scheduler as well, and takes no part in the schedule" {
    ax add -q --name j --every 1h -c 'sleep 7891'
    serve
    "$AX" exec j >out 2>&1 3>&- &
    until_true 10 sleeps 7891
    run -0 ax signal 1.1 CONT
    run -0 ax why j
    assert_output --partial "its run 1.1 goes in the foreground of an ax exec"
    assert_equal "$(ax queue ls --json | field running)" 0
    state_is j waiting
    run -0 ax start j # beside it: overlap has no part in it
    two() { [ "$(sleeps 7891 | wc -l)" = 2 ]; }
    until_true 10 two
    ax stop j
    kill -TERM %1 2>/dev/null || true
    wait %1 || true
    over() { [ "$(ax history --json j | grep -c '"run":"1.1"')" = 1 ]; }
    until_true 10 over
    assert_equal "$(ax history --json j | grep '"run":"1.1"' | field outcome)" cancelled
    assert_equal "$(ls "$AX_SPOOL/runs" | grep -c '^1\.1')" 0
}

@test "killed with -9 it is lost, found by the scheduler that serves, and what was left of it is ended" {
    ax add -q --name j --every 1h --retries 3 -c 'sleep 7892'
    serve
    "$AX" exec j >out 2>&1 3>&- &
    until_true 10 sleeps 7892
    kill -KILL %1
    wait %1 || true
    lost() { [ "$(ax history --json j | field outcome)" = lost ]; }
    until_true 10 lost
    run ! sleeps 7892
    assert_equal "$(ax history --json j | field reason)" "its ax exec was killed"
    state_is j waiting
    assert_equal "$(ls "$AX_SPOOL/runs")" ""
}

@test "killed with -9 while nobody serves: the next scheduler finds it, and leaves one alone that lives" {
    ax add -q --name j --every 1h -c 'sleep 7893'
    ax add -q --name k --every 1h -c 'sleep 7894; exit 3'
    "$AX" exec j >out 2>&1 3>&- &
    "$AX" exec k >out 2>&1 3>&- &
    until_true 10 sleeps 7893
    until_true 10 sleeps 7894
    kill -KILL %1
    wait %1 || true
    serve
    lost() { [ "$(ax history --json j | field outcome)" = lost ]; }
    until_true 10 lost
    run ! sleeps 7893
    unserve
    serve # adopted once more
    sleeps 7894
    kill $(sleeps 7894)
    code=0
    wait %2 || code=$?
    assert_equal $code 3
    assert_equal "$(ax history --json k | field outcome)" failed
    run -0 ax start k
    until_true 10 sleeps 7894
    ax stop k
}
