load helper

# Jobs chosen by what they have in common, by the commands that do one thing to each; ax start with what it may say of its run.

fill() {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"a","every":"1h","command":"echo a","cwd":"/","tags":["web"],"queue":"slow"}
{"name":"b","every":"1h","command":"echo b","cwd":"/","tags":["web"]}
{"name":"c","every":"1h","command":"exit 4","cwd":"/","tags":["db"]}
{"name":"once","at":"2099-01-01T00:00:00Z","command":"echo once $AX_DUE","cwd":"/"}
END
}
paused() {
    ax ls --all --json | grep '"state":"paused"' | field name | tr '\n' ' '
}

@test "pause and resume by tag, queue, name, state; more than one only when somebody means it" {
    fill
    run -2 ax pause --tag web
    assert_output "ax pause: 2 jobs match (a, b); to pause them all: \`ax pause --tag web --yes\`"
    assert_equal "$(paused)" ''
    run -0 ax pause --queue slow
    assert_output "job 1 a: paused"
    run -0 ax pause --tag web --all
    assert_line "job 1 a: was paused already"
    assert_line "job 2 b: paused"
    assert_equal "$(paused)" 'a b '
    run -0 ax resume --state paused --all --json
    [ "${#lines[@]}" -eq 2 ]
    run -0 ax pause --all -q
    assert_output ''
    assert_equal "$(paused)" 'a b c once '
    run -0 ax resume --name '[bc]' --all
    assert_equal "$(paused)" 'a once '
    run -3 ax pause --tag nosuch
    assert_output 'ax pause: there is no such job'
    run -2 ax pause a --tag web
    assert_output --partial 'not both'
    run -0 ax resume --all
    run -0 ax pause --yes --tag web
    assert_equal "$(paused)" 'a b '
    run -2 ax resume --yes
    run -2 ax pause
    assert_output --partial '--tag, --queue'
}

@test "a question on the terminal names some of them" {
    fill
    run script -qec "'$AX' pause --tag web --tag db" /dev/null < <(sleep 0.3; echo n)
    assert_output --partial 'pause 3 jobs (a, b, c)? [y/N]'
    assert_equal "$(paused)" ''
    run script -qec "'$AX' pause --state waiting" /dev/null < <(sleep 0.3; echo y)
    assert_output --partial 'pause 4 jobs (a, b, c, ...)? [y/N]'
    assert_equal "$(paused)" 'a b c once '
}

@test "start, wait, retry, skip, stop, signal and cancel by what jobs have in common" {
    fill
    serve
    run -0 ax start --tag web --all --wait
    assert_line 'run 1.1: ok'
    assert_line 'run 2.1: ok'
    run -4 ax start c --wait
    run -0 ax retry --tag web --tag db --all # a and b have not failed
    assert_output --regexp '^job 3 c: tries again'
    run -1 ax retry --tag web --all
    assert_output --partial 'has not failed'
    run -0 ax skip --tag web --all
    [ "${#lines[@]}" -eq 2 ]
    run -1 ax stop --tag web --all
    assert_output --partial 'no run of job'
    ax add -q --name s1 --tags sleepers now -- sleep 7871
    ax add -q --name s2 --tags sleepers now -- sleep 7872
    until_true 10 sleeps 7871
    until_true 10 sleeps 7872
    run -0 ax signal --tag sleepers --all WINCH
    [ "${#lines[@]}" -eq 2 ]
    run -124 ax wait --tag sleepers --all --timeout 50ms
    run -0 ax stop --tag sleepers --all
    run ! sleeps 7871
    run -2 ax cancel --tag web
    run -0 ax cancel --tag web --all
    assert_line --regexp '^job 1: cancelled'
    run -0 ax cancel -q --tag db
    assert_output ''
}

@test "one transaction: one that is unknown, and nothing is done" {
    fill
    for command in pause cancel stop retry skip start; do
        run -3 ax $command a nosuch
        assert_output --partial 'there is no job nosuch'
    done
    assert_equal "$(paused)" ''
    [ -z "$(ax history --json)" ]
}

@test "start --wait passes the code of that run on, however soon it is over" {
    fill
    serve
    run -0 ax start a --wait
    assert_line --index 0 'job 1 a: starts as soon as there is a slot'
    assert_line --index 1 'run 1.1: ok'
    run -4 ax start -q c --wait
    assert_output ''
    run -4 ax start a c b --wait
    run -0 ax start --wait --json once
    assert_line --index 1 --partial '"run":"4.1"'
    run -0 ax start a --wait --due 2026-01-01T00:00:00Z || run -2 ax start a --wait --due 2026-01-01T00:00:00Z
    run -2 ax start a --wait --from 2026-01-01
    assert_output --partial '--wait is for one run'
    # beside a run of the schedule, and though the next occurrence would be another
    ax add -q --name slow --every 1h -- sleep 0.7
    ax start -q slow
    run -0 ax start slow --wait
    assert_line 'run 5.2: ok'
    # cancelled while it waits for its turn
    ax add -q --name long --every 1h -- sleep 7873
    ax start -q long
    until_true 10 sleeps 7873
    { c=0; "$AX" start long --wait >said 2>&1 || c=$?; echo $c >code; } 3>&- &
    until_true 10 eval 'grep -q starts said'
    ax cancel -q long
    until_true 10 [ -s code ]
    assert_equal "$(cat code)" 125
    grep -q cancelled said
}

@test "start --set: in the environment of that run, its retries too, and of no other" {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"env","every":"1h","command":"echo \"$AX_ATTEMPT $MODE $KEEP\"; [ $AX_ATTEMPT = 2 ]","cwd":"/","retries":1,"retry_delay":"1s","env":{"MODE":"usual","KEEP":"kept"}}
END
    serve
    ax start -q env --set MODE=full --set 'SECRET=x y'
    until_true 10 eval '[ "$(ax log 1.1)" = "1 full kept" ]'
    unserve
    serve # the retry is another scheduler's
    until_true 10 eval '[ "$(ax log 1.2)" = "2 full kept" ]'
    ax start -q env
    until_true 10 eval '[ "$(ax log 1.3)" = "1 usual kept" ]'
    run ax show env
    assert_output --partial 'started by hand; set MODE, SECRET'
    refute_output --partial 'x y'
    run -2 ax start env --set =x
    assert_output --partial '--set'
    run -2 ax start env --set NOVALUE
}

@test "start --set stays with the occurrence: in history its names, after ax retry its values" {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"env","every":"1h","command":"echo \"$MODE\"; [ -z \"$MODE\" ]","cwd":"/"}
{"name":"later","at":"2099-01-01T00:00:00Z","command":"echo \"$MODE\"","cwd":"/"}
END
    ax start -q env --set 'MODE=top secret' --set B=
    serve
    until_true 10 eval '[ "$(ax log 1.1)" = "top secret" ]'
    run -0 ax history --json env
    assert_output --partial '"set":["MODE","B"]'
    refute_output --partial 'top secret'
    ax retry -q env
    until_true 10 eval '[ "$(ax log 1.2)" = "top secret" ]'
    run -0 ax start env --wait
    assert_equal "$(ax log 1.3)" ''
    assert_equal "$(ax history --json env | head -n 1 | grep -o '"set":[^,]*')" '"set":[]'
    # the own occurrence of a job that is due once
    run -0 ax start later --shift --set MODE=early --wait
    assert_equal "$(ax log 2.1)" early
    run -0 ax start later --wait
    assert_equal "$(ax log 2.2)" ''
}

@test "start --set of a one-off job that has ended" {
    serve
    ax add -q --wait --name one now -c 'echo "mode ${MODE:-none}"'
    run -0 ax start one --wait --set MODE=full
    assert_equal "$(ax log 1.2)" 'mode full'
    run -0 ax start one --wait
    assert_equal "$(ax log 1.3)" 'mode none'
}

@test "start --shift: in place of the next run" {
    fill
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"yearly","cron":"0 0 1 1 *","command":"echo y","cwd":"/","timezone":"UTC"}
{"name":"by-hand","command":"echo h","cwd":"/"}
END
    serve
    local year=$(date -u +%Y)
    # an interval counts on from now
    run -0 ax start a --shift --wait
    assert_line --index 0 'job 1 a: starts as soon as there is a slot, in place of its next run'
    run ax next -n 1 a
    assert_output --regexp 'in (1h|59m 5[0-9]s)$'
    # another schedule goes on behind the one it stands for
    run -0 ax start yearly --shift --wait
    assert_equal "$(ax next -n 1 yearly | cut -c1-4)" $((year + 2))
    ax history yearly --json | grep '"outcome":"skipped"' | grep -q 'started by hand, earlier'
    # a one-off job runs now, and not again
    run -0 ax start once --shift --wait
    assert_line 'run 4.1: ok'
    state_is once done
    run -1 ax start by-hand --shift
    assert_output --partial 'no next occurrence'
    run -2 ax start a --shift --due 2026-01-01
}

@test "the jobs of a source" {
    fill
    printf 'version: 1\njobs:\n  one: {every: 1h, command: "true", cwd: /}\n  two: {every: 1h, command: "true", cwd: /}\n' >x.yaml
    ax apply -q --source mine x.yaml
    run -0 ax pause --source mine --all
    assert_equal "$(paused)" "one two "
    run -3 ax pause --source other
}

@test "start --shift: a due time that waited for a slot is not lost from history" {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"often","every":"1s","command":"true","cwd":"/"}
END
    sleep 1.1
    ax start -q often --shift
    run -0 ax history often --json
    assert_equal "$(field outcome <<<"$output") $(field reason <<<"$output")" "skipped a run started by hand has taken its place"
}
