# What the tests of the command line share. Each test has a spool of its own, which nobody serves until `serve` is called.

bats_require_minimum_version 1.5.0
bats_load_library bats-support
bats_load_library bats-assert

AX=${AX:-$BATS_TEST_DIRNAME/../../ax}

setup() {
    export AX_SPOOL=$BATS_TEST_TMPDIR/spool TZ=UTC LC_ALL=C.UTF-8
    unset NO_COLOR
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    unserve KILL
}

ax() {
    "$AX" "$@"
}

# Starts a scheduler, and waits until it serves.
serve() {
    "$AX" run --detach "$@" >served || return
    scheduler=$(sed -n 's/.*, pid \([0-9]*\);.*/\1/p' served)
}

# Is it gone, or dead and not yet reaped? Some inits take seconds for that.
alive() { # PID
    local stat
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null && [[ ${stat##*) } != [ZX]* ]]
}

# Ends the scheduler: by TERM with all its runs, or as it is told.
unserve() {
    [ -n "${scheduler:-}" ] || return 0
    kill -"${1:-TERM}" "$scheduler" 2>/dev/null || true
    while alive "$scheduler"; do sleep 0.02; done
    scheduler=
}

# until_true SECONDS COMMAND...: waits for the command to succeed.
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -le $end ] || { echo "in vain: $*"; return 1; }
        sleep 0.05
    done
}

# field NAME < JSON lines: of each line the value of the first member of that name, without quotes.
field() {
    awk -v start="\"$1\":" '
        match($0, start "(\"([^\"\\\\]|\\\\.)*\"|[^,}]*)") {
            value = substr($0, RSTART + length(start), RLENGTH - length(start))
            if (value ~ /^"/) value = substr(value, 2, length(value) - 2)
            print value
        }'
}

state_is() { # JOB STATE
    [ "$(ax show --json "$1" | field state)" = "$2" ]
}

# The pids of this test's own `sleep SECONDS`.
sleeps() {
    local pid found=1
    for pid in $(pgrep -fx "sleep $1"); do
        grep -qzxF "AX_SPOOL=$AX_SPOOL" "/proc/$pid/environ" 2>/dev/null && echo "$pid" && found=0
    done
    return $found
}
