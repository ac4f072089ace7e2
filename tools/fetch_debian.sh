#!/bin/sh
# Fetch packages of a Debian, whatever the one of this system: apt works on lists and states of its own, nothing is installed.
#   sh tools/fetch_debian.sh ARCHITECTURE FOLDER SUITE PACKAGE...     with what they need, as *.deb
#   sh tools/fetch_debian.sh source FOLDER SUITE PACKAGE...           their sources
# Needs apt (a Debian, or one of its children).
set -eu
architecture=${1:?architecture} folder=${2:?folder} suite=${3:?suite}
shift 3
keys=/usr/share/keyrings/debian-archive-keyring.gpg
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || { echo "fetch_debian: there is no $tool" >&2; exit 3; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/no-more-sources" "$folder"
: >"$work/status"
# The server is the one that this system has its packages from.
server=$(apt-get --print-uris update 2>/dev/null | sed -n "s#^'\(.*/debian\)/*/dists/.*#\1#p" | head -n 1)
[ -n "$server" ] || { echo 'fetch_debian: this system has no source of Debian packages' >&2; exit 3; }
case $architecture in
source) kind=deb-src options="signed-by=$keys" architecture=amd64 ;;
*) kind=deb options="arch=$architecture signed-by=$keys" ;;
esac
echo "$kind [$options] $server $suite main" >"$work/sources.list"
apt() {
    apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::Etc::sourcelist="$work/sources.list" \
        -o Dir::Etc::sourceparts="$work/no-more-sources" -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o APT::Sandbox::User= -o Acquire::Languages=none -o Debug::NoLocking=true \
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}
apt update
cd "$folder"
if [ $kind = deb-src ]; then
    apt source --tar-only --download-only "$@" >/dev/null
else
    apt --no-install-recommends -y --download-only install "$@" >/dev/null
    mv "$work"/cache/archives/*.deb .
fi
