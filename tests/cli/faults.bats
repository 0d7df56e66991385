#!/usr/bin/env bats
# What a user meets when the spool or the disk is not as it should be: a plain error, its exit code, and nothing changed.
load helper

# Runs the lines on standard input in a mount namespace with a small file system in ./disk.
on_small_disk() {
    unshare -m true 2>/dev/null || skip "needs the right to mount"
    mkdir disk
    cat >script
    run timeout 60 unshare -m bash -c 'mount -t tmpfs -o size=4m,mode=700 none disk || exit 99; AX=$1; . ./script' - "$AX"
    [ "$status" -ne 99 ] || skip "needs the right to mount"
}

@test "a full file system: adds are refused, cancel works" {
    on_small_disk <<'END'
export AX_SPOOL=$PWD/disk/spool
"$AX" add -q 1h true
dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null
"$AX" add 1h true; echo "add $?"
"$AX" ls --json | wc -l
"$AX" cancel 1; echo "cancel $?"
END
    assert_line --partial 'is full'
    assert_line 'add 5'
    assert_line '1'
    assert_line 'cancel 0'
}

@test "a read-only file system: changes are refused, reading works" {
    on_small_disk <<'END'
export AX_SPOOL=$PWD/disk/spool
"$AX" add -q 1h true
mount -o remount,ro disk
"$AX" add 1h true; echo "add $?"
"$AX" cancel 1; echo "cancel $?"
"$AX" run --until-idle; echo "run $?"
"$AX" ls --json | wc -l
END
    assert_line --partial 'Read-only file system'
    assert_line 'add 5'
    assert_line 'cancel 5'
    assert_line 'run 5'
    assert_line '1'
}

@test "a data file that is empty, since its maker was killed: no jobs yet, and the next one makes it" {
    mkdir -m 700 "$AX_SPOOL"
    : >"$AX_SPOOL/data.mdb"
    run ax ls
    assert_success
    assert_output ''
    run ax show 1
    assert_failure 3
    run ax cancel 1
    assert_failure 3
    run ax add -q 1h true
    assert_success
}

@test "a spool open to others is refused, and stays empty" {
    mkdir spool && chmod 777 spool
    run -5 ax add 1h true
    assert_output --partial "chmod 700 $AX_SPOOL"
    assert_equal "$(ls -A spool)" ''
}

@test "a spool of somebody else is refused, and stays empty" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    mkdir -m 700 spool && chown 1234 spool
    run -5 ax add 1h true
    assert_output --partial 'belongs to uid 1234'
    assert_equal "$(ls -A spool)" ''
}

@test "a word longer than the kernel takes is refused, with its line" {
    printf '{"in":"1h","command":["/bin/echo","%s"]}\n' "$(head -c 140000 /dev/zero | tr '\0' x)" >jobs
    run -2 ax import ndjson jobs
    assert_output --partial 'jobs: line 1, column 22: command: a command of 140000 bytes is longer than the kernel takes'
    run -0 ax ls --json
    assert_output ''
}

@test "a corrected line that is too long says that it goes on" {
    run -2 ax add 1h no-such-program "$(head -c 900 /dev/zero | tr '\0' z)"
    [[ $output == *'zzz ...' ]]
}

@test "a database that was emptied is refused, not begun anew" {
    ax add -q --now -- true
    run -0 timeout 20 "$AX" run --until-idle
    : >"$AX_SPOOL/data.mdb"
    run -5 ax add 1h true
    assert_output --partial "data.mdb is damaged (it is empty"
    run -5 ax ls
}
