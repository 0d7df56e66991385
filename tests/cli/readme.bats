# Every block of README.md, in its order: what is typed is run, what is shown is compared with what comes.

load helper

README=$BATS_TEST_DIRNAME/../../README.md

plain_only() {
    [ -z "${AX_SANITIZED:-}" ] || skip "the plain program says the same"
}

# Each block of the README in a file of its own, in the folder of its heading: 1-a-command-in-twenty-minutes/03.
blocks() {
    awk '
        /^#+ / { heading++; name = tolower($0); gsub(/[^a-z]+/, "-", name); folder = sprintf("%02d%s", heading, name); system("mkdir " folder) }
        /^    / { if (!inside) file = sprintf("%s/%02d", folder, ++n); inside = 1; print substr($0, 5) >file; next }
        { inside = 0; if (file) close(file) }' "$README"
}

# What changes from run to run is made the same: numbers, distances, the folder, blanks. Who does not serve is told at other places too.
same() {
    sed -E "s!${AX_SPOOL}!/home/ann/.local/state/ax!g; /nobody serves the spool, so nothing runs yet/d"'
        s/[0-9]+/9/g
        s/(tomorrow, )?in (9[a-z]+ ?)+/in T/g; s/(9[a-z]+ )+ago/T ago/g
        s/  +/ /g; s/ $//'
}

type_block() { # FILE: runs its commands one after the other; the first that says something else is printed
    local line command= expected=
    while IFS= read -r line || [ -n "$line" ]; do
        if [[ $line = '$ '* ]]; then
            [ -z "$command" ] || typed "$command" "$expected" || return
            command=${line#'$ '} expected=
        else
            expected+=$line$'\n'
        fi
    done <"$1"
    typed "$command" "$expected"
}
typed() { # COMMAND OUTPUT: what only looks is done until it sees it
    local try
    printf %s "$2" | same >wanted
    for ((try = 0; try < 100; try++)); do
        eval "$1" </dev/null 2>&1 3>&- | same >came || true
        ! cmp -s wanted came || return 0
        [[ $1 =~ ^ax\ (history|log|ls|why) ]] || break
        sleep 0.2
    done
    echo "README.md: \$ $1"
    diff wanted came
}

@test "each block is true" {
    plain_only
    export TZ=UTC
    blocks
    unset AX_JOB
    printf '#!/bin/sh\necho deployed to production\n' >deploy
    printf '#!/bin/sh\n[ "$AX_ATTEMPT" -gt 2 ] || { echo connection refused >&2; exit 7; }\necho fetched\n' >fetch
    chmod +x deploy fetch
    local file folder count=0
    for folder in [0-9]*; do
        mkdir "work-$folder"
        cp deploy fetch "work-$folder"
        for file in "$folder"/*; do
            [ -e "$file" ] || continue
            cd "work-$folder"
            play "../$file" || fail "$file"
            count=$((count + 1))
            cd ..
        done
        stop_all
        rm -rf "$AX_SPOOL"
    done
    [ "$count" -ge 14 ]
}
stop_all() {
    local pid
    pid=$(ax status --json 2>/dev/null | sed -n 's/.*"pid":\([0-9]*\).*/\1/p')
    [ -z "$pid" ] || { scheduler=$pid; unserve; }
}

# What a block is, by how it begins.
play() { # FILE
    case $(head -1 "$1") in
    '$ ax check') sed -i 's/retries/retrys/' ax.yaml && type_block "$1" ;;
    '$ '*) type_block "$1" ;;
    'version: 1'*) cp "$1" ax.yaml && ax check ;;
    'PATH='*) cp "$1" crontab.txt ;;
    'FROM '*) container "$1" ;;
    '# '*) as_root "$1" ;;
    'ax status '*) night "$1" ;;
    *make* | *git*) targets "$1" ;;
    *'/ '*) folders "$1" ;;
    *) echo "what is this?"; cat "$1"; return 1 ;;
    esac
}
targets() { # each `make X` is a target that says what it would do
    local target
    for target in $(grep -oE 'make( [a-z]+)?' "$1" | sed 's/^make *//'); do
        make -n -C "$BATS_TEST_DIRNAME/../.." "$target" >/dev/null || return
    done
}
folders() {
    local folder
    for folder in $(grep -oE '^[a-z/]+/' "$1"); do
        [ -d "$BATS_TEST_DIRNAME/../../$folder" ] || { echo "no folder $folder"; return 1; }
    done
}
container() { # its command serves the folder that it says, and obeys TERM
    local words
    words=$(sed -n 's/^CMD \[\(.*\)\]/\1/p' "$1" | tr -d '",' | sed "s!/etc/ax/jobs!$PWD/jobs!; s/^ax //")
    mkdir jobs
    printf 'version: 1\njobs: {a: {command: echo done, boot: scheduler, cwd: /}}\n' >jobs/a.yaml
    "$AX" $words 2>log 3>&- &
    scheduler=$!
    until_true 20 eval 'ax log a 2>/dev/null | grep -q done' || { cat log; return 1; }
    unserve
}
night() { # each line, of a job that has failed
    local line code
    serve
    ax add -q --name backup --clean-env 1h -c 'exit 3' && ax start -q backup
    until_true 20 eval 'ax history --json backup | grep -q "\"exit_code\":3"'
    while IFS= read -r line; do
        code=0
        PATH=$(dirname "$AX"):$PATH bash -c "$line" >said 2>&1 || code=$?
        case $line in
        *'exec backup '*) [ "$code" -eq 3 ] ;;
        *) [ "$code" -eq 0 ] && { [ -s said ] || [[ $line = *' log '* ]]; } ;;
        esac || { echo "$line: exit $code"; cat said; return 1; }
    done <"$1"
    unserve
}
as_root() { # by hand; here only whether there are such commands
    local word
    for word in $(sed -n 's/^# ax \([a-z]*\).*/\1/p' "$1"); do ax help "$word" >/dev/null || return; done
}
