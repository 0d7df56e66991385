#!/bin/bash
# fresh.sh [FOLDER]: what a newcomer does first, on a Debian that has nothing but git, make and a compiler. It makes one with
# debootstrap in FOLDER (default: a temporary one, removed afterwards), clones the last commit into it, and runs there the two
# commands of the README, then builds, installs and removes the package. By root, by hand or at night: it takes a quarter of an hour.
# STEPS: which of `demo check package` (default: all). MIRROR: where Debian's packages come from (default: as on this machine). SUITE: which Debian (default: bookworm).
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "fresh.sh: only root can make a Debian" >&2; exit 1; }
tests/packages.sh "make a fresh Debian" debootstrap git

suite=${SUITE:-bookworm}
mirror=${MIRROR:-$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v security | head -1)}
[ -n "$mirror" ] || { echo "fresh.sh: say where packages come from: MIRROR=http://..." >&2; exit 1; }
work=$(mktemp -d)
root=${1:-$work/root}
place=/home/ax
leave() {
    local at
    for at in proc dev/pts dev/shm .; do ! mountpoint -q "$root/$at" || umount -l "$root/$at"; done
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM HUP
step() { printf '== %s (after %d s)\n' "$*" $SECONDS; }

step "a Debian $suite in $root"
[ -d "$root/etc" ] || debootstrap --variant=minbase --include=ca-certificates,git,make,gcc,libc6-dev "$suite" "$root" "$mirror" >"$work/log" 2>&1 ||
    { tail -20 "$work/log"; exit 1; }
# how this machine reaches the mirror: certificates, proxies
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
[ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt" 2>/dev/null || true
[ ! -e /etc/apt/sources.list ] || cp /etc/apt/sources.list "$root/etc/apt/sources.list"
cp -r /etc/apt/sources.list.d/. "$root/etc/apt/sources.list.d/" 2>/dev/null || true
mount --bind "$root" "$root" # so that tests in it can mount, too
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
rm -rf "$root$place"
git clone -q . "$root$place"
in_root() {
    env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} DEBIAN_FRONTEND=noninteractive chroot "$root" sh -ec "cd $place && $1"
}

demo() { in_root 'make demo'; }
check() { in_root 'make check'; }
package() { in_root tests/package.sh; }
for name in ${STEPS:-demo check package}; do
    step "$name"
    "$name" >"$work/$name" 2>&1 || { grep -A15 '^not ok' "$work/$name" | head -80; tail -20 "$work/$name"; exit 1; }
    tail -2 "$work/$name"
done
step "all is well"
