#!/bin/sh
# Put a CPython for aarch64 into a folder, with a script that runs it in qemu, so that wheels for it can be tried.
#   sh tools/wheels/fetch_aarch64.sh FOLDER
#   PYTHONPATH=tools python -m wheels --try dist/sonde-*-cp313-*_aarch64.whl FOLDER/python3.13
# Needs apt (a Debian, or one of its children) and the package qemu-user. Nothing of the system is touched: apt works on lists
# and states of its own, and packages are unpacked, not installed.
set -eu
folder=${1:?folder}
version=3.13
suite=trixie
keys=/usr/share/keyrings/debian-archive-keyring.gpg

for tool in apt-get dpkg-deb qemu-aarch64; do
    command -v $tool >/dev/null || { echo "fetch_aarch64: there is no $tool" >&2; exit 3; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/no-more-sources" "$folder/root"
folder=$(cd "$folder" && pwd)
: >"$work/status"
# The server is the one that this system has its packages from.
server=$(apt-get --print-uris update 2>/dev/null | sed -n "s#^'\(.*/debian\)/*/dists/.*#\1#p" | head -n 1)
[ -n "$server" ] || { echo 'fetch_aarch64: this system has no source of Debian packages' >&2; exit 3; }
echo "deb [arch=arm64 signed-by=$keys] $server $suite main" >"$work/sources.list"
apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::Etc::sourcelist="$work/sources.list" \
        -o Dir::Etc::sourceparts="$work/no-more-sources" -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o APT::Sandbox::User= -o Acquire::Languages=none -o Debug::NoLocking=true "$@"
}
apt update
apt --no-install-recommends -y --download-only install python$version libsqlite3-0 >/dev/null
for package in "$work"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -xf - -C "$folder/root" --exclude ./usr/share/doc --exclude ./usr/share/man
done
for name in lib bin; do ln -sfn usr/$name "$folder/root/$name"; done
# What the interpreter starts by sys.executable is this script again: programs start one another without qemu else.
cat >"$folder/python$version" <<END
#!/bin/sh
export PYTHONHOME='$folder/root/usr'
exec qemu-aarch64 -L '$folder/root' -0 "\$0" '$folder/root/usr/bin/python$version' "\$@"
END
sed -i "s#exec qemu-aarch64#exec $(command -v qemu-aarch64)#" "$folder/python$version"
chmod +x "$folder/python$version"
"$folder/python$version" -c 'import sys, platform; print("fetch_aarch64:", sys.version.split()[0], platform.machine(), file=sys.stderr)'
