load helper

# A spool with something in each table that a dump has.
rich() {
    cat >rich.yaml <<'END'
version: 1
jobs:
  filed: {command: echo filed, cwd: /, cron: 30 2 * * *, timezone: Europe/Berlin, tags: [a, b]}
END
    ax apply -q rich.yaml
    ax add -q --name once 1h echo hi
    ax add -q --mailto root --mail always now -- sh -c 'echo mail; printf "\377\000\001"; exit 3'
    ax add -q now -- sh -c 'head -c 200000 /dev/zero | tr "\0" x'
    ax add -q --name over --queue slow --every 1s --overlap allow sleep 1000
    ax add -q --name held 2h true
    ax add -q --env "W=$(printf 'x\377y')" --env '$D=1' --env '$bytes=2' --notify failure=cat now false
    ax pause -q held
    ax queue set slow --limit 2
    serve
    until_true 10 state_is 4 done
    until_true 10 state_is 7 failed
    until_true 10 state_is over running
    ax start -q once --set A=b
    ax set -q once description=changed
    unserve KILL
}

@test "dump, load, dump: the same bytes, also through a pipe" {
    rich
    run -0 ax dump one
    [ "$(stat -c %a one)" = 600 ]
    run -0 ax load --spool "$PWD/second" one
    assert_output ''
    ax dump --spool "$PWD/second" - >two
    cmp one two
    ax dump --spool "$PWD/second" | ax load --spool "$PWD/third" -
    ax dump --spool "$PWD/third" two
    cmp one two
    for table in job state name run output environment queue audit setting source zone counters mail; do
        grep -q "^{\"table\":\"$table\"" one || { echo "no $table"; false; }
    done
    grep -q '^{"file":"output/4.1","offset":49152,' one
    assert_equal "$(ax log --spool "$PWD/second" 4 | cksum)" "$(ax log 4 | cksum)"
    assert_equal "$(ax log --raw --spool "$PWD/second" 3 | cksum)" "$(ax log --raw 3 | cksum)"
    assert_equal "$(ax history --json --spool "$PWD/second")" "$(ax history --json)"
    assert_equal "$(ax show --json --spool "$PWD/second" filed)" "$(ax show --json filed)"
}

@test "a loaded spool serves: open runs as after a death of the machine, numbers go on" {
    rich
    ax dump one
    export AX_SPOOL=$PWD/second
    ax load one
    serve
    run -0 ax add -q 1h true
    assert_output 8
    lost() { ax history --json over | grep -q '"outcome":"lost"'; }
    until_true 10 lost
    ax cancel -q over
    unserve
}

@test "what a dump is loaded into must be empty and not served" {
    ax add -q 1h true
    ax dump one
    run -4 ax load one
    assert_output --partial "the spool $AX_SPOOL is not empty"
    assert_equal "$(ax ls --json | wc -l)" 1
    export AX_SPOOL=$PWD/second
    serve
    run -4 ax load one
    assert_output --partial 'a scheduler serves the spool'
    unserve
    run -0 ax load one # an empty spool that was served before
    assert_equal "$(ax ls --json | wc -l)" 1
}

@test "bad dumps are refused with the line, and nothing is there" {
    ax add -q --name a 1h true
    ax add -q 1h true
    ax dump one
    export AX_SPOOL=$PWD/second
    lines=$(wc -l <one)
    refused() { # text, dump on standard input
        cat >bad
        run -2 ax load bad
        assert_output --partial "$1"
        [ ! -e "$AX_SPOOL" ] || [ -z "$(ax ls --json --all)" ]
    }
    head -n -1 one | refused "line $((lines - 1)): the dump was cut off: its last line is missing"
    head -c -1 one | refused "line $lines: the dump was cut off here"
    head -c 300 one | refused 'the dump was cut off here'
    : | refused 'the dump is empty'
    echo '{"jobs":1}' | refused 'line 1: this is not a dump'
    sed '1s/1,/9,/' one | refused 'line 1: the dump has format 9'
    sed 3d one | refused "line $((lines - 1)): the dump should have"
    sed '/"name":"a"/s/"command":"true"/"command":"evil"/' one | refused "line $lines: the dump was changed"
    sed '2s/^{"table":"[a-z]*"/{"table":"nonsense"/' one | refused 'line 2: there is no such table in a dump'
    sed '2s/^{"table":"[a-z]*"/{"table":"due"/' one | refused 'line 2: there is no such table in a dump'
    sed '2s/}$/,"more":1}/' one | refused 'line 2: it has members that a '
    sed '2s/}$//' one | refused 'line 2: '
    sed '/"table":"state"/s/"v":1/"v":7/' one | refused 'was written by a newer ax'
    { cat one; echo '{}'; } | refused "line $((lines + 1)): something follows the end"
    run -2 ax load
    run -2 ax load one two
    run -1 ax load missing
    assert_output --partial 'No such file'
}

# Makes the end of a dump fit its lines again.
seal() {
    python3 -c '
import sys
h, n, out = 14695981039346656037, 0, []
for line in sys.stdin.buffer:
    if line.startswith(b"{\"end\""): break
    for c in line: h = (h ^ c) * 1099511628211 & (1 << 64) - 1
    n += 1
    out.append(line)
out.append(b"{\"end\":true,\"lines\":%d,\"hash\":\"%016x\"}\n" % (n, h))
sys.stdout.buffer.write(b"".join(out))'
}

@test "lines that do not fit together are refused, with nothing left" {
    ax add -q --name a 1h true
    ax dump one
    seal <one | cmp - one
    export AX_SPOOL=$PWD/second
    grep -v '"table":"state"' one | seal >bad
    run -2 ax load bad
    assert_output --partial 'what the dump says does not fit together: job 1: it has no state'
    assert_equal "$(ax ls --all --json)" ''
    sed '/"table":"job"/p' one | seal >bad
    run -2 ax load bad
    assert_output --partial 'this job was there before'
    grep -v '"table":"environment"' one | seal >bad
    run -2 ax load bad
    assert_output --partial 'environment'
    sed '$i{"file":"../x","offset":0,"bytes":""}' one | seal >bad
    run -2 ax load bad
    assert_output --partial '../x is no file of a run'
    sed '$i{"file":"output/1.1","offset":4,"bytes":""}' one | seal >bad
    run -2 ax load bad
    assert_output --partial 'a piece of the file output/1.1 is missing'
    run -0 ax load one
}

@test "a dump while jobs are added is of one moment" {
    for i in 1 2 3; do ax add -q 1h true; done
    (for i in $(seq 60); do ax add -q 1h true; done) &
    for i in 1 2 3 4 5; do
        ax dump "live$i"
        ax load --spool "$PWD/of$i" "live$i"
        ax dump --spool "$PWD/of$i" | cmp - "live$i"
        assert_equal "$(grep -c '"table":"job"' "live$i")" "$(grep -c '"table":"state"' "live$i")"
    done
    wait
}

@test "a pipe that is slow holds nobody up; one that is closed is silent" {
    ax add -q 1h -- echo "$(head -c 100000 /dev/zero | tr '\0' x)"
    ax dump | (sleep 3; cat >slow) &
    sleep 0.3
    before=$SECONDS
    ax add -q 1h true
    [ $((SECONDS - before)) -le 2 ]
    wait
    run -0 ax load --spool "$PWD/second" slow
    assert_equal "$(ax dump | head -c 1)" '{'
    run -0 --separate-stderr bash -c "'$AX' dump | true"
    assert_equal "$stderr" ''
}

@test "where a dump goes" {
    ax add -q 1h true
    echo old >file
    chmod 644 file
    ax dump file
    [ "$(stat -c %a file)" = 600 ]
    run -0 ls
    refute_output --partial 'file.'
    mkfifo pipe
    run -2 ax dump pipe
    assert_output --partial 'is no plain file'
    run -1 ax dump missing/file
    run -5 ax dump --spool "$PWD/missing" file
    [ ! -e "$PWD/missing" ]
    grep -q ax_dump file # is still the one before
    run script -qec "'$AX' dump" /dev/null
    assert_output --partial 'secrets too: name a FILE for it, or say --force'
    run script -qec "'$AX' dump --force" /dev/null
    assert_output --partial '"ax_dump"'
}

# Damage to copies of a data file: whatever byte changes, dump ends by itself and says so.
@test "a data file with flipped bytes, or cut short" {
    rich
    ax dump whole
    cp "$AX_SPOOL/data.mdb" sound
    cat >flip.py <<'END'
import random, sys
data, seed = bytearray(open("sound", "rb").read()), int(sys.argv[1])
random.seed(seed)
if seed % 10 == 0:
    data = data[:random.randrange(1, len(data))]
else:
    page = random.randrange(len(data) // 4096) * 4096
    for _ in range(random.choice((1, 1, 4, 200))):
        where = page + random.choice((random.randrange(4096), random.randrange(16, 64), random.randrange(16)))
        data[where] = random.randrange(256)
open(sys.argv[2], "wb").write(data)
END
    mkdir -m 700 broken
    told=0 end=$((SECONDS + 60))
    local most=80
    [ -z "${AX_SANITIZED:-}" ] || most=40
    for seed in $(seq 0 $most); do
        [ $SECONDS -lt $end ] || break
        rm -rf broken/*
        python3 flip.py "$seed" broken/data.mdb
        run timeout 20 "$AX" dump --spool "$PWD/broken" out
        case $status in
        0) [ -z "$output" ] ;;
        1) assert_output --partial 'left out: '; told=$((told + 1)) ;;
        5) assert_output --partial 'is damaged'; told=$((told + 1)) ;;
        *) echo "seed $seed: exit $status: $output"; false ;;
        esac
    done
    echo "# told $told times of $seed"
    [ $told -ge 5 ]
    [ "$seed" -ge 30 ]
}

@test "what can be read of a damaged spool is dumped, and makes a new one" {
    for i in $(seq 300); do echo '{"command":"true","in":"1h"}'; done | ax import ndjson -
    python3 - "$AX_SPOOL/data.mdb" <<'END'
import sys
path = sys.argv[1]
data = bytearray(open(path, "rb").read())
last = None
for page in range(2, len(data) // 4096):  # the leaves of the jobs: the last one found is of the newest transaction
    at = page * 4096
    if data[at + 10] == 2 and data[at:at + 4096].count(b"command") > 5: last = at
data[last + 12] = 255
open(path, "wb").write(data)
END
    run -1 ax dump part
    assert_line --regexp 'left out: page [0-9]+ of table jobs: its head is damaged'
    grep -c '"table":"job"' part
    [ "$(grep -c '"table":"job"' part)" -ge 100 ]
}
