#!/bin/bash
# The order of the rooms, proved with grep: who may include whom, one door to each library, what each room leaves alone.
set -u
cd "$(dirname "$0")/.." || exit 1
shopt -s nullglob

sources=(lib/*/*.[ch] spool/*.[ch] cmd/*.[ch] cmd/run/*.[ch])
number=0
report() { # what, and the lines that break it on standard input
    local broken
    broken=$(cat)
    number=$((number + 1))
    if [ -z "$broken" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        sed 's/^/#   /' <<<"$broken"
        failed=1
    fi
}
failed=0

# room, and what its files may include by a path of ours
includes() { grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" /dev/null; }
report "lib includes lib only" < <(includes lib/*/*.[ch] | grep -vE '"lib/')
report "lib/base includes lib/base only" < <(includes lib/base/*.[ch] | grep -vE '"lib/base/')
report "spool includes lib and spool only" < <(includes spool/*.[ch] | grep -vE '"(lib|spool)/')
report "cmd includes by paths from the top" < <(includes cmd/*.[ch] cmd/run/*.[ch] | grep -vE '"(lib|spool|cmd)/')
report "cmd/run is entered from the table of commands only, and by exec, which starts commands as a worker does" < <(
    includes cmd/*.[ch] | grep '"cmd/run/' | grep -vE '^cmd/command\.c:|^cmd/exec(_run)?\.[ch]:[0-9]+:#include "cmd/run/startup\.h"')

# a library's header, and the one place that may include it
header() {
    report "<${1//\\/}> only in ${2//\\/}" < <(
        grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$1>" "${sources[@]}" /dev/null | grep -vE "^$2:")
}
header 'lmdb\.h' 'spool/db\.c'
header 'jansson\.h' 'lib/text/json\.c'
header 'msgpack(/[a-z/]*)?\.h' 'lib/text/pack\.c'
header 'yaml\.h' 'lib/text/yaml\.c'
header 'sys/inotify\.h' 'lib/sys/watch\.[ch]'
header 'sys/epoll\.h' 'lib/sys/loop\.[ch]'
header 'sys/(timerfd|signalfd)\.h' 'lib/sys/loop\.[ch]'
header 'spawn\.h' 'lib/sys/child\.[ch]'

# what a room leaves alone
code() { sed -E 's#/\*.*\*/##; s#"([^"\\]|\\.)*"#""#g; \%^[[:space:]]*(/\*|\*)%d' "$1" | grep -nE "$2" | sed "s#^#$1:#"; }
report "processes are made in lib/sys/child.c only" < <(for f in "${sources[@]}"; do
    [ "$f" = lib/sys/child.c ] || code "$f" '(^|[^A-Za-z0-9_."*])(v?fork|_Fork|clone3?|posix_spawnp?|system|popen|daemon) ?\('
done)
report "lib/time reads no clock and no environment" < <(for f in lib/time/*.c; do
    [ "$f" = lib/time/zone_load.c ] && continue # finds the zone files
    code "$f" '(^|[^a-z_])(time|clock_gettime|gettimeofday|clock_wall|localtime(_r)?|mktime|getenv|setenv|tzset) ?\('
done)
report "lib and spool neither print nor exit" < <(for f in lib/*/*.c spool/*.c; do
    [ "$f" = lib/base/mem.c ] && continue # out of memory ends the process
    code "$f" '(^|[^a-z_])(printf|puts|putchar|perror|exit|abort|warnx?|errx?) ?\(|std(out|err)'
done)
report "no writable globals" < <(for f in build/release/lib/*/*.o build/release/spool/*.o build/release/cmd/*.o build/release/cmd/run/*.o; do
    [ -f "$(sed 's#^build/release/##; s#o$#c#' <<<"$f")" ] || continue # left over from a source that is gone
    [[ $f == */lib/base/fault.o ]] && continue # counts for tests
    objdump -t "$f" | awk -v file="$f" '$0 ~ / O \.(data|bss)\t/ { print file ": " $NF }'
done)
report "nothing that only glibc has: Alpine's libc is musl" < <(grep -nE \
    'sig(abbrev|descr)_np|strerror(name|desc)_np|__rlimit_resource_t|<(sys/pidfd|error|argp|fts|obstack|gnu/|execinfo|malloc)\.?h?|program_invocation' \
    "${sources[@]}")
report "ax needs no shared library but libc" < <(readelf -d build/release/ax 2>&1 |
    grep -E 'NEEDED|rror' | grep -vE '\[(libc\.so\.6|ld-linux.*)\]')

# what is published
files() { git ls-files -z 2>/dev/null | grep -z . || find . -type f -not -path './build/*' -not -path './.git/*' -print0; }
report "no paths of one machine" < <(files | xargs -0 grep -nIE '(^|[^A-Za-z0-9._-])/(wor[k]|roo[t])/' 2>/dev/null)

echo "1..$number"
exit "$failed"
