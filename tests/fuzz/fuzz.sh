#!/bin/sh
# fuzz.sh SECONDS [NAME...]: gives each target (or those named) to libFuzzer for so long, as `make fuzz` has built them. What it
# learns stays in build/fuzz/corpus, an input that breaks something in build/fuzz/found.
set -eu
cd "$(dirname "$0")/../.."

seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/corpus)
mkdir -p build/fuzz/found
for name in "$@"; do
    echo "---- $name"
    mkdir -p "build/fuzz/corpus/$name"
    "build/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/found/$name-" "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
done
