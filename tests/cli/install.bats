load helper

# What `make install`, `make static` and `make dist` leave. The package is tested by tests/package.sh.

ROOT=$BATS_TEST_DIRNAME/../..

setup() {
    [ -z "${AX_SANITIZED:-}" ] || skip "the plain program is installed"
    export AX_SPOOL=$BATS_TEST_TMPDIR/spool TZ=UTC LC_ALL=C.UTF-8
    unset MAKEFLAGS MAKELEVEL
    cd "$BATS_TEST_TMPDIR"
}

@test "make install puts everything in its place; uninstall leaves nothing" {
    mkdir tree
    make -s -C "$ROOT" -o ax install DESTDIR="$PWD/tree" PREFIX=/usr/local
    local file
    for file in bin/ax share/man/man1/ax.1 share/man/man5/ax-jobs.5 share/man/man7/ax-schedule.7 \
        share/{bash-completion/completions/ax,zsh/site-functions/_ax,fish/vendor_completions.d/ax.fish} \
        share/ax/ax-jobs.schema.json share/ax/examples/{web,backup,pi}.{yaml,crontab} lib/systemd/{system,user}/ax.service; do
        [ -f "tree/usr/local/$file" ] || fail "$file is not installed"
    done
    grep -q '^ExecStart=/usr/local/bin/ax run ' tree/usr/local/lib/systemd/{system,user}/ax.service
    run find tree -perm /022 -not -type l
    assert_output ''
    make -s -C "$ROOT" uninstall DESTDIR="$PWD/tree" PREFIX=/usr/local
    run find tree -type f
    assert_output ''
    [ ! -e tree/usr/local/share/ax ]
}

@test "the units that are installed are those that ax service writes" {
    local kind
    unset AX_SPOOL
    for kind in system user; do
        "$AX" service install --$kind --dry-run | sed '1,2d; /^# then/,$d; s!^ExecStart=[^ ]*!ExecStart=/usr/bin/ax!' |
            diff "$ROOT/share/systemd/$kind/ax.service" -
    done
}

@test "ax service takes the unit that was installed beside the program" {
    unset AX_SPOOL
    mkdir -p usr/bin usr/lib/systemd/system
    cp "$AX" usr/bin/ax
    sed "s!/usr/bin/ax!$PWD/usr/bin/ax!" "$ROOT/share/systemd/system/ax.service" >usr/lib/systemd/system/ax.service
    run -0 usr/bin/ax service install --system --dry-run
    assert_output "# $PWD/usr/lib/systemd/system/ax.service, which is there
# then:
systemctl daemon-reload
systemctl enable --now ax.service"
    run -0 usr/bin/ax service install --system --dry-run --jobs /
    assert_line --index 0 '# /etc/systemd/system/ax.service'
    run -0 usr/bin/ax service remove --system --dry-run
    assert_output 'would stop the service, which is enabled no more; jobs that run go on'
    sed -i 's!^ExecStart=[^ ]*!ExecStart=/opt/ax!' usr/lib/systemd/system/ax.service # another's
    run -0 usr/bin/ax service install --system --dry-run
    assert_line --index 0 '# /etc/systemd/system/ax.service'
}

@test "make static: runs in a folder with nothing in it, and asks no plugin who a user is" {
    make -s -C "$ROOT" static
    run ldd "$ROOT/build/static/ax"
    assert_output --partial 'not a dynamic executable'
    mkdir -p root/{bin,etc,proc,dev} && mkdir -m 700 root/spool
    cp "$ROOT/build/static/ax" root/bin/ax
    printf 'root:x:0:0::/:/bin/sh\nme:x:1000:1000::/:/bin/sh\n' >root/etc/passwd
    printf 'passwd: systemd ldap\ngroup: systemd ldap\n' >root/etc/nsswitch.conf
    cat >inside <<'END'
mount --rbind /proc root/proc && touch root/dev/null && mount --bind /dev/null root/dev/null || exit 77
export AX_SPOOL=/spool
in_root() { chroot root /bin/ax "$@"; }
in_root add -q --name a --clean-env now -- /bin/ax version 2>/dev/null
timeout 20 chroot root /bin/ax run --until-idle --log-level error
in_root log a
in_root show --json a
in_root import crontab --user nobody-here - </dev/null
in_root import crontab -q --user me - <<-X 2>/dev/null && in_root show --json me-true
* * * * * true
X
END
    local user=-r
    [ "$(id -u)" -ne 0 ] || user=
    unshare -m $user true 2>/dev/null || skip "needs the right to mount"
    run unshare -m $user bash inside
    [ "$status" -ne 77 ] || skip "no mounts here"
    assert_output --partial "$("$AX" version | head -1)"
    assert_output --partial '"outcome":"ok"'
    assert_output --partial 'no user nobody-here'
    assert_output --partial '"user":"me"'
}

@test "make dist: the sources of the last commit, the same bytes each time" {
    git -C "$ROOT" rev-parse -q --verify HEAD >/dev/null || skip "no checkout of git"
    make -s -C "$ROOT" dist
    local version
    version=$("$AX" version | sed -n '1s/^ax \([0-9.]*\).*/\1/p')
    cp "$ROOT/build/ax-$version.tar.gz" first.tar.gz
    make -s -C "$ROOT" dist
    cmp first.tar.gz "$ROOT/build/ax-$version.tar.gz"
    tar xzf first.tar.gz
    [ -f "ax-$version/Makefile" ]
    [ ! -e "ax-$version/build" ]
}
