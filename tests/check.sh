#!/bin/bash
# check.sh [WORD...]: runs the tests that `make check` has built, several files at a time, and counts them.
#
#   plain       tests/layers.sh; tests/unit of build/release; tests/cli and tests/demo.sh with build/release/ax;
#               tests/faults of and with build/faults
#   sanitized   tests/unit, tests/cli and tests/faults again, of and with build/check; tests/fuzz: each corpus and mutations of
#               it; and, if clang has built build/fuzz, FUZZ=2 seconds of libFuzzer (what breaks is kept in build/fuzz/found)
#
# With WORDs only the files whose path holds one of them. PLAIN=1 leaves the sanitized half out, JOBS=N says how many
# files run at once. A test file finds in its environment AX (the program under test, which is first in PATH too),
# AX_BUILD (the folder it was built in), AX_SANITIZED (1 or empty) and TMPDIR (a folder of its own, removed afterwards).
# The last line is `N passed, N failed`; the exit code is 0 if some test ran and none failed.
set -u
cd "$(dirname "$0")/.." || exit 1
shopt -s nullglob

jobs=${JOBS:-$(($(nproc) * 2 + 1))} # most files wait more than they work
limit=${LIMIT:-360} # seconds for one file
words=("$@")
work=$(mktemp -d "${TMPDIR:-/tmp}/axt.XXXXXX") || exit 1
chmod 711 "$work"

# Ends what still runs with this line in its environment.
end_leftovers() {
    local file pid
    for file in $(grep -lsazF -- "$1" /proc/[0-9]*/environ); do
        pid=${file//[!0-9]/}
        kill -9 "$pid" 2>/dev/null && echo "left behind and ended: $pid"
    done
}
leave() {
    end_leftovers "AX_CHECK=$work/" >/dev/null
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM HUP

# Counts the TAP of one file: passed failed skipped. A script without a plan is one test. A planned test that did not
# report has failed, and so has a file that ends badly though all its tests passed.
count() { # status < tap
    awk -v status="$1" '
        /^1\.\.[0-9]+/ { split($0, plan, /\.\./); planned += plan[2]; plans++ }
        /^(not )?ok [0-9]+.*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
        /^not ok [0-9]/ { failed++ }
        /^ok [0-9]/ { passed++ }
        END {
            if (!plans) planned = 1
            if (!plans && status == 0 && !passed) passed = 1
            missing = planned - passed - failed - skipped
            if (missing > 0) failed += missing
            if (status != 0 && !failed) failed = 1
            print passed + 0, failed + 0, skipped + 0
        }'
}

# Runs one file and writes its counts. Reports of the sanitizers count wherever they come from: a background process too.
suite() { # number build file
    local dir=$work/$1 build=$2 file=$3 started=$EPOCHREALTIME leaks status passed failed skipped run options reports
    mkdir -m 711 "$dir" && mkdir -m 1777 "$dir/reports" "$dir/tmp"
    case $file in
    tests/fuzz/*)
        run=("$build/${file%.c}" "tests/fuzz/corpus/$(basename "${file#*/fuzz_}" .c)")
        [ "$build" != build/fuzz ] || run=("$run" -max_total_time="${FUZZ:-2}" -timeout=10 "$dir/tmp" "${run[1]}"
            -artifact_prefix="build/fuzz/found/$(basename "$file" .c)-")
        ;;
    *.bats) run=(bats --tap --print-output-on-failure "$file") ;;
    *.c) run=("$build/${file%.c}") ;;
    *) run=("$file") ;;
    esac
    options=(-u AX_SPOOL AX="$PWD/$build/ax" AX_BUILD="$PWD/$build" PATH="$PWD/$build:$PATH" AX_CHECK="$dir/" AX_SANITIZED=
        TMPDIR="$dir/tmp" CMOCKA_MESSAGE_OUTPUT=TAP)
    if [ "$build" = build/check ]; then
        # leaks are looked for where they show, in the unit tests: at the end of each command it takes a third of its time
        [[ $file == *.bats ]] && leaks=0 || leaks=1
        options+=(AX_SANITIZED=1 ASAN_OPTIONS="detect_leaks=$leaks:log_path=$dir/reports/asan"
            UBSAN_OPTIONS="print_stacktrace=1:log_path=$dir/reports/ubsan")
    fi
    env "${options[@]}" timeout -k 5 "$limit" "${run[@]}" </dev/null >"$dir/tap" 2>"$dir/err"
    status=$?
    [ "$status" -eq 124 ] && echo "stopped after $limit seconds" >>"$dir/err"
    end_leftovers "AX_CHECK=$dir/" >>"$dir/err"
    reports=("$dir"/reports/*)
    [ ${#reports[@]} -eq 0 ] || { cat "${reports[@]}" >>"$dir/err"; status=1; }
    read -r passed failed skipped < <(count "$status" <"$dir/tap")
    echo "$passed $failed $skipped" >"$dir/count"
    [ "$failed" -eq 0 ] || {
        printf -- '---- %s (%s), exit code %d\n' "$file" "$build" "$status"
        cat "$dir/tap" "$dir/err"
        printf -- '---- end of %s\n' "$file"
    } >"$dir/story"
    printf '%-7s %4d passed %3d failed %3d skipped %6.1f s  %-14s %s\n' "$([ "$failed" -eq 0 ] && echo ok || echo FAILED)" \
        "$passed" "$failed" "$skipped" "$(awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" "$build" "$file"
    rm -rf "$dir/tmp"
}

wanted() {
    local word
    [ ${#words[@]} -eq 0 ] && return 0
    for word in "${words[@]}"; do [[ $1 == *$word* ]] && return 0; done
    return 1
}

number=0
plan() { # build file...
    local build=$1 file
    shift
    for file in "$@"; do
        wanted "$file" || continue
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        number=$((number + 1))
        suite "$number" "$build" "$file" &
    done
}

faults=(tests/faults/test_*.c tests/faults/*.bats tests/faults/*.sh)
plan build/release tests/layers.sh tests/unit/test_*.c tests/cli/*.bats tests/demo.sh
plan build/faults "${faults[@]}"
if [ -z "${PLAIN:-}" ]; then
    fuzzers=(tests/fuzz/fuzz_*.c)
    plan build/check tests/unit/test_*.c tests/cli/*.bats "${faults[@]}" "${fuzzers[@]}"
    [ ! -d build/fuzz/tests ] || { mkdir -p build/fuzz/found && plan build/fuzz "${fuzzers[@]}"; }
fi
wait

for ((i = 1; i <= number; i++)); do
    [ -f "$work/$i/count" ] || echo "0 1 0" >"$work/$i/count"
    [ ! -f "$work/$i/story" ] || cat "$work/$i/story"
done
cat "$work"/*/count 2>/dev/null | awk '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        printf "%d passed, %d failed%s\n", passed, failed, skipped ? sprintf(", %d skipped", skipped) : ""
        exit failed > 0 || passed == 0
    }'
