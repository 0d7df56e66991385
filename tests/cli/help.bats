load helper

@test "ax alone: the commands most people want, and whether somebody serves" {
    run ax
    assert_success
    assert_line --regexp '^  ax add 20m '
    assert_line --regexp '^  ax ls '
    assert_output --partial "the spool, which is $AX_SPOOL"
    assert_output --partial '`ax run --detach` starts one'
    [ "${#lines[@]}" -lt 12 ]
    serve
    run ax
    assert_success
    assert_output --partial 'A scheduler serves your spool'
    refute_output --partial 'ax run --detach'
    run ax --spool "$BATS_TEST_TMPDIR/other"
    assert_output --partial "$BATS_TEST_TMPDIR/other"
}

@test "ax help lists the commands, without the hidden ones" {
    run ax help
    assert_success
    assert_line --partial 'ax COMMAND'
    for command in add ls show next log history cancel run queue import export help version; do
        assert_line --regexp "^  $command +[a-z]"
    done
    refute_output --partial __worker
    [ "$(wc -L <<<"$output")" -le 80 ]
    [ "$output" = "$(ax --help)" ]
}

@test "each command has a help that fits on 80 columns" {
    local commands=$(ax help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx ax)
    [ "$(wc -w <<<"$commands")" -gt 20 ]
    for command in $commands; do
        run ax help $command
        assert_success
        assert_line --index 0 --partial "Usage: ax $command"
        [ "$output" = "$(ax $command --help)" ]
        [ -z "$(awk 'length > 80' <<<"$output")" ] || fail "$command: $(awk 'length > 80' <<<"$output")"
    done
}

@test "every field is an option of add" {
    run ax help add
    for option in name retries retry-delay timeout kill-after success-exit if-lost cwd umask env user nice output-max; do
        assert_line --regexp "^ +--$option "
    done
}

@test "unknown commands name the near one" {
    run ax hstory
    assert_failure 2
    assert_output 'ax: there is no command `hstory`; did you mean `ax history`?'
    run ax qqqqqq
    assert_failure 2
    assert_output --partial '`ax help`'
    run ax help hstory
    assert_failure 2
    assert_output --partial 'ax help history'
}

@test "ax run takes no job" {
    run ax run 12
    assert_failure 2
    assert_output --partial 'ax start 12'
    assert_output --partial 'ax exec 12'
}

@test "version" {
    run ax version
    assert_output --regexp '^ax [0-9]+\.[0-9]+\.[0-9]+$'
    [ "$output" = "$(ax --version)" ]
    assert_equal "$(ax version --json)" "{\"version\":\"${output#ax }\"}"
    run ax version extra
    assert_failure 2
}

@test "--spool says where, before the command and behind it" {
    ax --spool "$PWD/one" add 20m true
    ax add --spool "$PWD/two" 20m true
    [ -d one ] && [ -d two ] && [ ! -e "$AX_SPOOL" ]
    [ "$(ax ls --spool "$PWD/one" --json | wc -l)" -eq 1 ]
}

@test "a spool that others can reach is refused, with owner and mode" {
    ax add 20m true
    chmod 755 "$AX_SPOOL"
    for command in "ls" "add 20m true" "cancel 1" "history" "log 1" "queue ls" "export --ndjson"; do
        run ax $command
        assert_failure 5
        assert_output --partial "$AX_SPOOL"
    done
    chmod 700 "$AX_SPOOL"
    run ax ls
    assert_success
}

@test "an unknown option without a near one says where to look" {
    run -2 ax ls --bogus
    assert_output 'ax ls: unknown option --bogus; `ax help ls` lists them'
}

@test "ax help of a topic is its manual page" {
    mkdir bin
    printf '#!/bin/sh\necho "page $*"\n' >bin/man
    chmod +x bin/man
    local word page
    while read -r word page; do
        PATH=$PWD/bin:$PATH run -0 ax help "$word"
        assert_output "page $page"
        [ -f "$BATS_TEST_DIRNAME/../../man/${page#* }.${page% *}" ]
    done <<'END'
jobs 5 ax-jobs
schedule 7 ax-schedule
when 7 ax-schedule
spool 7 ax-spool
ax-spool 7 ax-spool
migrate 7 ax-migrate
crontab 7 ax-migrate
ax 1 ax
END
    printf '#!/bin/sh\necho "No manual entry" >&2; exit 16\n' >bin/man
    PATH=$PWD/bin:$PATH run -16 ax help jobs
    assert_output --partial 'man/ax-jobs.5'
    PATH= run -1 "$AX" help jobs
    assert_output --partial 'the manual page ax-jobs(5) tells about it'
}

@test "ax help of a field, a state, an outcome" {
    run -0 ax help catchup
    assert_line --index 1 --partial '(default: latest)'
    assert_output --partial '`ax set JOB catchup=VALUE`'
    assert_output --partial 'ax-jobs(5)'
    [ "$output" = "$(ax help --spool . catchup)" ]
    [ "$(ax help retry-delay)" = "$(ax help retry_delay)" ]
    run -0 ax help cron
    assert_output --partial 'ax-schedule(7)'
    run -0 ax help timeout
    assert_output --partial 'A field of jobs'
    assert_output --partial 'outcome of a run'
    local word
    for word in $(ax ls --state nonsense 2>&1 | sed 's/.*none of //; s/;.*//; s/,//g') $(ax history --outcome nonsense 2>&1 | sed 's/.*none of //; s/;.*//; s/,//g'); do
        run -0 ax help "$word"
        [ -n "$output" ]
        count=$((${count:-0} + 1))
    done
    [ "$count" -gt 15 ]
    run -2 ax help catchupp
    assert_output --partial 'did you mean `ax help catchup`?'
    run -2 ax help qqqqqqqqq
    assert_output --partial '`ax help` lists the commands'
}

@test "what commands are called elsewhere" {
    local word want
    while read -r word want; do
        run -2 ax $word
        assert_output "ax: there is no command \`$word\`; did you mean \`ax $want\`?"
        [ "$want" = 'run --stop' ] || ax help ${want%% *} >/dev/null
    done <<'END'
remove cancel
kill stop
rerun retry
backup dump
restore load
clean prune
shutdown run --stop
jobs ls
crontab import crontab
END
    [ "$(ax help unpause)" = "$(ax help resume)" ]
}
