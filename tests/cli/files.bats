load helper

export AX TERM=xterm

# ax.yaml with these lines of jobs, of source web.
web() {
    printf 'version: 1\nsource: web\ndefaults: {cwd: /}\njobs:\n' >ax.yaml
    printf '  %s\n' "$@" >>ax.yaml
}

number_of() { ax show --json "$1" | field job; }
due_of() { ax show --json "$1" | field due; }

# An editor that does what the file `edit` says, to the file $1; what it was given is kept in `given`.
editor() {
    printf '#!/bin/sh\ncat "$1" >>given\necho ==== >>given\n. ./edit\n' >editor
    chmod +x editor
    export EDITOR=$PWD/editor
    unset VISUAL
    : >given
}
edits() { # SHELL LINES: what the editor does
    printf '%s\n' "$1" >edit
}

# ---- check ----

@test "check: how many jobs in how many files" {
    web 'a: {command: "true"}' 'b: {command: "true", every: 10m}'
    run ax check
    assert_success
    assert_output '2 jobs in 1 file are fine'
    mkdir folder
    printf 'version: 1\njobs:\n  c: {command: "true", cwd: /}\n' >folder/c.yaml
    run ax check ax.yaml folder
    assert_output '3 jobs in 2 files are fine'
    run ax check -q ax.yaml
    assert_output ''
    assert_success
}

@test "check: without a file, and without ax.yaml" {
    run ax check
    assert_failure 2
    assert_output --partial 'there is no ax.yaml here: `ax check FILE...`'
    run ax check nosuch.yaml
    assert_failure 2
    assert_output --partial nosuch.yaml
}

@test "check: all errors of all files, with place, line and caret, counted" {
    web 'a: {command: "true", timout: 30s}' 'b: {command: "true", retries: many}'
    printf 'version: 1\njobs:\n  c: {cwd: /}\n' >other.yaml
    run --separate-stderr ax check ax.yaml other.yaml
    assert_failure 2
    assert_output ''
    assert_equal "$stderr" "$(cat <<'X'
ax.yaml:5:24: there is no field 'timout': did you mean `timeout`?
      a: {command: "true", timout: 30s}
                           ^~~~~~
ax.yaml:6:33: retries: 'many' is not a whole number
      b: {command: "true", retries: many}
                                    ^~~~
other.yaml:3:3: the job 'c' has no command
      c: {cwd: /}
      ^
ax check: 3 errors
X
)"
}

@test "check: what never comes and what cron will take otherwise are warnings" {
    web 'a: {command: "true", cron: "0 0 30 2 *"}' 'b: {command: "true", cron: "0 0 1 * mon"}' 'c: {command: "true", at: 2020-01-01T00:00}'
    run --separate-stderr ax check
    assert_success
    assert_output '3 jobs in 1 file are fine; 3 warnings'
    [[ $stderr == *'ax.yaml:5:3: warning: job a: this never comes: no date ahead fits `0 0 30 2 *`'* ]]
    [[ $stderr == *'ax.yaml:6:3: warning: job b: `0 0 1 * mon`: '* ]]
    [[ $stderr == *'2020-01-01 00:00:00 +00:00 is past'* ]]
}

@test "check: what a file writes gets to no terminal as it is" {
    web $'a: {command: "true", tim\x1bout: 30s}'
    run ax check
    assert_failure 2
    [[ $output != *$'\x1b'* ]]
    printf 'version: 1\njobs:\n  "a\\e[31m": {command: "true"}\n' >ax.yaml
    run ax check
    assert_failure 2
    [[ $output != *$'\x1b'* ]]
}

# ---- apply and diff ----

@test "apply: new, and the second time nothing" {
    web 'a: {command: "true", every: 10m}' 'b: {command: "true"}'
    run ax diff
    assert_failure 1
    assert_line --regexp '^\+ a: new, due 20.* \+00:00 \(in 10m\), then every 10m$'
    assert_line '+ b: new, only when it is started by hand'
    assert_line '2 to add'
    [ ! -e "$AX_SPOOL" ]
    run --separate-stderr ax apply
    assert_success
    assert_line --regexp '^\+ a \(job 1\): new, due 20.* \+00:00 \(in 10m\), then every 10m$'
    assert_line '2 added'
    [[ $stderr == *'nobody serves the spool'* ]]
    local before=$(due_of a)
    run --separate-stderr ax apply
    assert_success
    assert_output 'nothing changed: 2 unchanged'
    assert_equal "$stderr" ''
    assert_equal "$(due_of a)" "$before"
    run ax diff
    assert_success
    assert_output 'no change: 2 unchanged'
}

@test "apply: another field changes that field; another schedule the due time; number and history stay" {
    web 'a: {command: "true", every: 10m, env: {A: 1, B: 2}}' 'b: {command: "true", every: 10m}'
    ax apply -q
    local due=$(due_of a)
    web 'a: {command: "true", every: 10m, timeout: 1h, env: {B: x y, C: 3}}' 'b: {command: "true", every: 20m}'
    run ax diff
    assert_failure 1
    assert_line '~ a (job 1): changed'
    assert_line '    timeout: - -> 1h'
    assert_line '    env A: 1 -> -'
    assert_line '    env B: 2 -> x y'
    assert_line '    env C: - -> 3'
    assert_line --regexp '^~ b \(job 2\): changed, due 20.* \(in 20m\), then every 20m$'
    assert_line '    every: 10m -> 20m'
    assert_line '2 to change'
    ax apply -q
    assert_equal "$(number_of a) $(number_of b)" '1 2'
    assert_equal "$(due_of a)" "$due"
    run ax show a
    assert_line --regexp '^timeout +1h$'
}

@test "apply: of a command of several lines the lines that differ" {
    printf 'version: 1\nsource: web\njobs:\n  a:\n    cwd: /\n    command: |\n      one\n      two\n      three\n' >ax.yaml
    ax apply -q
    sed -i 's/two/2/' ax.yaml
    run ax diff
    assert_line '    command:'
    assert_line '      - two'
    assert_line '      + 2'
    refute_output --partial one
    refute_output --partial three
}

@test "apply: what is not named any more stays, unless --prune is given" {
    web 'a: {command: "true", every: 1h}' 'b: {command: "true", every: 1h}'
    ax apply -q
    ax add --name mine 1h true
    web 'a: {command: "true", every: 1h}'
    run ax diff
    assert_success
    assert_line '? b (job 2): source web names it no more; --prune removes it'
    run ax apply
    assert_success
    assert_line 'nothing changed: 1 named no more, 1 unchanged'
    state_is b waiting
    run ax diff --prune
    assert_failure 1
    assert_line '- b (job 2): removed: source web names it no more'
    run ax apply --prune
    assert_line '1 removed, 1 unchanged'
    state_is b cancelled
    state_is mine waiting
    run ax apply --prune
    assert_output 'nothing changed: 1 unchanged'
}

@test "apply: jobs of others are refused, and nothing is changed" {
    ax add --name mine 1h true
    printf 'version: 1\nsource: other\ndefaults: {cwd: /}\njobs:\n  theirs: {command: "true"}\n' >other.yaml
    ax apply -q other.yaml
    web 'new: {command: "true"}' 'mine: {command: "true"}' 'theirs: {command: "true"}'
    run ax apply
    assert_failure 4
    assert_line 'ax.yaml:6:3: job 1 has the name mine already, and was added by hand: --adopt hands it to the file'
    assert_line 'ax.yaml:7:3: job 2 has the name theirs already, and belongs to source other'
    assert_line 'ax apply: nothing was changed'
    run ax show new
    assert_failure 3
    run ax diff
    assert_failure 2
    assert_line '! mine (job 1): was added by hand, and belongs to no file; --adopt hands it to this one'
    assert_line '! theirs (job 2): belongs to source other'
    run ax apply --dry-run
    assert_failure 4
}

@test "a file that is no more in its folder: its jobs are named, and go with --prune" {
    mkdir jobs
    printf 'version: 1\njobs:\n  a: {command: "true", cwd: /}\n' >jobs/a.yaml
    printf 'version: 1\nsource: lab\njobs:\n  b: {command: "true", cwd: /}\n' >jobs/b.yaml
    printf 'version: 1\nsource: lab\njobs:\n  c: {command: "true", cwd: /}\n' >c.yaml
    printf 'version: 1\njobs:\n  d: {command: "true", cwd: /}\n' >jobs/d.yml
    printf 'version: 1\njobs:\n  e: {command: "true", cwd: /}\n' >e.yaml
    ax apply -q jobs c.yaml e.yaml
    ax add -q --name hand in 1h true
    mv jobs/a.yaml a.bak
    mv jobs/b.yaml jobs/b.off
    rm e.yaml
    for verb in diff apply; do
        run --separate-stderr ax $verb jobs
        assert_success
        assert_line "? a (job 1): its file $PWD/jobs/a.yaml is gone; --prune removes it"
        assert_line "? b (job 2): its file $PWD/jobs/b.yaml is gone; --prune removes it"
        assert_line --regexp '2 named no more, 1 unchanged$'
    done
    run --separate-stderr ax apply --prune jobs/d.yml # no folder: nothing is looked for
    assert_output 'nothing changed: 1 unchanged'
    run --separate-stderr ax diff --prune --json jobs
    assert_failure 1
    assert_equal "$(field change <<<"$output")" $'unchanged\nremove\nremove'
    assert_equal "$(field gone <<<"$output")" $'false\ntrue\ntrue'
    run --separate-stderr ax apply --prune jobs
    assert_success
    assert_output "- a (job 1): removed: its file $PWD/jobs/a.yaml is gone
- b (job 2): removed: its file $PWD/jobs/b.yaml is gone
2 removed, 1 unchanged"
    for job in d c e hand; do state_is "$job" waiting; done # c: of the same source; e: of another folder
    run --separate-stderr ax apply --prune jobs
    assert_output 'nothing changed: 1 unchanged'
    mv a.bak jobs/a.yaml
    run --separate-stderr ax apply jobs
    assert_line --partial '+ a (job 1): had been cancelled, came back'
    rm jobs/*.y*ml
    run --separate-stderr ax apply --prune jobs
    assert_line '2 removed'
    run --separate-stderr ax apply --prune c.yaml # what is left of the source is still its own
    assert_output 'nothing changed: 1 unchanged'
    sed -i 's/  c:/  f:/' c.yaml
    run --separate-stderr ax apply --prune c.yaml
    assert_line '- c (job 4): removed: source lab names it no more'
}

@test "a file that is renamed in its folder keeps its jobs" {
    mkdir jobs
    printf 'version: 1\njobs:\n  a: {command: "true", cwd: /, every: 1h}\n  b: {command: "true", cwd: /}\n' >jobs/one.yaml
    ax apply -q jobs
    due=$(due_of a)
    mv jobs/one.yaml jobs/two.yaml
    sed -i '/ b:/d' jobs/two.yaml
    run --separate-stderr ax diff jobs
    assert_success
    assert_output "~ source $PWD/jobs/one.yaml, 1 job: the file lies elsewhere now
    file: $PWD/jobs/one.yaml -> $PWD/jobs/two.yaml
? b (job 2): its file $PWD/jobs/one.yaml is gone; --prune removes it
no change: 1 to be told the new place of their file, 1 named no more"
    run --separate-stderr ax apply jobs/two.yaml # alone it cannot know
    assert_failure 4
    [[ $stderr == *"belongs to source $PWD/jobs/one.yaml, a file that is gone: \`ax cancel\` of it gives the name free"* ]]
    ax apply -q --prune jobs
    assert_equal "$(ax show --json a | field source)" "$PWD/jobs/two.yaml"
    assert_equal "$(ax show --json a | field job) $(due_of a)" "1 $due"
    state_is b cancelled
    run --separate-stderr ax apply --prune jobs
    assert_output 'nothing changed: 1 unchanged'
}

@test "a file that moved: its jobs know the new place" {
    web 'a: {command: "echo $AX_FILE"}'
    ax apply -q
    mkdir moved
    mv ax.yaml moved/jobs.yaml
    run --separate-stderr ax apply moved/jobs.yaml
    assert_success
    assert_output "~ source web, 1 job: the file lies elsewhere now
    file: $PWD/ax.yaml -> $PWD/moved/jobs.yaml
1 told the new place of their file"
    run ax exec a
    assert_output "$PWD/moved/jobs.yaml"
    run --separate-stderr ax apply moved/jobs.yaml
    assert_output 'nothing changed: 1 unchanged'
    mv moved/jobs.yaml ax.yaml
    run --separate-stderr ax diff # told, but no difference: so that what is exported is none
    assert_success
    assert_line 'no change: 1 to be told the new place of their file'
    run --separate-stderr ax diff - <ax.yaml # which has no place
    assert_output 'no change: 1 unchanged'
    run --separate-stderr ax diff --json
    assert_success
    assert_output --partial "\"change\":\"move\""
    assert_output --partial "\"fields\":{\"file\":{\"old\":\"$PWD/moved/jobs.yaml\",\"new\":\"$PWD/ax.yaml\"}}"
}

@test "apply --adopt: a job that was added by hand becomes the file's; number, history and a pause stay" {
    ax add -q --name a --cwd / --env-drop '*' --umask 022 --env A=b every 1h -c 'echo x'
    ax pause -q a
    run ax exec a
    ax add -q --name c in 1h true
    due=$(due_of a)
    web 'a: {command: "echo x", every: 1h, env: {A: b}, timeout: 5m}' 'b: {command: "true"}'
    run --separate-stderr ax apply
    assert_failure 4
    [[ $stderr == *"ax.yaml:5:3: job 1 has the name a already, and was added by hand: --adopt hands it to the file"* ]]
    run --separate-stderr ax diff --adopt
    assert_failure 1
    assert_line '~ a (job 1): added by hand, would belong to the file now'
    run --separate-stderr ax apply --adopt
    assert_success
    assert_line '~ a (job 1): added by hand, belongs to the file now'
    assert_line '    timeout: - -> 5m'
    refute_line --partial 'every:'
    assert_line '1 added, 1 adopted'
    assert_equal "$(due_of a)" "$due"
    state_is a paused
    assert_equal "$(ax show --json a | field source)" web
    run ax show a
    assert_output --partial 'handed to source web'
    run ax history a
    assert_line --regexp '^ *1\.1  a '
    run --separate-stderr ax apply --adopt
    assert_output 'nothing changed: 2 unchanged'
    run --separate-stderr ax apply --adopt --source other # never one of another source
    assert_failure 4
    [[ $stderr == *'belongs to source web'* ]]
    state_is c waiting
}

@test "times are local where the scheduler is, not where the file is applied" {
    web 'a: {command: "true", cron: "0 12 * * *"}' 'b: {command: "true", at: 2099-01-01T12:00}' 'c: {command: "true", cron: "0 12 * * *", timezone: Europe/Berlin}'
    TZ=Asia/Tokyo serve
    export TZ=America/New_York
    run --separate-stderr ax diff --json
    assert_line --index 0 --regexp '"due":"[0-9-]+T03:00:00Z"'
    assert_line --index 1 --partial '"due":"2099-01-01T03:00:00Z"'
    assert_line --index 2 --regexp '"due":"[0-9-]+T1[01]:00:00Z"'
    ax apply -q
    for job in a b; do [[ $(due_of $job) == *T03:00:00Z ]]; done
    [[ $(due_of c) == *T1[01]:00:00Z ]]
    run ax next a -n 1
    assert_line --partial ' 12:00:00 +09:00'
    [[ $(ax next -n 3 | head -3) == *T03:00:00Z* ]]
    unserve
    TZ=UTC ax apply -q --prune # the same, while nobody serves
    run ax diff
    assert_success
    TZ=UTC serve # which lives elsewhere: what repeats is reckoned anew
    due_is_noon() { [[ $(due_of a) == *T12:00:00Z ]]; }
    until_true 5 due_is_noon
}

@test "diff --json: of a new job all fields that are no default, of a removed one those it had" {
    web 'a: {command: [echo, x], every: 1h, env: {A: b}, retries: 0, tags: [t]}'
    run --separate-stderr ax diff --json
    assert_failure 1
    assert_output --partial '"fields":{"command":{"old":null,"new":["echo","x"]},"name":{"old":null,"new":"a"},"tags":{"old":null,"new":["t"]},"every":{"old":null,"new":"1h"},"cwd":{"old":null,"new":"/"},"env":{"old":null,"new":{"A":"b"}}}'
    ax apply -q
    web 'b: {command: "true"}'
    run --separate-stderr ax diff --json --prune
    assert_line --regexp '"change":"remove".*"fields":\{"command":\{"old":\["echo","x"\],"new":null\}.*"env":\{"old":\{"A":"b"\},"new":null\}\}'
    run --separate-stderr ax diff --json
    assert_line --regexp '"change":"unnamed".*"fields":\{\}'
}

@test "apply: all of the files, or nothing" {
    web 'a: {command: "true"}'
    printf 'version: 1\njobs:\n  b: {command: "true", cwd: /, retries: x}\n' >other.yaml
    run ax apply ax.yaml other.yaml
    assert_failure 2
    [ ! -e "$AX_SPOOL" ]
    run ax diff ax.yaml other.yaml
    assert_failure 2
}

@test "apply: a job that was cancelled by hand comes back, and cancel says so" {
    web 'a: {command: "true", every: 1h}'
    ax apply -q
    run ax cancel a
    assert_success
    assert_output 'job 1: cancelled, it will not start; the next apply of source web brings it back'
    run ax diff
    assert_failure 1
    assert_line --regexp '^\+ a \(job 1\): was cancelled, comes back, due '
    run ax apply
    assert_line --regexp '^\+ a \(job 1\): had been cancelled, came back, due .*, then every 1h$'
    assert_line '1 came back'
    state_is a waiting
    run ax cancel a --json
    assert_output --partial '"source":"web","was_paused":false'
    ax apply -q
    ax pause -q a
    run ax cancel a
    assert_output 'job 1: cancelled, it will not start; the next apply of source web brings it back, and not paused as it was'
    ax apply -q
    state_is a waiting
    ax add --name mine 1h true
    run ax cancel mine
    assert_output 'job 2: cancelled, it will not start'
}

@test "a paused job that is cancelled, or pruned, while it runs comes back as any other" {
    web 'a: {command: sleep 986.2, every: 1s}'
    ax apply -q
    serve
    for way in 'ax cancel' 'ax apply -q --prune none.yaml'; do
        until_true 5 state_is a running
        ax pause -q a
        printf 'version: 1\nsource: web\n' >none.yaml
        if [ "$way" = 'ax cancel' ]; then ax cancel a; else ax apply -q --prune none.yaml && ax stop -q a; fi
        until_true 5 state_is a cancelled
        ax apply -q
        [[ $(ax show --json a | field state) != paused ]]
    done
    unserve
    ! sleeps 986.2
}

@test "apply: --source says whose they are" {
    web 'a: {command: "true"}'
    ax apply -q --source one
    run ax apply --source two
    assert_failure 4
    assert_output --partial 'belongs to source one'
    run ax diff --source one
    assert_success
}

@test "apply: a file without a source is one by its real path" {
    printf 'version: 1\njobs:\n  a: {command: "true", cwd: /}\n' >one.yaml
    ln -s one.yaml link.yaml
    ax apply -q link.yaml
    run ax diff "$PWD/one.yaml"
    assert_success
    run ax export
    assert_line "source: $PWD/one.yaml"
}

@test "apply: from standard input" {
    printf 'version: 1\njobs: {a: {command: "true", cwd: /}}\n' >a.yaml
    ax apply -q - <a.yaml
    run ax apply - <a.yaml
    assert_output 'nothing changed: 1 unchanged'
    run ax apply --prune - <a.yaml
    assert_failure 2
    assert_output --partial 'say it by --source LABEL'
    run ax diff --prune - <a.yaml
    assert_failure 2
    run ax apply --prune --source web - <<<'{version: 1, jobs: {b: {command: "true", cwd: /}}}'
    assert_success
    run ax show b
    assert_line --regexp '^source +web$'
    run ax export
    run ax diff - <<<"$output"
    assert_success
}

@test "apply: --cwd and --set" {
    printf 'version: 1\nsource: web\nparams: {HOST: , PORT: 80}\njobs:\n  a: {command: "ping ${HOST} ${PORT} ${HOME}"}\n' >ax.yaml
    run ax apply --cwd /usr
    assert_failure 2
    assert_output --partial '--set HOST=VALUE'
    ax apply -q --cwd /usr --set HOST=example.org
    run ax show a
    assert_line --regexp '^cwd +/usr$'
    assert_line --regexp '^shell line +ping example.org 80 \$\{HOME\}$'
    run ax apply --cwd nosuch --set HOST=x
    assert_failure 2
    assert_output --partial '--cwd: nosuch'
    run ax apply --cwd ax.yaml --set HOST=x
    assert_output --partial 'not a directory'
}

@test "env_file: its variables, a parameter in its path, and what is not there" {
    printf '%s\n' 'BASE=/srv' 'DATA="${BASE}/data"' "KEEP='\${BASE}'" 'PRICE=5$' >live.env
    printf 'version: 1\nparams: {STAGE: live}\njobs:\n  a: {command: "echo $DATA $KEEP $PRICE", cwd: /, env_file: "%s/${STAGE}.env"}\n' "$PWD" >ax.yaml
    ax apply
    run ax exec a
    assert_success
    assert_output '/srv/data ${BASE} 5$'
    echo 'LOG=x/${NOPE}' >>live.env
    run ax exec a
    assert_failure 125
    assert_output --partial "$PWD/live.env: line 5, column 7: there is no variable NOPE so far"
}

@test "apply: limits of queues" {
    printf 'version: 1\nsource: web\nqueues: {disks: 2}\njobs:\n  a: {command: "true", cwd: /, queue: disks}\n' >ax.yaml
    run ax diff
    assert_line '~ queue disks: limit none -> 2'
    ax apply -q
    run ax queue ls --json
    assert_line '{"name":"disks","limit":2,"running":0}'
    sed -i 's/disks: 2/disks: 3/' ax.yaml
    run ax apply
    assert_line '~ queue disks: limit 2 -> 3'
    run ax apply
    assert_output 'nothing changed: 1 unchanged'
}

@test "apply: JSON" {
    web 'a: {command: "true", at: 2099-01-01T00:00}' 'b: {command: "true"}' 'c: {command: "true"}'
    run --separate-stderr ax apply --json
    assert_line --index 0 '{"change":"create","job":1,"name":"a","source":"web","file":"ax.yaml","line":5,"fields":{"command":{"old":null,"new":"true"},"name":{"old":null,"new":"a"},"at":{"old":null,"new":"2099-01-01T00:00:00Z"},"cwd":{"old":null,"new":"/"}},"gone":false,"rescheduled":true,"due":"2099-01-01T00:00:00Z","due_ns":4070908800000000000,"owner":null,"applied":true}'
    web 'a: {command: "true", at: 2099-01-01T00:00}' 'b: {command: "true", env: {A: 1}, retries: 2}'
    run ax diff --json
    assert_failure 1
    assert_line --index 0 --partial '"change":"unchanged","job":1,"name":"a"'
    assert_line --index 1 '{"change":"update","job":2,"name":"b","source":"web","file":"ax.yaml","line":6,"fields":{"retries":{"old":0,"new":2},"env":{"old":{},"new":{"A":"1"}}},"gone":false,"rescheduled":false,"due":null,"due_ns":null,"owner":null,"applied":false}'
    assert_line --index 2 --partial '"change":"unnamed","job":3,"name":"c","source":"web"'
    run ax diff --json --prune
    assert_line --index 2 --partial '"change":"remove","job":3'
    web 'mine: {command: "true"}'
    ax add --name mine 1h true
    run ax diff --json
    assert_failure 2
    assert_line --index 0 --partial '"change":"conflict","job":4,"name":"mine"'
}

@test "apply: quiet says nothing; a file without jobs" {
    web 'a: {command: "true"}'
    serve
    run ax apply -q
    assert_output ''
    printf 'version: 1\nsource: none\njobs: {}\n' >empty.yaml
    run ax apply empty.yaml
    assert_success
    assert_output 'nothing changed: there are no jobs in it'
}

@test "apply: a scheduler takes it at once; a job that runs goes on when it is pruned" {
    serve
    web 'a: {command: [sleep, 987.1], every: 1h}'
    ax apply -q
    ax start a
    until_true 5 sleeps 987.1
    web 'b: {command: "true"}'
    ax apply -q --prune
    sleeps 987.1
    state_is a running
    ax cancel a
    state_is a cancelled
}

# ---- export ----

@test "export: apply takes it back unchanged" {
    web 'a: {command: [printf, "%s\n", "it'"'"'s", "${X}", "a\"b", "- c", "#d", ""], cron: ["0 2 * * *", "@daily"], except: [2026-12-24, Sat]}' \
        'b: {command: "true", at: 2099-01-01T10:00, timezone: Europe/Berlin, env: {N: 5, T: "true", E: "", Y: yes, O: 010, Q: "1e3"}}' \
        'c: {command: "true", calendar: "Mon..Fri 09:00", not_after: 2099-01-01, retry_delay: [1s, 90s], success_exit: [0, 3-5], no_retry_exit: 9}' \
        'd: {command: "true", boot: machine, umask: 077, output_max: 1M, rlimits: {nofile: 10}, shell: [bash, -c], tags: [x, "y"], stdin: "a\n\tb\n\n c \n"}' \
        'e: {command: "true", every: 36h, every_from: end, overlap: queue, kill_after: 1500ms, description: "two\nlines: x", user: root}' \
        'f: {command: "true", cwd: "~"}' "no: {command: 'x: y'}" '"1e3": {command: "true"}' '"a: b": {command: "true"}'
    ax apply -q
    ax export >one.yaml
    run ax diff - <one.yaml
    assert_success
    assert_output 'no change: 9 unchanged'
    run ax diff one.yaml
    assert_success
    assert_line 'no change: 9 to be told the new place of their file'
    cp one.yaml ax.yaml
    run ax apply --prune
    assert_output 'nothing changed: 9 unchanged'
    AX_SPOOL=$PWD/other ax apply -q one.yaml
    AX_SPOOL=$PWD/other ax export >two.yaml
    run diff one.yaml two.yaml
    assert_output ''
    [ "$(grep -c . one.yaml)" -gt 60 ]
    run ax show f # which runs in the home of its user
    refute_line --regexp '^cwd '
}

@test "export: all sources, and what was added by hand" {
    web 'a: {command: "true"}'
    ax apply -q
    ax add --name mine 1h echo hi
    ax add 2h true
    ax add --name over --clean-env now true
    ax cancel over
    ax export >all.yaml
    run cat all.yaml
    assert_line 'source: web'
    assert_line '# Added by hand. Applied from a file they belong to the file.'
    assert_line '  mine:'
    assert_line '  # It has no name'
    assert_line '  job-3:'
    assert_line --regexp '^  # The environment it has kept \([0-9]+ variables\) is left out: --with-env$'
    refute_line '  over:'
    assert_equal "$(grep -c '^---$' all.yaml)" 1
    AX_SPOOL=$PWD/other ax apply -q all.yaml
    run env AX_SPOOL="$PWD/other" "$AX" diff all.yaml
    assert_success
    ax export --all >all.yaml
    run cat all.yaml
    assert_line '  over:'
}

@test "export: jobs that are named, one source" {
    web 'a: {command: "true"}' 'b: {command: "true"}'
    ax apply -q
    ax add --name mine 1h true
    run ax export b
    assert_line 'source: web'
    assert_line '  b:'
    refute_line '  a:'
    run ax export --source web
    assert_line '  a:'
    refute_output --partial mine
    run ax export b 2 b
    assert_equal "$(grep -c '^  b:' <<<"$output")" 1
    run ax export nosuch
    assert_failure 3
    run ax export --source web a
    assert_failure 2
    run ax export --source nosuch
    assert_output "$(printf 'version: 1\njobs: {}')"
}

@test "export: values of a kept environment only when they are asked for" {
    SECRET=hidden ax add --name a --env OWN=1 1h true
    run ax export
    refute_output --partial hidden
    run ax export --with-env
    assert_line '      SECRET: hidden'
    assert_line '      OWN: "1"'
}

@test "a pause survives apply; an export tells of it" {
    web 'a: {command: "true", every: 1h}'
    ax apply -q
    ax pause a
    run ax diff
    assert_success
    web 'a: {command: "true", every: 2h}'
    ax apply -q
    run ax export
    assert_line '    paused: true'
    run ax ls
    assert_line --regexp ' paused '
}

@test "on a terminal there is colour, unless NO_COLOR says otherwise" {
    web 'a: {command: "true", cron: "0 0 30 2 *"}'
    run script -qec '"$AX" diff' /dev/null
    assert_output --partial $'\x1b[33m warning: job a: this never comes'
    assert_output --partial $'\x1b[32m+ a: new'
    NO_COLOR=1 run script -qec '"$AX" diff' /dev/null
    [[ $output != *$'\x1b'* ]]
}

@test "export: bytes that are no UTF-8 are named" {
    ax add --name a 1h -- printf $'\xff'
    run --separate-stderr -1 ax export
    assert_equal "$stderr" 'ax export: YAML cannot say bytes that are no UTF-8: they were written as U+FFFD in job 1; `ax show --shell` has them as they are'
}

# ---- edit ----

@test "edit: what is saved is applied, to this job alone" {
    web 'a: {command: "true", every: 1h}' 'b: {command: "true"}'
    ax apply -q
    local due=$(due_of a)
    editor
    edits 'sed -i "s/^    every: 1h/&\n    retries: 4/" "$1"; stat -c %a "$1" >mode'
    run ax edit a
    assert_success
    assert_line '~ a (job 1): changed'
    assert_line '    retries: 0 -> 4'
    assert_line 'ax edit: the job belongs to source web: the next apply of that brings back what the file says'
    assert_equal "$(cat mode)" 600
    assert_equal "$(due_of a)" "$due"
    run cat given
    assert_line "# It belongs to source web ($PWD/ax.yaml): the next apply of that brings back what the file says."
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'ax-job-1-*' -newer ax.yaml 2>/dev/null)" ]
    run ax diff
    assert_failure 1
    assert_line '    retries: 4 -> 0'
}

@test "edit: another schedule, and a job added by hand keeps its environment" {
    SECRET=hidden ax add --name mine 1h 'echo hi'
    editor
    edits 'sed -i "s/^    at: .*/    every: 5m/" "$1"'
    run ax edit mine
    assert_success
    assert_line --regexp '^~ mine \(job 1\): changed, due .*\(in 5m\), then every 5m$'
    refute_output --partial source
    run grep hidden given
    assert_failure
    run ax show --values mine
    assert_output --partial 'SECRET=hidden'
}

@test "edit: nothing is changed by leaving it, by an empty file, by an editor that fails" {
    ax add --name mine 1h true
    editor
    edits ''
    run ax edit mine
    assert_success
    assert_output 'ax edit: nothing was changed'
    edits 'echo "# a comment" >>"$1"'
    run ax edit mine
    assert_success
    assert_output 'ax edit: nothing was changed'
    edits ': >"$1"'
    run ax edit mine
    assert_failure 1
    assert_output 'ax edit: the file is empty: nothing was changed'
    edits 'exit 3'
    run ax edit mine
    assert_failure 1
    assert_output --partial 'the editor failed'
}

@test "edit: what is wrong opens the editor again, with the message on top" {
    ax add --name mine 1h true
    editor
    edits 'grep -q "retris" "$1" && sed -i "s/retris/retries/" "$1" || printf "    retris: 3\n" >>"$1"'
    run ax edit mine
    assert_success
    assert_line '    retries: 0 -> 3'
    run cat given
    assert_line --regexp "^#! line [0-9]+, column 5: there is no field 'retris': did you mean .retries.\?$"
    # the line that is named is that of the file as it is shown
    line=$(sed -n 's/^#! line \([0-9]*\),.*/\1/p' given)
    run sed -n "/^====/,\$p" given
    assert_equal "$(sed '1,/^====/d' given | sed -n "${line}p")" '    retris: 3'
}

@test "edit: what stays wrong is kept" {
    ax add --name mine 1h true
    editor
    edits 'grep -q "retris" "$1" || printf "    retris: 3\n" >>"$1"'
    run ax edit mine
    assert_failure 2
    assert_output --partial "there is no field 'retris'"
    file=$(sed -n 's/.*what you wrote is kept in //p' <<<"$output")
    run cat "$file"
    assert_line '    retris: 3'
    rm "$file"
}

@test "edit: a name stays; one that has none can be given one; nothing else stands there" {
    ax add --name mine 1h true
    ax add 1h true
    editor
    edits 'sed -i "s/^  mine:/  other:/" "$1"'
    run ax edit mine
    assert_failure 2
    assert_output --partial "a job keeps its name: this one is called 'mine'"
    edits 'sed -i "s/^  job-2:/  mine:/" "$1"'
    run ax edit 2
    assert_failure 4
    assert_output --partial 'job 1 has the name mine'
    edits 'sed -i "s/^  job-2:/  named:/" "$1"'
    run ax edit 2
    assert_success
    assert_equal "$(number_of named)" 2
    edits 'grep -q more "$1" || printf "  more: {command: x, cwd: /}\n" >>"$1"'
    run ax edit mine
    assert_failure 2
    assert_output --partial 'one job here, and nothing else'
    edits 'sed -i "s/^    at: .*/    at: 2020-01-01T00:00/" "$1"'
    run ax edit mine
    assert_failure 2
    assert_output --partial 'the time is past'
    rm -f "${TMPDIR:-/tmp}"/ax-job-[12]-*.yaml
}

@test "edit: somebody else was faster" {
    ax add --name mine 1h true
    editor
    edits '"$AX" add --name mine --replace 2h true >/dev/null 2>&1; sed -i "s/^    umask:.*/    retries: 3/" "$1"'
    export AX
    run ax edit mine
    assert_failure 1
    assert_output --partial 'was changed by somebody else meanwhile'
    rm -f "${TMPDIR:-/tmp}"/ax-job-1-*.yaml
}

@test "edit: VISUAL goes first, and may have words" {
    ax add --name mine 1h true
    editor
    printf '#!/bin/sh\n[ "$1" = --wait ] && echo "$2" >visual\n' >visually
    chmod +x visually
    VISUAL="$PWD/visually --wait" run ax edit mine
    assert_success
    [[ $(cat visual) == *.yaml ]]
    run ax edit
    assert_failure 2
    run ax edit nosuch
    assert_failure 3
}

# ---- the other words ----

@test "wrong use" {
    run ax apply --nosuch
    assert_failure 2
    run ax diff nosuch.yaml
    assert_failure 2
    web 'a: {command: "true"}'
    mkdir spool
    chmod 777 spool
    run ax diff
    assert_failure 2
    run ax apply
    assert_failure 5
}

@test "--set of a name that no file declares is an error, also behind one that is declared" {
    printf 'version: 1\nparams: {STAGE: }\ndefaults: {cwd: /}\njobs:\n  c: {command: "echo ${STAGE}"}\n' >p.yaml
    for order in "STAGE=p NOPE=1" "NOPE=1 STAGE=p"; do
        run -2 ax check --set "${order% *}" --set "${order#* }" p.yaml
        [[ $output = *"no file declares 'NOPE'"* ]]
    done
}
