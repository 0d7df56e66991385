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
export DEBIAN_FRONTEND=noninteractive
refresh() {
    echo "The package lists are empty or old: $sudo apt-get update"
    $sudo apt-get -q update
}
install() {
    echo "$sudo apt-get install --no-install-recommends$missing"
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing
}

# shellcheck disable=SC2086
apt-cache show $missing >/dev/null 2>&1 || refresh
install || { refresh && install; }
