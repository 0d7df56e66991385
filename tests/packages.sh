#!/bin/sh
# packages.sh PURPOSE PACKAGE...: installs the Debian packages that are missing, and says what it does.
set -eu

purpose=$1
shift

if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    echo "This is no Debian: to $purpose you need what Debian calls:"
    echo "  $*"
    exit 0
fi

missing=
for package in "$@"; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "To $purpose these packages are missing; let root install them: apt-get install$missing" >&2
        exit 1
    fi
    sudo=sudo
fi

echo "To $purpose these packages are missing and are installed now:$missing"
as_root() {
    echo "${sudo:+$sudo }$*"
    $sudo env DEBIAN_FRONTEND=noninteractive "$@"
}
known() {
    for package in $missing; do
        LC_ALL=C apt-cache policy "$package" | grep -q '^  Candidate: [^(]' || return 1
    done
}
# shellcheck disable=SC2086
install() { as_root apt-get -q -y install --no-install-recommends $missing; }

if ! known; then
    echo "The package lists are empty or old."
    as_root apt-get -q update
    install
else
    install || { as_root apt-get -q update && install; }
fi
