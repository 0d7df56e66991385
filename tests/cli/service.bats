load helper

# ax service with a stub of systemctl, in a mount namespace where there is a systemd; and what the scheduler tells a service manager.

@test "the unit: runs are left alone, the manager is told, words are quoted" {
    run -0 --separate-stderr ax service install --system --dry-run --jobs '/etc/ax jobs/100%' --spool /srv/spool
    [[ $stderr = *'/etc/ax jobs/100% is not there yet'* ]]
    assert_line --index 0 '# /etc/systemd/system/ax.service'
    assert_line --regexp '^ExecStart=/.*/ax run --on-stop leave --spool /srv/spool --jobs "/etc/ax jobs/100%%"$'
    for line in Type=notify KillMode=process OOMPolicy=continue SuccessExitStatus=6 After=time-sync.target WantedBy=multi-user.target; do
        assert_line "$line"
    done
    assert_line 'systemctl daemon-reload'
    assert_line 'systemctl enable --now ax.service'
    AX_SPOOL=/srv/own run -0 ax service install --system --dry-run
    assert_line --regexp '^ExecStart=/.*/ax run --on-stop leave --spool /srv/own$'
    XDG_CONFIG_HOME=/c run -0 ax service install --user --dry-run
    assert_line --index 0 '# /c/systemd/user/ax.service'
    assert_line 'WantedBy=default.target'
    assert_line 'systemctl --user enable --now ax.service'
    if command -v systemd-analyze >/dev/null; then
        ax service install --system --dry-run | sed '/^# then/,$d; s!^ExecStart=[^ ]*!ExecStart=/bin/true!' >ax.service
        systemd-analyze verify --man=no ./ax.service
    fi
}

@test "where there is no systemd it says what to do" {
    [ ! -d /run/systemd/system ] || skip "there is one"
    run -1 ax service install --system
    assert_output --partial '@reboot'
    run -2 ax service enable
    run -2 ax service
}

@test "install and remove" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    unshare -m true 2>/dev/null || skip "needs the right to mount"
    mkdir bin
    printf '#!/bin/sh\necho "$*" >>%s/said\n' "$PWD" >bin/systemctl
    chmod +x bin/systemctl
    cat >inside <<END
mount -t tmpfs none /run && mkdir -p /run/systemd/system && mkdir -p /etc/systemd && mount -t tmpfs none /etc/systemd || exit 77
export PATH=$PWD/bin:\$PATH
"$AX" service install --system --jobs /srv/jobs || exit 1
grep -q '^ExecStart=.* --jobs /srv/jobs\$' /etc/systemd/system/ax.service || exit 2
"$AX" service status || exit 3
"$AX" service remove || exit 4
[ ! -e /etc/systemd/system/ax.service ] || exit 5
"$AX" service remove && exit 6 || [ \$? = 3 ]
END
    run unshare -m sh inside
    [ "$status" -ne 77 ] || skip "no mounts here"
    assert_success
    assert_output --partial 'jobs that run go on'
    assert_equal "$(cat said)" 'daemon-reload
enable --now ax.service
--no-pager status ax.service
disable --now ax.service
daemon-reload'
}

@test "the service manager hears of ready and stopping, commands do not inherit its socket" {
    command -v python3 >/dev/null
    python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("manager")
open("bound", "w").close()
s.settimeout(30)
for i in range(2):
    print(s.recv(200).decode().replace("\n", " "), flush=True)' >heard 3>&- &
    until_true 10 [ -e bound ]
    ax add -q --name env now -c 'echo "${NOTIFY_SOCKET-unset}"' 2>/dev/null
    NOTIFY_SOCKET=$PWD/manager "$AX" run 2>log 3>&- &
    scheduler=$!
    until_true 10 grep -q READY=1 heard
    until_true 10 eval '[ "$(ax log env)" = unset ]'
    unserve
    until_true 10 grep -q STOPPING=1 heard
    assert_equal "$(head -1 heard)" 'READY=1 STATUS=serving'
}
