load helper

# finding TEXT: doctor finds it, says what to do, and ends with 1.
finding() {
    run -1 ax doctor
    assert_output --partial "$1"
    assert_line --regexp '^    .'
}

@test "a sound spool, before, while and after it is served" {
    ax add -q 1h true
    run -0 ax doctor
    assert_line 'nothing is wrong'
    serve
    ax add -q now -- sh -c 'head -c 20000 /dev/zero'
    ax add -q now -- false
    until_true 10 state_is 3 failed
    run -0 ax doctor
    assert_line 'nothing is wrong'
    refute_output --partial 'nobody serves'
    run -0 ax doctor --fix
    unserve
    run -0 ax doctor --json
    assert_output --partial '"kind":"scheduler","where":"scheduler","text":"nobody serves the spool"'
    refute_line --partial '"note":false'
}

@test "no spool, and one of nobody knows what" {
    run -5 ax doctor
    assert_output --partial 'there is no spool at'
    [ ! -e "$AX_SPOOL" ]
    run -2 ax doctor 1
    : >"$AX_SPOOL"
    finding 'is not a folder'
    rm "$AX_SPOOL"
    mkdir -m 700 real
    ln -s real "$AX_SPOOL"
    finding 'is a symbolic link'
}

@test "modes, and what does not belong there" {
    ax add -q 1h true
    chmod 755 "$AX_SPOOL"
    chmod 644 "$AX_SPOOL/data.mdb"
    chmod 777 "$AX_SPOOL/output"
    : >"$AX_SPOOL/stray"
    finding "$AX_SPOOL: it is open to others (mode 0755)"
    assert_output --partial 'data.mdb: it is open to others (mode 0644)'
    assert_output --partial 'output: it is open to others (mode 0777)'
    assert_output --partial 'stray: nobody knows what it is for'
    run -1 ax doctor --fix
    assert_output --partial 'data.mdb: it is open to others (mode 0644) (mended)'
    assert_output --partial '3 mended; 1 to be looked at'
    [ "$(stat -c %a "$AX_SPOOL" "$AX_SPOOL/data.mdb" "$AX_SPOOL/output" | xargs)" = '700 600 700' ]
    rm "$AX_SPOOL/stray"
    run -0 ax doctor
    chmod 500 "$AX_SPOOL/runs"
    finding 'its owner may not use it (mode 0500)'
    run -0 ax doctor --fix
    rm "$AX_SPOOL/write.lock"
    mkdir "$AX_SPOOL/write.lock"
    finding 'write.lock: it is not a plain file'
}

@test "owners, and folders above that others may write to" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    mkdir -m 777 open
    export AX_SPOOL=$PWD/open/spool
    ax add -q 1h true
    finding 'open: it lies above the spool and others may write to it (mode 0777)'
    chmod 1777 open
    run -0 ax doctor
    chown 12345 open
    finding 'open: it lies above the spool and belongs to uid 12345'
    chown 0 open
    chown 12345 "$AX_SPOOL/data.mdb"
    finding 'data.mdb: it belongs to uid 12345'
    chown 0 "$AX_SPOOL/data.mdb"
    chown 12345 "$AX_SPOOL"
    finding 'belongs to uid 12345, not to you'
}

@test "files of no run" {
    ax add -q now true
    for name in output/9.1 output/nonsense runs/9.1 handover/9.1.left handover/9.1.sock handover/9.1.tmp; do
        : >"$AX_SPOOL/$name"
        chmod 600 "$AX_SPOOL/$name"
    done
    touch -d '2 hours ago' "$AX_SPOOL"/output/*
    : >"$AX_SPOOL/output/8.1" # a young one may be of a run that is being recorded
    : >"$AX_SPOOL/handover/9.1.bad"
    chmod 600 "$AX_SPOOL/output/8.1" "$AX_SPOOL/handover/9.1.bad"
    finding 'output/9.1: there is no run of it'
    assert_output --partial 'output/nonsense: it is the output of no run'
    assert_output --partial 'runs/9.1: it is of no open run'
    assert_output --partial 'handover/9.1.left: it is of no open run'
    assert_output --partial 'handover/9.1.sock: its worker is gone'
    assert_output --partial 'handover/9.1.bad: an outcome that was left and cannot be read'
    refute_output --partial 'output/8.1'
    run -1 ax doctor --fix
    assert_output --partial '6 mended; 1 to be looked at'
    [ "$(find "$AX_SPOOL" -name '9.1*')" = "$AX_SPOOL/handover/9.1.bad" ]
    [ -e "$AX_SPOOL/output/8.1" ]
}

@test "an output that is gone, and runs that nobody ends" {
    serve
    ax add -q now -- sh -c 'head -c 20000 /dev/zero'
    until_true 10 state_is 1 done
    ax add -q --if-lost fail now sleep 1000
    until_true 10 state_is 2 running
    run -0 ax doctor --fix
    [ -e "$AX_SPOOL/runs/2.1" ]
    unserve KILL
    for pid in $(pgrep -f "__worker $AX_SPOOL "); do kill -9 "$pid"; done
    for pid in $(sleeps 1000); do kill -9 "$pid"; done
    rm "$AX_SPOOL/output/1.1"
    finding 'run 2.1: it is open, but neither its worker nor its command lives'
    assert_output --partial "run 1.1: its output $AX_SPOOL/output/1.1 is not there"
    ax run --until-idle
    run -1 ax doctor
    refute_output --partial 'run 2.1'
}

@test "an outcome that was left waits for a scheduler" {
    serve
    ax add -q now -- sh -c 'sleep 1'
    until_true 10 state_is 1 running
    unserve KILL
    until_true 10 test -e "$AX_SPOOL/handover/1.1.left"
    finding 'handover/1.1.left: the outcome of a run waits for a scheduler'
    ax doctor --fix || true
    [ -e "$AX_SPOOL/handover/1.1.left" ]
    ax run --until-idle
    state_is 1 done
    run -0 ax doctor
}

@test "what jobs name and is not there" {
    mkdir there
    echo 'A=b' >there/env
    ax add -q --name a --cwd "$PWD/there" --env-file "$PWD/there/env" 1h true
    run -0 ax doctor
    rm there/env
    finding 'job 1 a: its env_file'
    rm -r there
    finding "job 1 a: its folder $PWD/there is not there"
    ax cancel -q a
    run -0 ax doctor # who has ended needs nothing
    cp /bin/sh shell
    ax add -q --shell "$PWD/shell" 1h 'echo hi'
    rm shell
    finding "its shell $PWD/shell cannot be run"
}

@test "users that are gone" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    unshare -m true 2>/dev/null || skip "needs the right to mount"
    ax add -q --user daemon 1h true
    run -0 ax doctor
    grep -v ^daemon /etc/passwd >passwd
    run -1 unshare -m bash -c 'mount --bind passwd /etc/passwd && "$1" doctor' - "$AX"
    assert_output --partial 'job 1: '
    assert_output --partial 'daemon'
}

@test "zones that do not load" {
    ax add -q --cron '0 2 * * *' --timezone Europe/Berlin true
    run -0 ax doctor
    unshare -m true 2>/dev/null || skip "needs the right to mount"
    mkdir empty
    run -1 unshare -m bash -c 'mount --bind empty /usr/share/zoneinfo && "$1" doctor' - "$AX"
    assert_output --partial 'job 1: its schedule cannot be reckoned'
    assert_output --partial 'install tzdata'
    TZ=Nowhere/Land finding 'TZ: '
}

@test "a mailer that is missing" {
    export AX_SENDMAIL=$PWD/mailer
    ax add -q --mailto root 1h true
    finding "$PWD/mailer: jobs are to be mailed, and it cannot be run"
    printf '#!/bin/sh\n' >mailer
    chmod 755 mailer
    run -0 ax doctor
}

@test "schedulers and locks" {
    ax add -q 'now' true
    sleep 0.1
    run -0 ax doctor
    serve
    kill -STOP "$scheduler"
    finding "the scheduler is stopped: nothing runs"
    assert_line "    kill -CONT $scheduler"
    kill -CONT "$scheduler"
    unserve
    (exec 9<>"$AX_SPOOL/write.lock"
        python3 -c '
import fcntl, os, signal, time
fcntl.lockf(9, fcntl.LOCK_EX)
open("locked", "w").close()
time.sleep(60)') 9>&- &
    until_true 10 test -e locked
    holder=$(pgrep -f 'open\("locked"' | tail -1)
    kill -STOP "$holder"
    finding "process $holder is stopped while it writes"
    kill -9 "$holder"
    wait
}

@test "folders of job files" {
    mkdir jobs
    printf 'version: 1\njobs:\n  a: {command: "true", cwd: /, every: 1h}\n' >jobs/a.yaml
    serve --jobs "$PWD/jobs"
    until_true 10 ax show a
    run -0 ax doctor
    echo 'version: 1\njobs: [' >jobs/b.yaml
    errors() { ax status --json | grep -q '"b.yaml\|b\.yaml'; }
    until_true 10 errors
    finding 'in its job files'
    rm jobs/b.yaml
    chmod 777 jobs
    finding 'others can write to the folder of job files'
}

@test "the reserve of space, and a disk that is nearly full" {
    ax add -q 1h true
    : >"$AX_SPOOL/reserve"
    finding 'the room that is kept for a full disk is not there'
    run -0 ax doctor --fix
    [ "$(stat -c %s "$AX_SPOOL/reserve")" = 1048576 ]
    unshare -m true 2>/dev/null || skip "needs the right to mount"
    mkdir disk
    run unshare -m bash -c 'mount -t tmpfs -o size=4m,mode=700 none disk && "$1" add -q --spool "$PWD/disk/s" 1h true; "$1" doctor --spool "$PWD/disk/s"; echo $?' - "$AX"
    assert_output --partial 'KiB are free'
    assert_line 1
}

@test "a clock that is behind" {
    command -v faketime >/dev/null || skip "needs faketime"
    ax add -q 1h true
    run -1 faketime '2001-01-01' "$AX" doctor
    assert_output --partial 'it shows a time before this program was made'
}

@test "indexes are mended while a scheduler serves, and it goes on rightly" {
    serve
    for i in $(seq 20); do ax add -q 1h true; done
    run -0 ax doctor --fix
    ax add -q now true
    until_true 10 state_is 21 done
}

@test "a data file that is garbage" {
    for i in $(seq 200); do echo '{"command":"true","in":"1h"}'; done | ax import ndjson -
    cp "$AX_SPOOL/data.mdb" sound
    head -c 5000 sound >"$AX_SPOOL/data.mdb"
    finding 'ax dump FILE'
    head -c 40000 /dev/urandom >"$AX_SPOOL/data.mdb"
    finding 'it does not begin as a database does'
    cat >flip.py <<'END'
import random, sys
data, seed = bytearray(open("sound", "rb").read()), int(sys.argv[1])
random.seed(seed)
page = random.randrange(len(data) // 4096) * 4096
for _ in range(random.choice((1, 4, 100))):
    data[page + random.choice((random.randrange(4096), random.randrange(16, 64), random.randrange(16)))] = random.randrange(256)
open(sys.argv[2], "wb").write(data)
END
    told=0 end=$((SECONDS + 60))
    local most=60
    [ -z "${AX_SANITIZED:-}" ] || most=25
    for seed in $(seq $most); do
        [ $SECONDS -lt $end ] || break
        rm -f "$AX_SPOOL"/*.mdb
        python3 flip.py "$seed" "$AX_SPOOL/data.mdb"
        chmod 600 "$AX_SPOOL/data.mdb"
        for fix in '' --fix; do
            run timeout 20 "$AX" doctor $fix
            [ "$status" -le 1 ] || { echo "seed $seed: exit $status: $output"; false; }
            told=$((told + status))
        done
    done
    [ $told -ge $((most / 6)) ]
}

@test "a run that left a silent process behind is nothing wrong" {
    serve
    ax add -q --name bg now -c 'sleep 0.5 &'
    until_true 20 state_is bg done
    sleep 0.8
    run ax doctor
    refute_output --partial 'output'
}
