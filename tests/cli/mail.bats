#!/usr/bin/env bats
# Mail about runs, through a stand-in for sendmail that notes what it gets.

load helper

setup() {
    export AX_SPOOL=$BATS_TEST_TMPDIR/spool TZ=UTC LC_ALL=C.UTF-8 AX_SENDMAIL=$BATS_TEST_TMPDIR/sendmail
    cd "$BATS_TEST_TMPDIR"
    cat >sendmail <<'END'
#!/bin/sh
{ echo "ARGS $*"; cat; echo "=END="; } >>"$(dirname "$0")/mails"
exit "$(cat "$(dirname "$0")/code" 2>/dev/null || echo 0)"
END
    chmod +x sendmail
}

mailed() { # RUN STATE
    [ "$(ax history --json | grep "\"run\":\"$1\"" | field mail)" = "$2" ]
}

@test "output is mailed, with a subject that tells the outcome" {
    ax add -q --now --name report --mailto ops@example.org,root -- sh -c 'echo hällo; exit 3'
    run -0 timeout 20 "$AX" run --until-idle
    run -0 cat mails
    assert_line --index 0 "ARGS -i -oem -FCronDaemon -- ops@example.org root"
    assert_line "To: ops@example.org,root"
    assert_line --partial "> report (failed, exit 3)"
    assert_line "hällo"
    mailed 1.1 sent
}

@test "no output, no mail; but on failure or always where the job says so" {
    ax add -q --now --mailto ops -- true
    ax add -q --now --mailto ops --mail failure -- sh -c 'echo x'
    ax add -q --now --mailto ops --mail never -- sh -c 'echo x; false'
    ax add -q --now --mailto ops --mail always --name quiet -- true
    ax add -q --now --mailto ops --mail failure --name bad -- false
    run -0 timeout 20 "$AX" run --until-idle
    assert_equal "$(grep -c =END= mails)" 2
    grep -q "Subject: .* quiet (ok)" mails
    grep -q "Subject: .* bad (failed, exit 1)" mails
    mailed 1.1 null
}

@test "an output of many bytes arrives whole" {
    ax add -q --now --mailto ops -c 'seq 1 200000'
    run -0 timeout 30 "$AX" run --until-idle
    sed -n '/^$/,/^=END=$/p' mails | sed '1d;$d' >got
    seq 1 200000 | cmp - got
}

@test "a mailer that fails is tried again, and nothing is lost over a restart" {
    echo 75 >code
    ax add -q --now --mailto ops -- echo hello
    run timeout 20 "$AX" run --until-idle
    assert_output --partial "ended with exit code 75: will be tried again"
    mailed 1.1 pending
    rm code
    AX_SENDMAIL=/nonexistent/mailer run timeout 20 "$AX" run --until-idle # not yet its time: nothing is tried
    mailed 1.1 pending
    assert_equal "$(grep -c =END= mails)" 1
}

@test "a mailer that is not there is named in the log, and the run keeps its outcome" {
    AX_SENDMAIL=/nonexistent/mailer
    ax add -q --now --mailto ops -- echo hello
    run timeout 20 "$AX" run --until-idle
    assert_output --partial "/nonexistent/mailer"
    assert_equal "$(ax history --json 1 | field outcome)" ok
    mailed 1.1 pending
}

@test "a mailer that hangs holds up nobody" {
    printf '#!/bin/sh\nexec sleep 7821\n' >sendmail
    ax add -q --now --mailto ops -- echo hello
    serve
    until_true 10 sleeps 7821
    ax add -q --now --name next -- true
    until_true 5 state_is next "done"
    mailed 1.1 pending
    kill $(sleeps 7821)
    until_true 10 grep -q "mailer was ended by signal" "$AX_SPOOL/scheduler.log"
}

@test "a mailto that a mailer could misread is refused" {
    run -2 ax add --mailto '-oQ/tmp' 1m true
    assert_output --partial "is no mail address"
    run -2 ax add --mailto 'a b' 1m true
}

@test "a line of a crontab: subject, sender, content type and variables as cron has them" {
    printf 'MAILTO=ops@example.org\nMAILFROM=cron@example.org\nCONTENT_TYPE=text/html; charset=utf-8\nEXTRA=x y\n0 1 * * * echo "<b>hi</b>"\n' >tab
    ax import crontab -q tab
    ax start -q 1
    run -0 timeout 20 "$AX" run --until-idle
    grep -q '^<b>hi</b>$' mails
    grep -q '^Subject: Cron <.*> echo "<b>hi</b>" (ok)$' mails
    grep -q '^From: cron@example.org (Cron Daemon)$' mails
    grep -q '^Content-Type: text/html; charset=utf-8$' mails
    grep -q '^X-Cron-Env: <EXTRA=x y>$' mails
}
