# What the documents say is true: fields, files, tests, examples.

load helper

ROOT=$BATS_TEST_DIRNAME/../..
EXAMPLES=$ROOT/share/examples

# The names that the items of a manual page have.
items() { # MACRO PAGE
    sed -n 's/^\.It //p' "$2" | grep -oE "$1 [a-z_-]+( , $1 [a-z_-]+)*" | grep -oE "[a-z][a-z_-]*" | sort -u
}

# NAME DEFAULT of each field, as the schema has them.
defaults() {
    ax schema | awk '/^  "definitions"/ { inside = 1 } inside && /^        "[a-z_]+": \{/ { split($1, word, "\""); name = word[2] }
        inside && name && /^          "default":/ { sub(/^ *"default": "?/, ""); sub(/"?,$/, ""); print name, $0; name = "" }' | sort -u
}

@test "ax-jobs(5) names every field" {
    ax schema | sed -n '/"job": {/,$s/^        "\([a-z_]*\)": {$/\1/p' | sort -u >fields
    [ "$(wc -l <fields)" -gt 40 ]
    items Cm "$ROOT/man/ax-jobs.5" >named
    run comm -23 fields named
    assert_output ''
}

@test "ax-jobs(5) names every default" {
    defaults >known
    [ "$(wc -l <known)" -gt 15 ]
    local name default
    while read -r name default; do
        run grep -E "^\.It Cm $name Pq (Li|Pa) " "$ROOT/man/ax-jobs.5"
        assert_output --regexp " $default\$"
    done <known
}

@test "ax(1) names every option of add, and every command" {
    ax help add | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE '[a-z][a-z-]*$' | sort -u >options
    [ "$(wc -l <options)" -gt 50 ]
    grep -oE '\-[a-z-]+|, -?[a-z-]+' "$ROOT/man/ax.1" | grep -oE '[a-z][a-z-]*' | sort -u >named
    run comm -23 options named
    assert_output ''
    local command
    for command in $(ax help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx ax); do
        grep -qE "Nm Cm $command( |$)" "$ROOT/man/ax.1" || fail "ax(1) does not name ax $command"
    done
}

@test "the manual pages are well formed" {
    run mandoc -T lint -W warning "$ROOT"/man/*.[1-9]
    assert_success
}

@test "ax-schedule(7), ax-migrate(7): what ax next says in them is what it says" {
    export TZ=UTC
    local command= count=0
    sed -n '/^\.Bd -literal$/,/^\.Ed$/{/^\.Bd/d; p}' "$ROOT"/man/ax-{schedule,migrate}.7 >examples
    while IFS= read -r line; do
        case $line in
        '$ '*) command=${line#'$ '} && : >expected ;;
        .Ed) eval "$command" 2>/dev/null | diff expected - || fail "$command"
            count=$((count + 1)) ;;
        *) printf '%s\n' "$line" >>expected ;;
        esac
    done <examples
    [ "$count" -gt 19 ]
}

@test "the pages of section 7 name commands and options that there are" {
    local line word count=0
    grep -hoE '(^ax|^\$ ax|\.Ic ax|, Ic ax|and Ic ax|or Ic ax) [a-z]+[^,;:>]*' "$ROOT"/man/*.7 | sed -E 's/^.*(Ic |\$ )?ax ([a-z]+ )/\2/; s/^.*(Ic |\$ )?ax ([a-z]+)$/\2/; s/#.*|   .*//' >named
    while read -r word line; do
        "$AX" help "$word" >known 2>&1 || fail "there is no ax $word"
        for option in $(grep -oE '(^| |Fl |--|-)-[a-z-]+( |$|[a-z])' <<<"$line" | grep -oE '[a-z][a-z-]+'); do
            grep -qE -- "--$option( |$|\[)" known || fail "ax $word has no --$option"
            count=$((count + 1))
        done
    done <named
    [ "$(wc -l <named)" -gt 60 ]
    [ "$count" -gt 15 ]
}

@test "each page has the sections that people look for" {
    local page section
    for page in "$ROOT"/man/*; do
        for section in NAME DESCRIPTION ENVIRONMENT FILES 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
            grep -qx ".Sh $section" "$page" || fail "$page has no $section"
        done
    done
}

@test "each variable of ax is in its page" {
    local name
    for name in $(grep -rhoE --exclude=fault.c 'getenv\("[A-Z_]+"\)' "$ROOT"/{cmd,spool,lib} | grep -oE '[A-Z_]{2,}' | sort -u); do
        grep -qE "^\.(It )?Ev (.* )?$name( |$)" "$ROOT"/man/*.[1-9] || fail "$name is in no page"
    done
}

@test "ax-spool(7) names each file of a spool" {
    serve
    ax add -q --name a --notify failure=true --mailto root now -- sh -c 'seq 2000; touch began; while [ ! -e go ]; do sleep 0.1; done; exit 3'
    until_true 20 [ -e began ]
    unserve KILL
    local name
    until_true 20 [ -e "$AX_SPOOL/handover/1.1.sock" ]
    find "$AX_SPOOL" -type f -o -type s >found
    touch go
    until_true 20 [ -e "$AX_SPOOL/handover/1.1.left" ]
    find "$AX_SPOOL" -type f -o -type s >>found
    serve
    until_true 20 [ -e "$AX_SPOOL/notify.lock" ]
    find "$AX_SPOOL" -type f -o -type s >>found
    sed -n 's/^\.It Pa //p' "$ROOT/man/ax-spool.7" | sed 's/ Ns //g; s/Ar job\.n/1.1/; s/Pa \././' | tr -d ' ' | tr , '\n' | sort -u >told
    sed "s!^$AX_SPOOL/!!" found | sort -u >there
    run comm -13 told there
    assert_output ''
    run comm -23 told there
    assert_output 'scheduler.log.1'
}

@test "the job files that ax-jobs(5) shows are fine" {
    awk '/^\.Bd/ { file = "shown-" ++n ".yaml"; next } /^\.Ed/ { file = "" } file { print > file }' "$ROOT/man/ax-jobs.5"
    [ "$(ls shown-*.yaml | wc -l)" -eq 3 ]
    local file
    for file in shown-*.yaml; do
        run ax check --cwd / --set STAGE=production "$file"
        grep -q STAGE "$file" || run ax check --cwd / "$file"
        assert_success
        assert_output --regexp 'in 1 file (is|are) fine$'
    done
}

@test "the crontabs among the examples become jobs" {
    local row name count
    for row in 'web 5' 'backup 4' 'pi 7'; do
        read -r name count <<<"$row"
        ax import crontab --yaml "$EXAMPLES/$name.crontab" >$name.yaml
        assert_equal "$(ax check $name.yaml)" "$count jobs in 1 file are fine"
        run "$BATS_TEST_DIRNAME/schema.py" "$ROOT/share/ax-jobs.schema.json" $name.yaml
        assert_success
        ax apply -q $name.yaml
        run ax diff $name.yaml
        assert_output "no change: $count unchanged"
    done
}

@test "the job files among the examples do what their crontabs did" {
    run ax check "$EXAMPLES/backup.yaml" "$EXAMPLES/pi.yaml"
    assert_output '9 jobs in 2 files are fine'
    run ax check --set ENVIRONMENT=production "$EXAMPLES/web.yaml"
    assert_output '5 jobs in 1 file are fine'
    run ax check "$EXAMPLES/web.yaml"
    assert_failure 2
    assert_output --partial '--set ENVIRONMENT=VALUE'
    ax apply -q "$EXAMPLES/backup.yaml"
    ax import crontab -q "$EXAMPLES/backup.crontab"
    [ "$(ax ls --json --sort number | field name | wc -l)" -eq 8 ]
    local was is
    paste <(ax ls --json --sort number | field name | head -4) <(ax ls --json --sort number | field name | tail -4) >pairs
    while read -r is was; do
        assert_equal "$(ax next -n 5 "$is" | cut -c1-25)" "$(ax next -n 5 "$was" | cut -c1-25)"
    done <pairs
}

@test "a command of a file finds the file" {
    printf 'version: 1\njobs: {a: {command: echo $AX_FILE, cwd: /}}\n' >ax.yaml
    ax apply -q
    serve
    ax start -q a
    until_true 5 eval '[ "$(ax log a)" = "$PWD/ax.yaml" ]'
}

# Words between `` that look like paths.
paths() {
    grep -oE '`[A-Za-z0-9_./*]+`' "$1" | tr -d '`' | grep -E '/|[a-z]\.(c|h|sh|bats|md|py)$' | grep -vE '^(/|\./|~|build/|runs/|handover/)|NAME' | sort -u
}

@test "files that the documents name exist" {
    local page path
    for page in README ARCHITECTURE CONTRIBUTING SECURITY; do
        for path in $(paths "$ROOT/$page.md"); do
            [ -n "$(cd "$ROOT" && compgen -G "$path" || find lib spool cmd tests -name "${path##*/}" -path "*$path")" ] || echo "$page.md: $path"
        done
    done >missing
    run cat missing
    assert_output ''
}

@test "tests that ARCHITECTURE.md names exist" {
    local file name
    [ "$(grep -oE '`test_[a-z_]+\.c`' "$ROOT/ARCHITECTURE.md" | sort -u | wc -l)" -gt 15 ]
    # | promise | `test_x.c`: `one`, in words, `two_*`; `test_y.c` (faults): `three` |
    grep '^| *[0-9]*\. ' "$ROOT/ARCHITECTURE.md" | tr ';' '\n' | grep -oE '`test_[a-z_*]+\.c`.*' >named
    while read -r line; do
        file=$(cut -d'`' -f2 <<<"$line")
        for name in $(cut -d'`' -f3- <<<"$line" | grep -oE '`[a-z_0-9*]+`' | tr -d '`'); do
            grep -qE "^static void test_${name//\*/[a-z_0-9]*}\(" "$ROOT"/tests/*/$file || echo "$file: $name"
        done
    done <named >missing
    run cat missing
    assert_output ''
}

@test "README: the job file and what ax says of it" {
    awk '/^    version: 1$/ { on = 1 } /^$/ { on = 0 } on { sub(/^    /, ""); print }' "$ROOT/README.md" >ax.yaml
    run ax check
    assert_output '2 jobs in 1 file are fine'
    # what the commands print stands in it, but for times
    local command
    for command in diff apply apply; do
        ax $command 2>/dev/null || [ $command = diff ]
    done | sed -E 's/due .* \(.*\)/due/' >said
    awk '/^    \$ ax (diff|apply)$/ { on = 1; next } /^    \$/ || !NF { on = 0 } on { sub(/^    /, ""); print }' "$ROOT/README.md" | sed -E 's/due .* \(.*\)/due/' >told
    run diff told said
    assert_output ''
    [ "$(wc -l <told)" -eq 7 ]
    sed -i 's/retries/retrys/' ax.yaml
    run ax check
    assert_failure 2
    assert_equal "$output" "$(awk '/^    \$ ax check$/ { on = 1; next } /^$/ { on = 0 } on { sub(/^    /, ""); print }' "$ROOT/README.md")"
}

@test "README names every command" {
    local command
    for command in $(ax help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vxE 'ax|version'); do
        grep -qE "\`ax $command[ \`]" "$ROOT/README.md" || fail "README.md does not name ax $command"
    done
}
