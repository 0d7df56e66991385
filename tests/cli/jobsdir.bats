#!/usr/bin/env bats
# ax run --jobs DIR: the spool is kept to a folder of job files.

load helper

teardown() {
    unserve KILL
    chmod -R u+w "$BATS_TEST_TMPDIR" 2>/dev/null || true
}

job() { # NAME COMMAND: a file's text
    printf 'version: 1\njobs:\n  %s:\n    every: 1h\n    command: %s\n' "$1" "$2"
}

there() { # JOB COMMAND
    [ "$(ax show --json "$1" 2>/dev/null | field command)" = "$2" ]
}

gone() { # JOB
    [ "$(ax show --json "$1" | field state)" = cancelled ]
}

logged() {
    grep -qF "$1" "$AX_SPOOL/scheduler.log"
}

@test "the folder is applied before the scheduler serves" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    printf 'version: 1\njobs:\n  b: {boot: scheduler, command: "true"}\n' >jobs/b.yml
    job hidden "true" >jobs/.hidden.yaml
    job other "true" >jobs/notes.txt
    serve --jobs jobs
    there a "echo one"
    until_true 5 eval '[ "$(ax history --json b | field outcome)" = ok ]'
    run -3 ax show hidden
    run -3 ax show other
}

@test "changes are seen within two seconds: written, replaced by rename, deleted, made again" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    serve --jobs jobs
    number=$(ax show --json a | field job)
    job a "echo two" >jobs/a.yaml
    until_true 2 there a "echo two"
    job a "echo three" >jobs/.new && mv jobs/.new jobs/a.yaml
    until_true 2 there a "echo three"
    assert_equal "$(ax show --json a | field job)" "$number"
    rm jobs/a.yaml
    until_true 2 gone a
    job a "echo four" >jobs/a.yaml
    until_true 2 there a "echo four"
    state_is a waiting
    assert_equal "$(ax show --json a | field job)" "$number"
}

@test "a folder behind a link that is swapped" {
    mkdir one two
    job a "echo one" >one/a.yaml
    job a "echo two" >two/a.yaml
    ln -s one current
    serve --jobs current
    there a "echo one"
    ln -s two next && mv -T next current
    until_true 2 there a "echo two"
    job a "echo three" >two/a.yaml
    until_true 2 there a "echo three"
}

@test "files behind a link that is swapped, as a mounted volume does it" {
    mkdir -p jobs/..one jobs/..two
    job a "echo one" >jobs/..one/a.yaml
    job a "echo two" >jobs/..two/a.yaml
    ln -s ..one jobs/..data
    ln -s ..data/a.yaml jobs/a.yaml
    serve --jobs jobs
    there a "echo one"
    ln -s ..two jobs/..next && mv -T jobs/..next jobs/..data
    until_true 2 there a "echo two"
}

@test "a folder that is deleted and made again" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    serve --jobs jobs
    mv jobs old
    sleep 0.5
    mkdir jobs
    job a "echo two" >jobs/a.yaml
    until_true 3 there a "echo two"
}

@test "a bad file keeps the old jobs, and is in the log; the others are taken" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    job b "echo one" >jobs/b.yaml
    serve --jobs jobs
    printf 'version: 1\njobs:\n  a:\n    evry: 1h\n    command: x\n' >jobs/a.yaml
    job b "echo two" >jobs/b.yaml
    until_true 2 there b "echo two"
    there a "echo one"
    state_is a waiting
    until_true 2 logged "evry"
    job a "echo good" >jobs/a.yaml
    until_true 2 there a "echo good"
}

@test "a file that is renamed keeps its jobs" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    serve --jobs jobs
    mv jobs/a.yaml jobs/b.yaml
    until_true 3 logged "moved: job 1 a: file"
    [ "$(ax ls --json | wc -l)" -eq 1 ]
    [ "$(ax show --json a | field source)" = "$PWD/jobs/b.yaml" ]
    rm jobs/b.yaml
    until_true 3 state_is a cancelled
}

@test "a bad file that is mended, or taken out, is in the log" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    printf 'version: 1\njobs: {b: {evry: 1h}}\n' >jobs/b.yaml
    printf 'version: 1\njobs: {c: {evry: 1h}}\n' >jobs/c.yaml
    serve --jobs jobs
    logged "c.yaml:2:"
    rm jobs/b.yaml
    until_true 2 logged "jobs/b.yaml: had errors, and was taken out of the folder"
    job c "echo one" >jobs/c.yaml
    until_true 2 logged "jobs/c.yaml: its errors are gone"
    [ "$(grep -c 'had errors' "$AX_SPOOL/scheduler.log")" -eq 1 ]
}

@test "a file that others can write is refused by name and mode, the rest goes on" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    job b "echo one" >jobs/b.yaml
    chmod 666 jobs/a.yaml
    serve --jobs jobs
    there b "echo one"
    run -3 ax show a
    logged "jobs/a.yaml"
    logged "0666"
    chmod 644 jobs/a.yaml # nothing is written: the mode alone is seen
    until_true 3 there a "echo one"
    chmod 666 jobs/b.yaml
    until_true 3 logged "jobs/b.yaml can be written"
}

@test "what was taken out of the folder while nobody served is gone at the next start" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    job b "echo one" >jobs/b.yaml
    serve --jobs jobs
    unserve
    rm jobs/b.yaml
    serve --jobs jobs
    gone b
    state_is a waiting
}

@test "a name that somebody else has is left alone" {
    ax add -q --name a 1h -- echo mine
    mkdir jobs
    job a "echo theirs" >jobs/a.yaml
    job b "echo one" >jobs/b.yaml
    serve --jobs jobs
    there b "echo one"
    logged "the name a is taken"
    ax show --json a | grep -q mine
}

@test "no such folder" {
    run -2 timeout 10 "$AX" run --jobs nowhere
    assert_output --partial "nowhere"
    echo >file
    run -2 timeout 10 "$AX" run --jobs file
    assert_output --partial "is no folder"
}

@test "more events than the kernel keeps, and a file of the year 1970" {
    mkdir jobs
    job a "echo one" >jobs/a.yaml
    serve --jobs jobs
    kill -STOP "$scheduler"
    for _ in $(seq 20000); do : >>jobs/notes; done
    job a "echo two" >jobs/a.yaml
    touch -d @0 jobs/a.yaml
    kill -CONT "$scheduler"
    until_true 5 there a "echo two"
    job a "echo three" >jobs/.a && touch -d @0 jobs/.a && mv jobs/.a jobs/a.yaml
    until_true 3 there a "echo three"
}

@test "a file that is written while the scheduler starts" {
    mkdir jobs
    job a "echo 0" >jobs/a.yaml
    (for i in $(seq 40); do job a "echo $i" >jobs/.a && mv jobs/.a jobs/a.yaml && sleep 0.02; done) 3>&- &
    local writer=$!
    serve --jobs jobs
    wait $writer
    until_true 3 there a "echo 40"
}
