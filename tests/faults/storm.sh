#!/bin/bash
# A storm: jobs are added by many clients while scheduler, workers and clients get SIGKILL at random moments. Afterwards
#   - every job whose `ax add` returned 0 ran, and has an outcome,
#   - none ran twice unless one of its runs was lost,
#   - every outcome that was recorded is the true one.
# SEED repeats the same choices (the moments remain the machine's); STORM_SECONDS is how long it blows.
set -u
: "${AX:=$PWD/ax}" "${TMPDIR:=/tmp}"
SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}
seconds=${STORM_SECONDS:-20}
RANDOM=$SEED
work=$(mktemp -d "$TMPDIR/storm.XXXXXX")
export AX_SPOOL=$work/spool STORM=$work
cd "$work" || exit 1
mkdir added started ended
echo "1..4"
echo "# SEED=$SEED STORM_SECONDS=$seconds"

# What each job does: says that it starts, takes a moment, says that it ends, with the exit code that its own number demands.
cat >job <<'END'
#!/bin/sh
: >"$STORM/started/$AX_RUN"
sleep 0.0$((AX_JOB % 10))
: >"$STORM/ended/$AX_RUN"
exit $((AX_JOB % 3))
END
chmod +x job

scheduler=0
start_scheduler() {
    "$AX" run -j 8 >>scheduler.out 2>&1 &
    scheduler=$!
}
alive() { kill -0 "$1" 2>/dev/null; }

# A client: what it was told (a number, and exit code 0) is a promise.
client() {
    local number
    if number=$("$AX" add -q --clean-env --env STORM="$work" --in "$((RANDOM % 1500))ms" --no-check -- "$work/job" 2>/dev/null) && [ -n "$number" ]; then
        : >"added/$number"
    fi
}
adder() {
    RANDOM=$1
    while [ ! -e stop ]; do
        client &
        local pid=$!
        if [ $((RANDOM % 10)) -eq 0 ]; then
            sleep "0.00$((RANDOM % 10))"
            pkill -9 -P "$pid" 2>/dev/null
        fi
        wait "$pid" 2>/dev/null
        sleep 0.02
    done
}
random_worker() { # the pid of some worker of this spool
    local pids
    mapfile -t pids < <(pgrep -f "__worker $AX_SPOOL ")
    [ ${#pids[@]} -gt 0 ] && echo "${pids[RANDOM % ${#pids[@]}]}"
}

start_scheduler
adder $((SEED + 1)) 2>/dev/null &
one=$!
adder $((SEED + 2)) 2>/dev/null &
two=$!
end=$((SECONDS + seconds))
kills=0 worker_kills=0
while [ $SECONDS -lt $end ]; do
    sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
    case $((RANDOM % 4)) in
    0) pid=$(random_worker) && kill -9 "$pid" 2>/dev/null && worker_kills=$((worker_kills + 1)) ;;
    *) kill -9 $scheduler 2>/dev/null && kills=$((kills + 1)) ;;
    esac
    if ! alive $scheduler; then
        wait $scheduler 2>/dev/null
        start_scheduler
    fi
done 2>/dev/null
touch stop
wait $one $two 2>/dev/null
kill -TERM $scheduler 2>/dev/null
wait $scheduler 2>/dev/null
timeout 100 "$AX" run -j 8 --until-idle >>scheduler.out 2>&1
finished=$?
echo "# $(ls added | wc -l) jobs added, $(ls started | wc -l) runs started, scheduler killed $kills times, workers $worker_kills times"

result() { # number text status
    [ "$3" -eq 0 ] && echo "ok $1 - $2" || echo "not ok $1 - $2"
}

"$AX" history --json --limit 1000000 >history.json
result 1 "the spool comes to rest" $finished

# One line a row of history: run job outcome exit_code.
sed -n 's/.*"run":"\([0-9.]*\)".*"job":\([0-9]*\).*"outcome":"\([a-z]*\)".*"exit_code":\([0-9a-z]*\).*/\1 \2 \3 \4/p' history.json >rows
ls added >added.list
ls started >started.list
ls ended >ended.list

awk 'FILENAME == "started.list" { split($1, p, "."); ran[p[1]] = 1; next }
     FILENAME == "rows" { if ($3 != "lost") over[$2] = 1; lost[$2] += $3 == "lost"; next }
     !ran[$1] && lost[$1] < 1 { print "# job " $1 " was promised and never ran"; bad = 1 }
     !over[$1] && lost[$1] < 4 { print "# job " $1 " has no outcome"; bad = 1 }
     END { exit bad }' started.list rows added.list
result 2 "every job that was promised ran" $?

awk 'FILENAME == "rows" { lost[$2] += $3 == "lost"; next }
     { split($1, p, "."); runs[p[1]]++ }
     END { for (job in runs) if (runs[job] > 1 + lost[job]) { print "# job " job " ran " runs[job] " times, " lost[job] + 0 " lost"; bad = 1 }; exit bad }' rows started.list
result 3 "none ran twice unless a run was lost" $?

awk 'FILENAME == "ended.list" { ended[$1] = 1; next }
     $3 == "lost" { next }
     { want = $2 % 3; outcome = want ? "failed" : "ok" }
     $3 != outcome || $4 != want || !ended[$1] { print "# run " $1 ": recorded " $3 " " $4 ", was " outcome " " want; bad = 1 }
     END { exit bad }' ended.list rows
result 4 "every recorded outcome is the true one" $?
[ -n "${KEEP:-}" ] && echo "# kept: $work" || rm -rf "$work"
