load helper

@test "an idle spool that nobody serves" {
    ax add -q 1h true
    run -0 --separate-stderr ax status
    assert_line --regexp "^spool +$AX_SPOOL\$"
    assert_line --regexp '^scheduler +none: nothing runs; `ax run --detach`'
    assert_line --regexp '^jobs +1 waiting$'
    refute_line --partial overdue
    run -2 ax status --check
    assert_output --regexp '^AX CRITICAL - nobody serves the spool \| overdue=0s;300;3600;0 failed=0;0;;0 .* jobs_waiting=1 '
}

@test "a spool that is served" {
    ax add -q 1h true
    ax add -q --name w 1h true
    ax pause -q w
    serve -j 3
    run -0 ax status
    assert_line --regexp "^scheduler +pid $scheduler, serving since .* \(.*\), version [0-9.]+, 3 runs at once\$"
    assert_line --regexp '^jobs +1 waiting, 1 paused$'
    run -0 ax status --json
    assert_output --partial "\"scheduler\":{\"pid\":$scheduler,\"since\":\"20"
    assert_output --partial '"jobs":2,"states":{"running":0,"queued":0,"retrying":0,"waiting":1,"paused":1,'
    run -0 ax status --check
    assert_output --regexp '^AX OK - 2 jobs, 0 running, 0 queued, 1 paused \| '
    unserve KILL
    run -0 ax status
    assert_line --partial 'none: nothing runs'
    refute_output --partial 'serving since'
    run -2 ax status --check
}

@test "what went wrong, and limits" {
    serve
    ax add -q --name 'a|b' now false
    until_true 5 state_is 'a|b' failed
    run -0 ax status
    assert_line --regexp '^history +within 1d: 1 run ended, 1 went wrong, 0 due times were missed$'
    assert_line --regexp '^ +the latest that went wrong: 1\.1 a\|b \(failed, exit 1\), .* ago$'
    assert_line --regexp '^ +of 1 the last run went wrong$'
    run -1 ax status --check
    assert_output --regexp '^AX WARNING - 1 run went wrong within 1d, the latest 1\.1 a/b \(failed\) \| overdue=0s'
    run -2 ax status --check --failed -,1
    assert_output --regexp '^AX CRITICAL - 1 run went wrong .* failed=1;;0;0 '
    run -0 ax status --check --failed 2
    run -0 ax status --check --failed -
    run -2 ax status --check --failed - --room -,1000000G
    assert_output --regexp '^AX CRITICAL - only [0-9.]+ [KMGT]iB of room left'
    sleep 1.1
    run -0 ax status --check --within 1s
}

@test "what waits though it could start" {
    serve -j 1
    ax add -q now -- sleep 100
    until_true 5 state_is 1 running
    ax add -q --name held now true
    run -0 ax status --check
    sleep 1.1
    run -1 ax status --check --overdue 1s
    assert_output --regexp '^AX WARNING - job 2 held waits for 1\.[0-9]+s already \| overdue=1s;1;;0 '
    run -0 ax status
    assert_line --regexp '^overdue +job 2 held waits the longest: it could start .* ago\)$'
    assert_line --regexp '^jobs +1 running, 1 queued$'
    ax cancel 1
}

@test "errors in the folder of job files, and that they are mended" {
    mkdir jobs
    printf 'version: 1\njobs:\n  a:\n    every: 1h\n    command: "true"\n' >jobs/good.yaml
    printf 'version: 1\njobs:\n  b:\n    evry: 1h\n    command: "true"\n' >jobs/bad.yaml
    serve --jobs "$PWD/jobs"
    run -0 ax status
    assert_line --regexp "^job files +$PWD/jobs: 1 error, seen .*\$"
    assert_line --regexp '^ +.*bad\.yaml:4:5: .*evry'
    run -1 ax status --check
    assert_output --partial "AX WARNING - 1 error in the job files of $PWD/jobs |"
    run -0 ax status --json
    assert_output --partial '"job_file_errors":1,"job_file_error_texts":["'
    printf 'version: 1\njobs:\n  b:\n    every: 1h\n    command: "true"\n' >jobs/bad.yaml
    until_true 5 ax status --check
    run -0 ax status
    assert_line --regexp "^job files +$PWD/jobs\$"
}

@test "due times that were missed" {
    ax add -q --every 1s --catchup skip -- true
    sleep 2.1
    serve
    until_true 5 eval "ax history --json | grep -q missed"
    run -1 ax status --check
    assert_output --regexp 'AX WARNING - [12] due times? w(as|ere) missed within 1d'
}

@test "wrong use" {
    run -2 ax status 12
    assert_output --partial 'ax show 12'
    run -2 ax status --failed 1
    assert_output --partial -- '--check'
    run -2 ax status --check --json
    run -2 ax status --check --overdue 5
    assert_output --partial -- '--overdue'
    run -2 ax status --check --room 5X
    run -2 ax status --check --failed x
    run -2 ax status --check --failed 1,
}

@test "no spool, and one that cannot be used" {
    run -5 ax status
    run -2 --separate-stderr ax status --check
    assert_output --partial "AX CRITICAL - there is no spool at $AX_SPOOL"
    mkdir "$AX_SPOOL"
    chmod 777 "$AX_SPOOL"
    run -2 ax status --check
    assert_output --partial 'open to others'
}

@test "an attempt whose retry went well is no failure, nor is what was run in the foreground" {
    serve
    ax add -q --name twice --retries 1 --retry-delay 100ms now -- sh -c '[ "$AX_ATTEMPT" = 2 ]'
    until_true 20 state_is twice done
    run -1 ax exec twice
    run -0 ax status --check
    assert_output --partial 'failed=0;'
    ax add -q --name gone --retries 1 --retry-delay 100ms now -- false
    until_true 20 state_is gone failed
    run -1 ax status --check
    assert_output --partial '1 run went wrong within 1d, the latest 2.2 gone'
}

@test "a scheduler in a container: its start and its job files are seen from outside" {
    unshare -rpf --mount-proc true 2>/dev/null || skip "no namespaces here"
    mkdir jobs
    echo 'version: 2' >jobs/bad.yaml
    unshare -rpf --mount-proc "$AX" run --jobs jobs 2>log 3>&- 4>&- &
    until_true 20 eval 'ax status --check | grep -q "in the job files"'
    run ax status
    assert_output --partial 'serving since'
    kill $(pgrep -f "run --jobs jobs" -P $!)
    wait
}
