load helper

ROOT=$BATS_TEST_DIRNAME/../..

fill() {
    ax import ndjson - >/dev/null 2>&1 <<'END'
{"name":"backup","every":"1h","command":"true","cwd":"/","tags":["db","night"],"queue":"slow"}
{"name":"back $(touch bad) up","every":"1h","command":"true","cwd":"/"}
{"name":"it's","every":"1h","command":"true","cwd":"/","tags":["web"]}
END
}
asked() {
    "$AX" __complete "$@" | cut -f1 | paste -sd' '
}

@test "answers come from the tables and the spool" {
    fill
    assert_equal "$(asked hist)" history
    [[ $(asked '') = *'add '*' show '* ]]
    refute [ -n "$(asked __)" ]
    assert_equal "$(asked show bac | tr ' ' '_')" 'back_$(touch_bad)_up_backup'
    assert_equal "$(asked ls --state r)" 'running retrying'
    assert_equal "$(asked ls --state=f)" --state=failed
    assert_equal "$(asked ls -s running,q)" running,queued
    assert_equal "$(asked ls --queue = s)" slow
    assert_equal "$(asked pause --tag '')" 'db night web'
    assert_equal "$(asked add --if-lost '')" 'rerun fail'
    assert_equal "$(asked add --timezone Europe/Berl)" Europe/Berlin
    assert_equal "$(asked add @d)" @daily
    assert_equal "$(asked add 5m g)" :commands
    assert_equal "$(asked add --name x 5m grep '')" :files
    assert_equal "$(asked set backup time)" 'timezone= timeout='
    assert_equal "$(asked signal backup HU)" HUP
    assert_equal "$(asked apply '')" :files
    assert_equal "$(asked import cr)" crontab
    assert_equal "$(asked log --hea)" --head
    assert_equal "$(asked --spool /nonexistent show b)" ''
    assert_equal "$(asked nosuch --x)" ''
    assert_equal "$(asked show --values --json it)" "it's"
    serve
    ax start -q --wait backup
    assert_equal "$(asked log 1.)" 1.1
}

@test "every option of every command is offered" {
    local command option
    for command in $(ax help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx ax); do
        for option in $(ax help $command | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE '\-\-[a-z-]+'); do
            grep -qx -- "$option" <<<"$(ax __complete $command "$option" | cut -f1)" || fail "$command $option"
        done
    done
}

@test "the scripts that are installed are those that ax prints" {
    ax completion bash | diff "$ROOT/completions/ax.bash" -
    ax completion zsh | diff "$ROOT/completions/_ax" -
    ax completion fish | diff "$ROOT/completions/ax.fish" -
    run -2 ax completion csh
    assert_output --partial 'bash, zsh or fish'
}

# reply WORD...: what bash has in COMPREPLY at the last word, one a line.
reply() {
    bash --norc -c '. "$1"; shift; COMP_WORDS=(ax "$@"); COMP_CWORD=$#; compopt() { :; }; _ax
        [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT/completions/ax.bash" "$@"
}

@test "bash" {
    fill
    assert_equal "$(reply hist)" history
    assert_equal "$(reply show backu)" backup
    assert_equal "$(reply show back\ )" 'back\ \$\(touch\ bad\)\ up' # typed as it must be typed
    assert_equal "$(reply show it)" "it\\'s"
    assert_equal "$(reply ls --state = fa)" failed
    touch some.yaml
    assert_equal "$(reply apply som)" some.yaml
    [[ $(reply add 5m bas) = *bash* ]]
    [ ! -e bad ]
}

# offered WORD...: what _ax gives to compadd, which takes it as it is.
offered() {
    zsh -f -c '
        compdef() { }
        compadd() { print -rl -- $names; }
        _files() { print files; }
        _command_names() { print commands; }
        . "$1"
        shift
        words=(ax "$@") CURRENT=$(($# + 1))
        _ax' - "$ROOT/completions/_ax" "$@" | paste -sd' '
}

@test "zsh" {
    fill
    assert_equal "$(offered hist)" history
    assert_equal "$(offered show backu)" backup
    assert_equal "$(offered ls --state=fa)" --state=failed
    assert_equal "$(offered add --if-lost '')" 'rerun fail'
    assert_equal "$(offered show 'back ')" 'back $(touch bad) up'
    assert_equal "$(offered show it)" "it's"
    assert_equal "$(offered apply '')" files
    assert_equal "$(offered add 5m l)" commands
    assert_equal "$(offered show nosuch)" ''
    [ ! -e bad ]
}

@test "fish" {
    fill
    export XDG_CONFIG_HOME=$PWD/config XDG_DATA_HOME=$PWD/data HOME=$PWD
    seen() {
        fish --no-config -c "source '$ROOT/completions/ax.fish'; complete -C '$1'" | cut -f1 | paste -sd' '
    }
    assert_equal "$(seen 'ax hist')" history
    assert_equal "$(seen 'ax show backu')" backup
    assert_equal "$(seen 'ax ls --state=fa')" --state=failed
    assert_equal "$(seen 'ax add --if-lost re')" rerun
    [[ $(seen 'ax show back') = *'touch bad'* ]]
    [ ! -e bad ]
}
