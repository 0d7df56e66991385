#!/bin/bash
# package.sh: builds the Debian package from the last commit, and looks at it: lintian, its files, what installing, upgrading
# and purging it do while a job runs. Run by hand or at night, by root, on a Debian without an ax of its own: it is installed
# and taken out again. It installs what it needs for that.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "package.sh: only root can install a package" >&2; exit 1; }
! dpkg -s ax >/dev/null 2>&1 || { echo "package.sh: ax is installed here: this test would take it out" >&2; exit 1; }

tests/packages.sh "build the package" build-essential dpkg-dev debhelper lintian fakeroot man-db $(sed -n '/^Build-Depends:/,/^[A-Z]/p' debian/control |
    sed -n 's/^ *\(Build-Depends:\)\? *\([a-z0-9.-]*-dev\|procps\|tzdata\).*/\2/p')
work=$(mktemp -d)
chmod 755 "$work"
export AX_SPOOL=$work/spool TZ=UTC
leave() {
    pkill -f "ax run.* --spool $work" || true
    dpkg --purge ax >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap leave EXIT
step() { echo "== $*"; }
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
until_true() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "in vain: $*"
        sleep 0.2
    done
}

step "the sources build by themselves, from what make dist packs"
make -s dist
tar xzf build/ax-*.tar.gz -C "$work"
(cd "$work"/ax-*/ && dpkg-buildpackage -us -uc -b >"$work/build.log" 2>&1) || { tail -30 "$work/build.log"; fail "dpkg-buildpackage"; }
deb=$(echo "$work"/ax_*.deb)

step "lintian has nothing to say"
lintian -I --allow-root --fail-on error,warning,info --suppress-tags bad-distribution-in-changes-file "$work"/ax_*.changes

step "its files are where Debian has them"
dpkg -c "$deb" | awk '{print $6}' | sed 's!^\./!!; /\/$/d; /^$/d' >"$work/files"
for file in usr/bin/ax usr/share/man/man1/ax.1.gz usr/share/bash-completion/completions/ax usr/share/doc/ax/copyright \
    usr/share/zsh/vendor-completions/_ax usr/share/fish/vendor_completions.d/ax.fish usr/share/ax/ax-jobs.schema.json; do
    grep -qx "$file" "$work/files" || fail "$file is missing"
done
grep -qx '\(usr/\)\?lib/systemd/system/ax.service' "$work/files" || fail "the unit is missing"
! grep -v '^\(usr\|lib\)/' "$work/files" || fail "a file outside /usr"

step "installing it starts nothing"
dpkg -i "$deb" >/dev/null
[ "$(command -v ax)" = /usr/bin/ax ] || fail "ax is not /usr/bin/ax, but $(command -v ax)"
! pgrep -x ax >/dev/null || fail "a process of ax runs"
! find /etc/systemd -name 'ax.service*' | grep . || fail "the unit is enabled"
env -u AX_SPOOL ax service install --system --dry-run | grep -q 'lib/systemd/system/ax.service, which is there$' || fail "ax service does not see the unit"
sh debian/tests/smoke >/dev/null 2>&1

step "an upgrade lets jobs run on, and the scheduler too"
ax run --detach --spool "$AX_SPOOL" --on-stop leave >/dev/null
ax add -q --name long now -- sh -c "while [ ! -e $work/go ]; do sleep 0.2; done; exit 7"
until_true 20 eval 'ax ls --json --state running | grep -q long'
cp -r "$work"/ax-*/ "$work/newer"
(cd "$work/newer" && sed -i '1s/([^)]*)/(999)/' debian/changelog &&
    DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b >"$work/newer.log" 2>&1) || fail "building a newer one"
dpkg -i "$work"/ax_999_*.deb >/dev/null
ax ls --json --state running | grep -q long || fail "the job does not run any more"
kill "$(ax status --json | sed -n 's/.*"pid":\([0-9]*\).*/\1/p')"
until_true 20 eval '! ax status --json | grep -q "\"pid\":[0-9]"'
ax run --detach --spool "$AX_SPOOL" --on-stop leave >/dev/null # the new one takes it over

step "purging leaves the spool, and nothing else; what runs comes to its end"
dpkg --purge ax >/dev/null 2>&1
! [ -e /usr/bin/ax ] || fail "/usr/bin/ax is still there"
while read -r file; do [ ! -e "/$file" ] || fail "/$file is still there"; done <"$work/files"
touch "$work/go"
dpkg -i "$deb" >/dev/null
until_true 20 eval 'ax history --json long | grep -q "\"exit_code\":7"'

step "all is well"
