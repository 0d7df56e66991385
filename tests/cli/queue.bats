load helper

@test "set, list and remove" {
    ax queue set slow --limit 2
    run ax queue ls --json
    assert_line '{"name":"slow","limit":2,"running":0}'
    run ax queue ls
    assert_line --regexp '^slow +2 +0$'
    ax queue rm slow
    run ax queue rm nosuch
    assert_failure 3
}

@test "wrong use" {
    run ax queue set slow
    assert_failure 2
    assert_output --partial -- '--limit N'
    run ax queue set 12 --limit 1
    assert_failure 2
    run ax queue set slow --limit -1
    assert_failure 2
    run ax queue sett slow --limit 1
    assert_failure 2
    assert_output --partial 'ax queue set'
    run ax queue ls extra
    assert_failure 2
    run ax queue rm
    assert_failure 2
}

@test "no more runs than the limit" {
    ax queue set one --limit 1
    serve
    for i in 1 2 3; do ax add -q --queue one now -- sleep 100; done
    until_true 5 state_is 1 running
    sleep 0.3
    [ "$(ax ls --state running --json | wc -l)" -eq 1 ]
    [ "$(ax ls --state queued --json | wc -l)" -eq 2 ]
    run ax queue ls --json
    assert_line '{"name":"one","limit":1,"running":1}'
    ax cancel 1 2 3
}

@test "a queue without a limit, of which nothing waits or runs, is listed no more" {
    ax queue set disks --limit 2
    ax add -q --name a --queue disks 1h -- true
    ax queue rm disks
    run -0 ax queue ls
    assert_output --partial disks
    ax cancel a
    run -0 ax queue ls
    refute_output --partial disks
}
