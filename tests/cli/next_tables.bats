load helper

# Every row of the tables in tests/data through the program: a thousand starts, so nothing else is started in the loops, and
# of the sanitized program, which starts slowly, it is every fourth row.
part=${AX_SANITIZED:+4}
part=${part:-1}

# The rows of a table without its title, columns apart by \x1f: `read` joins neighbouring tabs.
rows() {
    awk -v part="$part" 'NR > 1 && NR % part == 0' "$BATS_TEST_DIRNAME/../data/$1.tsv" | tr '\t' '\037'
}

# bats looks at each line that it runs: not at these, which are run a thousand times.
begin() {
    trap - DEBUG
    count=0 wrong=0
}

# due OPTION...: exit code and due times of `ax next --json`, as `0 TIME,TIME`.
due() {
    local line times=
    local code=0
    "$AX" next --json "$@" >out 2>err || code=$?
    while IFS= read -r line; do
        [[ $line =~ \"due\":\"([^\"]*)\" ]] && times+=,${BASH_REMATCH[1]}
    done <out
    got="$code ${times#,}"
}

# check EXPECTED OPTION...: what `due` gives; where nothing is printed, the reason must be.
check() {
    local expected=$1
    shift
    due "$@"
    count=$((count + 1))
    [ "$got" = "$expected" ] && [[ $got == 0* || -s err ]] && return
    wrong=$((wrong + 1))
    printf '%s\n' "ax next --json $*" "  expected $expected" "  but got  $got $(<err)"
}

over() { # LEAST: all rows were right, and there were so many
    [ "$wrong" -eq 0 ] && [ "$count" -ge $(($1 / part)) ] || fail "$wrong of $count are wrong"
}

@test "cron-next.tsv: five due times, or never" {
    begin
    while IFS=$'\037' read -r expr zone from next rest; do
        read -ra fields <<<"$expr"
        options=("$expr")
        if [ ${#fields[@]} -eq 6 ] || [ $((count % 2)) -eq 0 ]; then
            options=(--cron "$expr")
        fi
        expected="0 $next"
        [ "$next" != never ] || expected='1 '
        check "$expected" "${options[@]}" --timezone "$zone" --from "$from" -n 5
    done < <(rows cron-next)
    over 600
}

@test "oncalendar.tsv: three due times or fewer, never, or refused" {
    begin
    while IFS=$'\037' read -r from zone expr normal next; do
        case $next in
        never) expected='1 ' ;;
        refused) expected='2 ' ;;
        *) expected="0 $next" ;;
        esac
        check "$expected" --calendar "$expr" --timezone "$zone" --from "$from" -n 3
    done < <(rows oncalendar)
    over 120
}

@test "oncalendar.tsv: the normal form" {
    begin
    while IFS=$'\037' read -r from zone expr normal next; do
        [ "$next" != refused ] || continue
        got=$(ax next --explain --calendar "$expr" --timezone "$zone" --from "$from" -n 1 2>/dev/null | sed -n 's/^normal form: //p')
        count=$((count + 1))
        [ "$got" != "$normal" ] || continue
        wrong=$((wrong + 1))
        printf '%s\n' "$expr" "  expected $normal" "  but got  $got"
    done < <(rows oncalendar)
    over 80
}

# What ax answers where at gives what a user would call wrong (lib/time/at.c says why), and where --at knows more.
own_answer() { # NOW SPEC
    case $2 in
    '02:30 tomorrow' | '02:30 2026-03-29') own=2026-03-29T00:30:00Z ;;
    'now + 15 hours') own=2026-03-29T02:00:00Z ;;
    'now + 24 hours') printf -v own '%(%Y-%m-%dT%H:%M:%SZ)T' $(($(date -d "$1" +%s) + 86400)) ;;
    'next month') own=2026-02-28T09:00:00Z ;;
    'now + 3 months') own=2026-04-30T09:00:00Z ;;
    'noon + 1 month') own=2026-02-28T12:00:00Z ;;
    14:00:30) own=2026-06-17T14:00:30Z ;; # at has no seconds
    *) own=none ;;
    esac
}

@test "at-times.tsv: the time, or refused" {
    begin
    while IFS=$'\037' read -r now zone spec result note; do
        if [[ $note == quirk:* || $spec == 14:00:30 ]]; then
            own_answer "$now" "$spec"
            result=$own
        fi
        expected="0 $result"
        [ "$result" != refused ] || expected='2 '
        check "$expected" --at "$spec" --from "$now" --timezone "$zone"
        TZ=$zone check "$expected" --at "$spec" --from "$now"
    done < <(rows at-times)
    over 150
}

@test "iso-times.tsv: the instant, or refused" {
    begin
    while IFS=$'\037' read -r verdict text zone instant profile note; do
        expected="0 $instant"
        case $verdict in
        refuse | decide) expected='2 ' ;; # what the clock skips is refused too
        esac
        if [[ $text == -* ]]; then
            check "$expected" --at="$text" --from 1900-01-01T00:00Z --timezone "$zone"
        else
            check "$expected" --at "$text" --from 1900-01-01T00:00Z --timezone "$zone"
        fi
    done < <(rows iso-times)
    over 39
}

@test "cron-valid.tsv: taken, or refused with the field and its place" {
    begin
    while IFS=$'\037' read -r verdict expr debian values note; do
        due --cron "$expr" -n 1
        code=${got%% *}
        count=$((count + 1))
        case $verdict in
        valid) [[ $code == 0 || ($code == 1 && $note == *'no date'*) ]] && continue ;;
        invalid | lax)
            [[ $code == 0 && $note == *'offer wrapping on purpose' ]] && continue
            [[ $code == 2 && $(<err) == *'^'* ]] && [[ $(<err) =~ --cron:\ (minute|hour|day-of-month|month|day-of-week|second|.*(fields|nickname|empty)) ]] && continue
            ;;
        extension) [[ $code == 0 || $code == 2 ]] && continue ;;
        esac
        wrong=$((wrong + 1))
        printf '%s\n' "$verdict: ax next --cron '$expr': $got" "$(<err)"
    done < <(rows cron-valid)
    over 80
}
