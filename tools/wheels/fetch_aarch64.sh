#!/bin/sh
# Put a CPython for aarch64 into a folder, with a program that runs it in qemu, so that wheels for it can be tried.
#   sh tools/wheels/fetch_aarch64.sh FOLDER [VERSION]        3.11, 3.13, 3.14, 3.15; default: 3.13
#   PYTHONPATH=tools python -m wheels --try dist/sonde-*-cp313-*_aarch64.whl FOLDER/python3.13
# Needs apt (a Debian, or one of its children), on x86-64, and a python with ziglang (the one that is given as PYTHON, else python3).
# Nothing of the system is touched: packages are unpacked, not installed. qemu comes from Debian 13, too: older ones take minutes to
# reserve as many addresses as sonde's trees of calls do. What qemu does not have, qemu_memory.c does in its place.
set -eu
folder=${1:?folder}
version=${2:-3.13}
case $version in
3.11) suite=bookworm ;;
3.13) suite=trixie ;;
3.14 | 3.15) suite=unstable ;;
*) echo "fetch_aarch64: Debian has no Python $version" >&2; exit 3 ;;
esac
here=$(dirname "$0")
zig=$("${PYTHON:-python3}" -c 'import ziglang, os; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))') ||
    { echo "fetch_aarch64: ${PYTHON:-python3} has no ziglang: pip install ziglang" >&2; exit 3; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unpack() { # PACKAGES FOLDER
    mkdir -p "$2"
    for package in "$1"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -xf - -C "$2" --exclude ./usr/share/doc --exclude ./usr/share/man
    done
}
qemu=$folder/qemu/usr/bin/qemu-aarch64
if [ ! -x "$qemu" ]; then
    sh "$here/../fetch_debian.sh" amd64 "$work/qemu" trixie qemu-user
    rm -f "$work"/qemu/libc6_* # what else it needs is here
    unpack "$work/qemu" "$folder/qemu"
    "$zig" cc -target aarch64-linux-gnu.2.28 -shared -O2 -s -o "$folder/memory.so" "$here/qemu_memory.c"
fi
sh "$here/../fetch_debian.sh" arm64 "$work/python" "$suite" "python$version" libsqlite3-0 libstdc++6
root=$folder/$version
rm -rf "${root:?}"
unpack "$work/python" "$root"
for name in lib bin; do ln -sfn usr/$name "$root/$name"; done
# What the interpreter starts by sys.executable is this again: programs start one another without qemu else. It is linked statically,
# as the loader of this machine would say that it cannot load what the variable for qemu's names.
cat >"$work/start.c" <<PROGRAM
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
    char *emulated[] = {"$qemu", "-L", "$root", "-E", "LD_PRELOAD=$folder/memory.so", "-0", words[0], "$root/usr/bin/python$version"};
    enum { EMULATED = sizeof emulated / sizeof *emulated };
    char *command[EMULATED + count];
    memcpy(command, emulated, sizeof emulated);
    memcpy(command + EMULATED, words + 1, (size_t)count * sizeof *words);
    setenv("PYTHONHOME", "$root/usr", 1);
    return execv(command[0], command) ? 127 : 0;
}
PROGRAM
"$zig" cc -target x86_64-linux-musl -Os -s -o "$folder/python$version" "$work/start.c"
"$folder/python$version" -c 'import sys, platform; print("fetch_aarch64:", sys.version.split()[0], platform.machine(), file=sys.stderr)'
