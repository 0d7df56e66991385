load helper

# What people see, at three widths, plain and with colour: tests/data/screens. UPDATE=1 writes the screens anew; look at the difference.
# Digits are masked, since times go on; what is as wide today as in twenty years stands where columns are.

plain_only() {
    [ -z "${AX_SANITIZED:-}" ] || skip "memory and times of a sanitized program have other widths"
}

fill() {
    export TZ=UTC
    cd "$BATS_TEST_TMPDIR"
    cat >jobs.yaml <<'END'
version: 1
source: shop
defaults: {cwd: /, not_before: 2099-01-01}
jobs:
  nightly-backup:
    {command: pg_dump shop | gzip >/var/backups/shop.gz, cron: 30 2 * * *, tags: [backup, db], description: All tables}
  clear-cache: {command: [find, /var/cache/shop, -mtime, '+7', -delete], every: 6h, queue: disk}
  report: {command: bin/report --to "all@shop", calendar: 'Mon..Fri *-*-* 09:00', timezone: Europe/Berlin, timeout: 10m}
  by-hand: {command: 'true'}
END
    ax apply -q jobs.yaml
    ax pause -q report
    serve
    ax add -q --at 2099-06-01T12:00 --name far -- make deploy
    ax add -q --wait --now --name good -- sh -c 'sleep 0.1; echo 12345'
    ax add -q --wait --now --name bad --clean-env -- sh -c 'sleep 0.1; exit 3' || true
    ax add -q --wait --now --name ended -- sh -c 'sleep 0.1; kill -9 $$' || true
    ax add -q --wait --now --name nothing --no-check -- /nonexistent/program with words || true
    for name in good bad ended nothing; do until_true 20 state_of $name; done
    unserve
}
state_of() {
    ax show --json "$1" | grep -qE '"state":"(done|failed)"'
}

# Sequences become words in braces; digits are masked, one for one where columns are aligned.
readable() { # MASK: s/// of sed
    tr -d '\r' | sed -E 's/\x1b\[0m/}/g; s/\x1b\[1m/{bold /g; s/\x1b\[2m/{dim /g; s/\x1b\[31m/{red /g; s/\x1b\[32m/{green /g
        s/\x1b\[33m/{yellow /g; s/\x1b\[34m/{blue /g; '"$1"
}
bare() {
    sed -E 's/\{(bold|dim|red|green|yellow|blue) ([^}]*)\}/\2/g'
}
aligned='s/[0-9]+m?s ago *(\}?) */now ago\1 /; s/[0-9]/9/g; s/[▁▂▃▄▅▆▇█]/▁/g'
running='s!/tmp/[^ ]*!FOLDER!g; s/[0-9]+(\.[0-9]+)?/9/g; s/9 (KiB|MiB|GiB)/9 B/g; s/9(ms|s|m|h|d)( 9(ms|s|m|h|d))?/9s/g'

# screen NAME MASK COMMAND...: the command on a terminal, at each width, without and with colour.
screen() {
    local name=$1 mask=$2 width colour file
    shift 2
    for width in 60 80 140; do
        for colour in '' .colour; do
            file=$BATS_TEST_DIRNAME/../data/screens/$name.$width$colour
            script -qec "stty cols $width rows 50; ${colour:+TERM=xterm} $([ -n "$colour" ] || echo NO_COLOR=1) '$AX' $*" /dev/null |
                readable "$mask" >seen
            [ -z "${UPDATE:-}" ] || cp seen "$file"
            diff "$file" seen || { echo "$name at $width columns${colour:+ in colour}"; return 1; }
            [ "$mask" != "$aligned" ] || [ "$(bare <seen | wc -L)" -le $width ]
        done
    done
}

@test "tables: ls, history, --stats" {
    plain_only
    fill
    screen ls "$aligned" ls
    screen history "$aligned" history
    screen stats "$aligned" history --stats
}

@test "pages: show, why, status" {
    plain_only
    fill
    screen show "$running" show bad
    screen show-cron "$running" show nightly-backup
    screen why "$running" why report
    screen status "$running" status
}

@test "a terminal that knows nothing, and none at all" {
    plain_only
    fill
    script -qec "stty cols 80; TERM=dumb '$AX' ls" /dev/null | tr -d '\r' >seen
    run grep -c $'\x1b' seen
    assert_output 0
    readable "$aligned" <seen | diff "$BATS_TEST_DIRNAME/../data/screens/ls.80" -
    ax ls | readable "$aligned" | head -1 >wide
    grep -q '^JOB  NAME .* COMMAND$' wide
}

# On a terminal, without what ends its lines.
said() {
    script -qec "'$AX' $*" /dev/null | tr -d '\r'
}

@test "an empty screen says why" {
    plain_only
    [ "$(said ls)" = 'ax ls: no jobs yet: `ax add 20m COMMAND` makes one' ]
    [ "$(said history)" = '' ]
    ax add -q --at 2099-01-01 --name far -- true
    [ "$(said history)" = 'ax history: no runs yet' ]
    [ "$(said ls --name 'x*')" = 'ax ls: no job is like that' ]
    ax cancel far
    [[ $(said ls) = 'ax ls: nothing is to come,'*'`ax ls --all`'* ]]
    [ "$(said history --outcome failed)" = 'ax history: no run is like that' ]
    run --separate-stderr ax ls
    assert_output ''
    assert_equal "$stderr" ''
    [ "$(said ls --json)" = '' ]
}
