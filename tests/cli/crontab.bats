load helper

# The machine's own crontabs are never touched: FILE is named, or `crontab` is one of the test's own.

crontabs=$BATS_TEST_DIRNAME/../data/crontabs

column() { # NAME: a column of expected.tsv, for the row in $row
    local names i
    IFS=$'\t' read -r -a names <"$crontabs/expected.tsv"
    for i in "${!names[@]}"; do
        [ "${names[$i]}" = "$1" ] && cut -f "$((i + 1))" <<<"$row"
    done
}

# What expected.tsv says of a file, as the members of JSON objects that --json prints.
expected_json() { # FILE
    python3 - "$crontabs/expected.tsv" "$1" "$(id -un)" <<'PYTHON'
import csv, json, pwd, sys
table, name, me = sys.argv[1:]
for row in csv.DictReader(open(table, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE):
    if row["file"] != name:
        continue
    line = {"line": int(row["line"]), "status": {"lax": "reported"}.get(row["what"], row["what"])}
    for key in ("cron", "user", "env", "command", "stdin", "reason"):
        line[key] = None
    if row["what"] == "refused":
        line["reason"] = row["reason"]
    else:
        user = me if row["user"] == "(owner)" else row["user"]
        home = pwd.getpwnam(user).pw_dir
        env = {k: v.replace("(user)", user).replace("(home)", home) for k, v in json.loads(row["env"]).items()}
        line.update(cron=row["schedule"], user=user, env=env, command=json.loads(row["command"]).rstrip("\r"),
                    stdin=None if row["stdin"] == "-" else json.loads(row["stdin"]), reason=bool(row["reason"]) and row["what"] == "lax")
    print(json.dumps(line, sort_keys=True))
PYTHON
}

printed_json() { # < output of --json
    python3 -c '
import json, sys
for text in sys.stdin:
    line = json.loads(text)
    line = {key: line[key] for key in ("line", "status", "cron", "user", "env", "command", "stdin", "reason")}
    if line["status"] != "refused":
        line["reason"] = bool(line["reason"])
    print(json.dumps(line, sort_keys=True))'
}

@test "every line of the example crontabs is what Debian's cron makes of it" {
    [ "$(id -u)" -eq 0 ] || skip "lines of other users need root"
    local file kind seen=0
    for file in "$crontabs"/*.user "$crontabs"/*.system; do
        kind=
        [ "${file##*.}" = user ] || kind=--system
        expected_json "${file##*/}" >want
        ax import crontab $kind "$file" --dry-run --json >out 2>err || [ -s err ]
        printed_json <out >got
        diff -u want got || fail "${file##*/}"
        seen=$((seen + $(wc -l <want)))
    done
    [ "$seen" -eq "$(($(wc -l <"$crontabs/expected.tsv") - 1))" ]
    [ ! -e spool ]
}

@test "bad lines: all are told, nothing is imported, unless they are to be left out" {
    run -2 --separate-stderr ax import crontab "$crontabs/bad-fields.user"
    [[ $stderr == *'bad-fields.user:1: bad minute'*'60 * * * * /bin/a'*':13: bad command'*'15 lines are refused'* ]]
    assert_output ''
    [ ! -e spool ] || [ -z "$(ax ls --json)" ]
    run -2 --separate-stderr ax import crontab --dry-run --json "$crontabs/bad-fields.user"
    [ "${#lines[@]}" -eq 16 ]
    run -0 --separate-stderr ax import crontab --skip-bad "$crontabs/bad-fields.user"
    assert_output --partial 'line 1: refused: bad minute'
    assert_output --partial '1 created'
    [ "$(ax ls --json | wc -l)" -eq 1 ]
}

@test "importing again updates and never doubles; equal lines are two jobs; what is gone from the crontab is gone" {
    printf '0 1 * * * /bin/a one\n0 2 * * * /bin/b\n0 1 * * * /bin/a one\n' >tab
    ax import crontab -q tab
    [ "$(ax ls --json | field name | sort | xargs)" = 'tab-a-one tab-a-one-2 tab-b' ]
    run -0 --separate-stderr ax import crontab tab
    assert_output --partial '0 created, 0 updated, 3 unchanged, 0 removed'
    printf '0 1 * * * /bin/a one\n30 2 * * * /bin/b\n@daily /bin/c\n' >tab
    run -0 --separate-stderr ax import crontab tab
    assert_output --partial '1 created, 1 updated, 1 unchanged, 1 removed'
    assert_output --partial 'job 3 (tab-a-one-2) removed: its line is gone'
    assert_output --partial 'if cron reads this crontab, it still has the lines'
    run -0 --separate-stderr ax import crontab --json --dry-run - </dev/null # of another source
    assert_output ''
    : >tab
    run -0 --separate-stderr ax import crontab --json --dry-run tab
    [ "$(field name <<<"$output" | sort | xargs)" = 'tab-a-one tab-b tab-c' ]
    [ "$(field status <<<"$output" | sort -u)" = removed ]
    [ "$(ax show tab-b --json | field job)" = 2 ]
    state_is 3 cancelled || ! ax show 3
}

@test "jobs have the semantics of cron" {
    printf '# nightly\n#  in two lines\n0 1 * * * a\n@reboot b\nHOME=/tmp\n0 1 * * * c%%x\n' >tab
    ax import crontab -q tab
    run ax show tab-a --json
    for member in '"overlap":"allow"' '"catchup":"skip"' '"weight":0' '"description":"nightly\nin two lines"' "\"cwd\":\"$HOME\""; do
        assert_output --partial "$member"
    done
    output=${output%%,\"trail\":*} # which names who did it
    for member in stdin timezone user HOME; do
        refute_output --partial "\"$member\""
    done
    run ax show tab-b --json
    assert_output --partial '"boot":"machine"'
    run ax show tab-c --json
    assert_output --partial '"cwd":"/tmp"'
    assert_output --partial '"HOME":"/tmp"'
    assert_output --partial '"stdin":"x\n"'
}

@test "taking over: the lines become comments, are read all the same, and are given back byte for byte" {
    printf 'A=1\n\n0 1 * * * /bin/a\n  @daily\t/bin/b  \n#end' >tab
    cp tab whole
    chmod 640 tab
    run -0 --separate-stderr ax import crontab --take-over tab
    assert_output --partial 'tab: 2 lines taken over'
    printf 'A=1\n\n#ax# 0 1 * * * /bin/a\n#ax#   @daily\t/bin/b  \n#end' | cmp - tab
    [ "$(stat -c %a tab)" = 640 ]
    cmp .tab.before-ax whole
    run -0 --separate-stderr ax import crontab --take-over tab
    assert_output --partial '2 unchanged'
    refute_output --partial 'cron still has'
    run ls -A
    refute_output --partial new-by-ax
    ax import crontab --undo tab
    cmp tab whole
    [ ! -e .tab.before-ax ]
    [ -z "$(ax ls --json)" ]
    run -1 ax import crontab --undo tab
    assert_output --partial 'nothing of it was taken over'
}

@test "taking over: what was edited since stays, and so does the backup" {
    printf '0 1 * * * /bin/a\n0 2 * * * /bin/b\n' >tab
    ax import crontab -q --take-over tab
    printf '0 3 * * * /bin/c\n' >>tab
    run -0 --separate-stderr ax import crontab tab
    assert_output --partial '1 created, 0 updated, 2 unchanged'
    run -0 --separate-stderr ax import crontab --undo tab
    assert_output --partial 'edited since'
    printf '0 1 * * * /bin/a\n0 2 * * * /bin/b\n0 3 * * * /bin/c\n' | cmp - tab
    [ -e .tab.before-ax ]
}

@test "taking over: a bad line stays with cron, and nothing is touched where nothing is imported" {
    printf '0 1 * * * /bin/a\n0 61 * * * /bin/b\n' >tab
    cp tab whole
    run -2 ax import crontab --take-over tab
    cmp tab whole
    ax import crontab -q --take-over --skip-bad tab
    printf '#ax# 0 1 * * * /bin/a\n0 61 * * * /bin/b\n' | cmp - tab
}

# ---- where crontabs lie ----

# A crontab(1) of the test's own, for the user it is run by.
own_crontab() {
    mkdir bin
    cat >bin/crontab <<'SCRIPT'
#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -l) exec cat "$OWN" ;;
    -u) shift ;;
    -) exec cat >"$OWN" ;;
    esac
    shift
done
exit 1
SCRIPT
    chmod +x bin/crontab
    export OWN=$PWD/own PATH=$PWD/bin:$PATH
}

# A user who may not look into the folder of crontabs: nobody, where this is root.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=nobody --clear-groups "$@"
    else
        "$@"
    fi
}

@test "one's own crontab, through crontab(1) where it cannot be read" {
    command -v setpriv || skip 'no setpriv'
    scratch=$(mktemp -d) # the folder of the test cannot be reached by others
    chmod 755 "$scratch"
    cd "$scratch"
    own_crontab
    cp "$AX" ax-copy
    mkdir home
    printf '0 1 * * * /bin/a\nMAILTO=""\n@daily /bin/b' >own
    [ "$(id -u)" -ne 0 ] || chown nobody home own .
    export AX_SPOOL=$PWD/home/spool
    run -2 as_user ./ax-copy import crontab
    assert_output --partial 'crontab of '
    assert_output --partial ':3: no newline'
    printf '\n' >>own
    as_user ./ax-copy import crontab -q
    as_user ./ax-copy import crontab -q - <own # the same source
    [ "$(as_user ./ax-copy ls --json | wc -l)" -eq 2 ]
    as_user ./ax-copy import crontab -q --take-over
    printf '#ax# 0 1 * * * /bin/a\nMAILTO=""\n#ax# @daily /bin/b\n' | cmp - own
    printf '0 1 * * * /bin/a\nMAILTO=""\n@daily /bin/b\n' | cmp - home/spool/crontab.*.before-ax
    as_user ./ax-copy import crontab --undo
    printf '0 1 * * * /bin/a\nMAILTO=""\n@daily /bin/b\n' | cmp - own
    [ -z "$(as_user ./ax-copy ls --json)" ]
    rm own
    run -1 as_user ./ax-copy import crontab
    assert_output --partial 'crontab -l'
    cd "$BATS_TEST_TMPDIR"
    rm -r "$scratch"
}

@test "the real crontab(1) and the places where cron looks, in a scratch root of mounts" {
    [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip 'needs to mount'
    [ -e /usr/bin/crontab ] && [ -e /etc/crontab ] && [ -d /var/spool/cron ] || skip "needs Debian's cron"
    mkdir -p etc/cron.d spool-of-cron/crontabs
    chgrp crontab spool-of-cron/crontabs
    chmod 1730 spool-of-cron/crontabs
    chmod 755 etc/cron.d
    printf '17 * * * * root cd / && run-parts /etc/cron.hourly\n' >etc/crontab
    printf '5 4 * * * daemon /bin/d\n' >etc/cron.d/one
    printf '# Every night.\n0 1 * * * /bin/a\n@reboot /bin/b\n' >own
    printf '0 2 * * * /bin/u\n' >daemons
    cat >in-mounts <<'END'
set -e
mount --bind spool-of-cron /var/spool/cron
mount --bind etc/cron.d /etc/cron.d
mount --bind etc/crontab /etc/crontab
crontab own
crontab -u daemon daemons
"$AX" import crontab -q --take-over
crontab -l >after
"$AX" import crontab -q --user daemon --take-over
crontab -u daemon -l >>after
"$AX" import crontab --system --dry-run >usual
"$AX" ls --json >jobs
"$AX" import crontab --undo
"$AX" import crontab --undo --user daemon
crontab -l | cmp - own
crontab -u daemon -l | cmp - daemons
[ "$(stat -c '%U %G %a' /var/spool/cron/crontabs/daemon)" = 'daemon crontab 600' ]
[ -z "$("$AX" ls --json)" ]
END
    export AX
    run -0 unshare -m bash in-mounts
    assert_equal "$(cat after)" $'# Every night.\n#ax# 0 1 * * * /bin/a\n#ax# @reboot /bin/b\n#ax# 0 2 * * * /bin/u'
    assert_equal "$(field name <jobs | xargs)" 'root-a root-b daemon-u'
    run cat usual
    assert_line '/etc/crontab:'
    assert_line --partial 'crontab-run-parts-cron.hourly: 17 * * * *, as root'
    assert_line '/etc/cron.d/one:'
    assert_line --partial 'one-d: 5 4 * * *, as daemon'
    ls -A spool-of-cron/crontabs >left
    assert_equal "$(xargs <left)" 'daemon root'
}

@test "whose crontab: --user" {
    printf '0 1 * * * /bin/a\n' >tab
    run -2 ax import crontab --user nosuchuser tab
    assert_output --partial 'there is no user nosuchuser'
    [ "$(id -u)" -eq 0 ] || skip 'another user needs root'
    ax import crontab -q --user daemon tab
    run ax show tab-a --json
    assert_output --partial '"user":"daemon"'
    assert_output --partial "\"cwd\":\"$(getent passwd daemon | cut -d: -f6)\""
    assert_output --partial '"mailto":"daemon"'
}

@test "mail: to the owner, to whom MAILTO says, to nobody" {
    printf '0 1 * * * a\nMAILTO=ops@example.org\n0 1 * * * b\nMAILTO=""\n0 1 * * * c\nMAILTO="-bad"\n0 1 * * * d\n' >tab
    run -0 --separate-stderr ax import crontab tab
    assert_output --partial 'note: MAILTO: '
    [ "$(ax show tab-a --json | field mailto)" = "$(id -un)" ]
    [ "$(ax show tab-b --json | field mailto)" = ops@example.org ]
    [ "$(ax show tab-c --json | field mail)" = never ]
    [ "$(ax show tab-d --json | field mail)" = never ]
}

@test "folders: files that cron would not read are skipped with the reason; what is gone from the folder is gone" {
    [ "$(id -u)" -eq 0 ] || skip 'other users need root'
    mkdir cron.d cron.daily
    printf '0 1 * * * root /bin/a\n' >cron.d/one
    printf '0 1 * * * daemon /bin/b\n' >cron.d/two
    printf '0 1 * * * root /bin/c\n' >cron.d/two.dpkg-old
    printf '#!/bin/sh\n' >cron.daily/rotate
    cp cron.daily/rotate cron.daily/readme
    chmod 755 cron.daily/rotate cron.d cron.daily
    run -0 --separate-stderr ax import crontab --system cron.d cron.daily
    assert_output --partial "two.dpkg-old is skipped: its name has a '.'"
    assert_output --partial 'readme is skipped: it is not executable'
    [ "$(ax ls --json | field name | sort | xargs)" = 'cron.daily-rotate one-a two-b' ]
    run ax show two-b --json
    assert_output --partial '"user":"daemon"'
    rm cron.d/two
    run -0 --separate-stderr ax import crontab --system cron.d
    assert_output --partial '(two-b) removed'
    assert_output --partial '1 unchanged, 1 removed'
    run ax import crontab --system --json --dry-run cron.d
    assert_output --partial '"status":"skipped","reason":"its name has'
}

@test "a folder of scripts: named as it may be, it runs them; there is no line to take over" {
    [ "$(id -u)" -eq 0 ] || skip 'other users need root'
    local folder="it's 5% of \\%/cron.daily"
    mkdir -p cron.daily "$folder"
    printf '#!/bin/sh\necho "$0"\n' >cron.daily/rotate
    chmod 755 cron.daily cron.daily/rotate "$folder"
    cp cron.daily/rotate "$folder"
    for name in cron.daily "$folder"; do
        ax import crontab -q --system "$name"
        run ax exec "$(ax ls --json | tail -n 1 | field job)"
        assert_output "$PWD/$name/rotate"
    done
    run -2 ax import crontab --system cron.daily --take-over
    assert_output --partial 'is a folder of scripts, not a crontab with lines: take over the line that runs it'
    [ "$(ax ls --json | wc -l)" -eq 2 ]
}

@test "an anacrontab: what was missed is made up for" {
    printf 'SHELL=/bin/bash\n1 5 cron.daily run-parts /x\n3 65 three a\n' >anacrontab
    [ "$(id -u)" -eq 0 ] || skip 'its jobs are those of root'
    ax import crontab -q --system anacrontab
    run ax show anacrontab-cron.daily --json
    assert_output --partial '"cron":"5 0 * * *"'
    refute_output --partial '"catchup"'
    refute_output --partial '"shell"'
    [ "$(ax show anacrontab-three --json | field every)" = 3d ]
}

@test "a system crontab that others can write to is reported, not imported" {
    printf '0 1 * * * root /bin/a\n' >tab
    chmod 666 tab
    run -2 ax import crontab --system tab
    assert_output --partial 'others can write to it (mode 0666)'
    [ "$(id -u)" -eq 0 ] || return 0
    ax import crontab --system --dry-run tab
}

@test "who is not root cannot have commands run as others" {
    [ "$(id -u)" -eq 0 ] || skip 'needs a user to be'
    command -v setpriv || skip 'no setpriv'
    printf '0 1 * * * root /bin/a\n0 1 * * * nobody /bin/b\n0 1 * * * nosuchuser /bin/c\n' >tab
    chmod 755 . "$BATS_TEST_TMPDIR"
    cp "$AX" ./ax-copy
    run -2 setpriv --reuid=nobody --clear-groups env HOME=/ AX_SPOOL=/nonexistent ./ax-copy import crontab --system --dry-run tab
    assert_output --partial 'tab:1: it runs as root, and only root can do that'
    assert_output --partial 'line 2: tab-b'
    assert_output --partial 'tab:3: bad username'
}

# ---- for real ----

# A shell that writes down what it was given: where it lies, by the name of the job.
recorder() {
    scratch=$(mktemp -d)
    chmod 1777 "$scratch"
    cat >"$scratch/shell" <<'SCRIPT'
#!/bin/sh
to=${0%/*}/$AX_NAME
cat /proc/$$/environ >"$to.env"
printf %s "$2" >"$to.command"
cat >"$to.stdin"
: >"$to.done"
SCRIPT
    chmod 755 "$scratch/shell"
}

# Compares with expected.tsv what the recorder has, for the jobs that --json has named. The crontab has a line more in front.
compare_recorded() { # FILE NAMES
    python3 - "$crontabs/expected.tsv" "$1" "$2" "$scratch" "$(id -un)" <<'PYTHON'
import csv, json, os, pwd, sys
table, name, printed, folder, me = sys.argv[1:]
names = {line["line"] - 1: line["name"] for line in map(json.loads, open(printed)) if line["name"]}
for row in csv.DictReader(open(table, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE):
    if row["file"] != name or row["what"] == "refused":
        continue
    user = me if row["user"] == "(owner)" else row["user"]
    home = pwd.getpwnam(user).pw_dir
    at = os.path.join(folder, names[int(row["line"])])
    want = {k: v.replace("(user)", user).replace("(home)", home) for k, v in json.loads(row["env"]).items()}
    want["SHELL"] = os.path.join(folder, "shell")
    got = dict(pair.split("=", 1) for pair in open(at + ".env").read().split("\0") if pair)
    assert got.pop("USER") == user and got.pop("PWD") == (home if os.path.isdir(home) else "/"), got
    got = {k: v for k, v in got.items() if not k.startswith("AX_")}
    assert got == want, (row["line"], got, want)
    command = json.loads(row["command"]).rstrip("\r")
    assert open(at + ".command").read() == command, (row["line"], command)
    stdin = "" if row["stdin"] == "-" else json.loads(row["stdin"])
    assert open(at + ".stdin").read() == stdin, (row["line"], stdin)
    print("compared", row["line"])
PYTHON
}

all_recorded() { # COUNT
    [ "$(find "$scratch" -name '*.done' | wc -l)" -eq "$1" ]
}

startable() {
    python3 -c '
import json, sys
for line in map(json.loads, sys.stdin):
    if line["name"]:
        print(line["name"])'
}

@test "run for real: command, standard input and environment are those of Debian's cron" {
    [ "$(id -u)" -eq 0 ] || skip 'lines of other users need root'
    local file kind count=0 name
    recorder
    serve
    for file in "$crontabs"/*.user "$crontabs"/*.system; do
        kind=
        [ "${file##*.}" = user ] || kind=--system
        { echo "SHELL=$scratch/shell" && sed "s|^SHELL *=.*|SHELL=$scratch/shell|" "$file"; } >"${file##*/}"
        ax import crontab --skip-bad $kind --json "${file##*/}" >"printed.${file##*/}"
        startable <"printed.${file##*/}" >names
        while read -r name; do
            ax start "$name"
            count=$((count + 1))
        done <names
    done
    [ "$count" -ge 40 ]
    until_true 20 all_recorded "$count"
    for file in "$crontabs"/*.user "$crontabs"/*.system; do
        compare_recorded "${file##*/}" "printed.${file##*/}" >>compared
    done
    [ "$(wc -l <compared)" -eq "$count" ]
    unserve
    rm -r "$scratch"
}

# ---- cases from the field ----

run_all() { # runs each job once and waits for all to end
    local number
    for number in $(ax ls --json | field job); do ax start "$number"; done
    until_true 10 ended "$(ax ls --json | wc -l)"
}

ended() { [ "$(ax history --json | wc -l)" -ge "$1" ]; }

@test "percent signs: newline, standard input, escape" {
    printf '%s\n' '0 1 * * * printf '\''[\%s]'\'' "$(cat)"%alpha%beta\%gamma' '0 2 * * * date "+%H"' >f
    run -0 --separate-stderr ax import --dry-run f
    assert_output --partial 'line 2'
    assert_output --partial 'the first % ends the command'
    ax import -q f
    serve
    ax start 1
    until_true 10 ended 1
    printf '[alpha\nbeta%%gamma]' >want
    ax log 1 --raw | cmp - want
    run ax show 2 --json
    assert_output --partial '"command":"date \"+"'
    assert_output --partial '"stdin":"H\"\n"'
}

@test "settings: quotes, blanks, no expansion, order, and = inside a command" {
    printf '%s\n' 'A = 1 ' 'B="  two  "' "C='\$A-\$HOME'" 'D=x # still the value' '' '1 0 * * * env' 'A=9' '2 0 * * * env' '3 0 * * * E=5 env --unset=NOPE' >f
    ax import -q f
    serve
    run_all
    ax log 1 --raw >one
    grep -qxF 'A=1' one
    grep -qxF 'B=  two  ' one
    grep -qxF 'C=$A-$HOME' one
    grep -qxF 'D=x # still the value' one
    ax log 2 --raw | grep -qxF 'A=9'
    ax log 3 --raw | grep -qxF 'E=5'
    ax log 3 --raw | grep -qxF 'A=9'
}

@test "carriage returns, and a last line without a newline" {
    printf 'X=1\r\n*/5 * * * * echo a\r\n*/6 * * * * echo b' >f
    run -2 ax import f
    assert_output --partial 'f:3: no newline at the end of the file'
    echo >>f
    run -0 --separate-stderr ax import f
    assert_output --partial 'carriage return'
    [ "$(ax ls --json | grep -c '\\r')" -eq 0 ]
    [ "$(ax ls --json | wc -l)" -eq 2 ]
}

@test "tabs and the user column" {
    printf 'PATH="/usr/bin:/bin"\n17\t*\t* * *\troot\tcd / && echo hi\n' >f
    run -0 --separate-stderr ax import f
    assert_output --partial 'look: the sixth word is the user root'
    AX_SPOOL=$PWD/personal
    [ "$(id -u)" -eq 0 ] || skip 'the line of another user needs root'
    ax import -q --system f
    run ax show 1 --json
    assert_output --partial '"user":"root"'
    assert_output --partial '"command":"cd / && echo hi"'
    assert_output --partial '"PATH":"/usr/bin:/bin"'
}

@test "a command longer than cron's own limit: whole, or refused with the limit" {
    local bytes
    for bytes in 1500 130000; do
        printf '0 1 * * * : %s\n' "$(head -c $bytes /dev/zero | tr '\0' a)" >f
        run -0 --separate-stderr ax import f
        assert_output --partial 'cron takes 999; ax takes it whole'
        [ "$(ax show --raw "$(ax ls --json | field job | tail -n 1)" | wc -c)" -eq $((bytes + 2)) ]
    done
    printf '0 1 * * * : %s\n' "$(head -c 300000 /dev/zero | tr '\0' a)" >f
    run -2 ax import f
    assert_output --partial 'Linux hands a shell at most 131071'
}

@test "as a job file: what it applies is what importing makes" {
    [ "$(id -u)" -eq 0 ] || skip 'lines of other users need root'
    local file kind
    for file in "$crontabs"/*.user "$crontabs"/*.system; do
        kind=
        [ "${file##*.}" = user ] || kind=--system
        rm -rf one two
        ax import crontab -q --skip-bad $kind "$file" --spool one
        ax import crontab --skip-bad $kind "$file" --yaml >jobs.yaml
        run -0 --separate-stderr ax diff jobs.yaml --spool one # it is another file than the crontab: that is all
        assert_output --partial 'no change: '
        run -0 --separate-stderr ax apply jobs.yaml --spool one
        assert_line --regexp '^[0-9]+ told the new place of their file$|^nothing changed: there are no jobs'
        run -0 --separate-stderr ax apply jobs.yaml --spool one
        assert_output --partial 'nothing changed'
        ax apply -q jobs.yaml --spool two
        diff <(ax export --spool one) <(ax export --spool two)
        ax export --spool one >back.yaml
        ax diff back.yaml --spool two
    done
    ax import crontab --system --yaml "$crontabs/etc-crontab.system" "$crontabs/wrappers.system" >both.yaml
    ax check both.yaml
    [ "$(grep -c '^---$' both.yaml)" -eq 1 ]
}

@test "comments above a line are its description" {
    printf '# Nightly: the "database".\n# Two lines.\n0 1 * * * /bin/a\n\n0 2 * * * /bin/b\n' >tab
    ax import crontab --yaml tab >jobs.yaml
    ax apply -q jobs.yaml
    run ax show tab-a --json
    assert_output --partial '"description":"Nightly: the \"database\".\nTwo lines."'
    run ax show tab-b --json
    refute_output --partial description
}

@test "CRON_TZ: the zone of cronie, or a plain variable" {
    printf 'CRON_TZ=Europe/Berlin\n0 1 * * * /bin/a\n' >tab
    run -0 --separate-stderr ax import crontab tab
    assert_output --partial 'look: CRON_TZ: '
    [ "$(ax show tab-a --json | field timezone)" = Europe/Berlin ]
    ax import crontab -q --dialect debian tab
    run ax show tab-a --json
    refute_output --partial '"timezone"'
    printf 'CRON_TZ=Europe/Nowhere\n0 1 * * * /bin/a\n' >tab
    run -2 ax import crontab tab
    assert_output --partial 'tab:2: timezone: '
    assert_output --partial '`--dialect debian` reads it so'
    printf 'CRON_TZ=Europe/Berlin\n@reboot /bin/a\n' >tab
    run -0 ax import crontab --dry-run tab
    refute_output --partial 'CRON_TZ'
    printf 'CRON_TZ=Europe/Nowhere\n0 1 * * * /bin/a\n' >tab
    ax import crontab -q --dialect debian tab
}

@test "a name that a person's job has is not taken" {
    printf '0 1 * * * /bin/a\n' >tab
    ax add -q --name tab-a 1h true
    run -4 ax import crontab tab
    assert_output --partial 'tab:1: the name tab-a is taken by job 1'
    [ "$(ax ls --json | wc -l)" -eq 1 ]
}

@test "what does not go together, and what cannot be read" {
    local words
    for words in 'crontab a b' 'crontab --system --user root' 'crontab --yaml --json -' 'crontab --take-over -' 'crontab --undo --dry-run' 'ndjson --yaml -' 'crontab nosuch' 'crontabb nosuch' \
        'crontab --dialect vixie -' 'crontab --system nosuch' 'crontab .'; do
        run -2 ax import $words </dev/null
    done
}

@test "a home that is not there: the command starts all the same, and the report says where" {
    printf 'HOME=/nonexistent\n0 1 * * * echo "$PWD $HOME"\n' >tab
    run -0 ax import crontab tab
    assert_output --partial 'the home /nonexistent is not there: cron runs the command in its own folder, ax in /'
    serve
    ax start -q --wait 1
    assert_equal "$(ax log 1)" '/ /nonexistent'
}

@test "two crontabs with the same names: --prefix" {
    mkdir x y
    printf '0 1 * * * /bin/a\n' | tee x/tab >y/tab
    ax import crontab -q x/tab
    run -4 ax import crontab y/tab
    assert_output --partial '`--prefix WORD`'
    for time in 1 2; do ax import crontab -q --prefix shop y/tab; done
    [ "$(ax ls --json | field name | sort | xargs)" = 'shop-a tab-a' ]
    ax import crontab -q --take-over --prefix shop y/tab
    ax import crontab -q --undo y/tab
    [ "$(ax ls --json | field name)" = tab-a ]
    run -2 ax import crontab --system --prefix shop y/tab
    run -2 ax import ndjson --prefix shop y/tab
}

@test "an anacrontab: settings of cronie are told, whoever wrote it" {
    printf 'RANDOM_DELAY=45\nSTART_HOURS_RANGE=3-22\n1 5 daily run-parts /etc/cron.daily\n' >anacrontab
    run -0 ax import crontab --system anacrontab --dry-run
    assert_output --partial "RANDOM_DELAY is a plain variable to Debian's anacron"
    run -0 ax import crontab --system --dialect cronie anacrontab --dry-run
    assert_output --partial 'START_HOURS_RANGE is not taken over'
}
