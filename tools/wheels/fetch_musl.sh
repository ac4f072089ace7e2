#!/bin/sh
# Compile a CPython for musl, so that wheels for it can be run: Debian's sources, zig's compiler, for x86-64.
#   sh tools/wheels/fetch_musl.sh FOLDER [VERSION]        3.11, 3.13, 3.14, 3.15; default: 3.13
#   PYTHONPATH=tools python -m wheels --try dist/sonde-*-cp313-*musllinux*.whl FOLDER/python3.13
# Needs apt (a Debian, or one of its children), make, autoconf, automake and libtool, the package musl (programs of wheels name the loader that it brings), and a
# python with ziglang (the one that is given as PYTHON, else python3). Takes five minutes on one processor. Nothing of the system
# is touched.
#
# It has what sonde and SciPy need, sqlite3, zlib, lzma, bz2 and ctypes; no ssl. It is loaded by the musl of Debian 13 (1.2.5), as wheels of
# NumPy need one that is newer than 1.2.3.
set -eu
folder=${1:?folder}
version=${2:-3.13}
loader=/lib/ld-musl-x86_64.so.1
case $version in
3.11) suite=bookworm ;;
3.13) suite=trixie ;;
3.14 | 3.15) suite=unstable ;;
*) echo "fetch_musl: Debian has no sources of Python $version" >&2; exit 3 ;;
esac
here=$(dirname "$0")
say() { echo "fetch_musl: $*" >&2; }
[ -e $loader ] || { say "there is no $loader: install the package musl"; exit 3; }
for tool in make autoreconf libtoolize; do
    command -v $tool >/dev/null || { say "there is no $tool: install the packages make, autoconf, automake and libtool"; exit 3; }
done
zig=$("${PYTHON:-python3}" -c 'import ziglang, os; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))') ||
    { say "${PYTHON:-python3} has no ziglang: pip install ziglang"; exit 3; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh "$here/../fetch_debian.sh" source "$work/python" "$suite" "python$version"
sh "$here/../fetch_debian.sh" source "$work/libraries" unstable sqlite3 zlib
sh "$here/../fetch_debian.sh" source "$work/libraries" trixie xz-utils bzip2 libffi
sh "$here/../fetch_debian.sh" amd64 "$work/musl" trixie musl
for package in "$work"/musl/musl_*.deb; do dpkg-deb -x "$package" "$folder/musl"; done
loader=$(find "$folder/musl" -name ld-musl-x86_64.so.1 -type f -o -name libc.so -type f | head -n 1)
mkdir "$work/bin" "$work/made"
for name in cc c++; do
    cat >"$work/bin/$name" <<COMMAND
#!/bin/sh
exec '$zig' $name -target x86_64-linux-musl -fno-sanitize=undefined -g0 -O1 -fPIC -Wno-date-time -I'$work/made/include' -L'$work/made/lib' "\$@"
COMMAND
done
for name in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $name >"$work/bin/$name"; done
chmod +x "$work"/bin/*
export PATH="$work/bin:$PATH" CC="$work/bin/cc" CXX="$work/bin/c++" AR="$work/bin/ar" RANLIB="$work/bin/ranlib"
for archive in "$work"/*/*.orig.tar.*; do tar -xf "$archive" -C "$(dirname "$archive")"; done

in_folder() { # FOLDER COMMAND...: what it says is shown when it fails
    cd "$1"
    shift
    "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; say "failed: $*"; exit 1; }
}
say 'compiling libraries'
(in_folder "$work"/libraries/zlib-* ./configure --static --prefix="$work/made")
(in_folder "$work"/libraries/zlib-* make install)
(in_folder "$work"/libraries/sqlite3-* ./configure --prefix="$work/made")
(in_folder "$work"/libraries/sqlite3-* make sqlite3.c sqlite3.h)
(in_folder "$work"/libraries/xz-[0-9]* ./configure --disable-shared --disable-nls --disable-doc --disable-scripts --prefix="$work/made")
(in_folder "$work"/libraries/xz-[0-9]*/src/liblzma make install)
(in_folder "$work"/libraries/libffi-[0-9]* autoreconf -fi)
(in_folder "$work"/libraries/libffi-[0-9]* ./configure --disable-shared --disable-docs --disable-multi-os-directory --prefix="$work/made")
(in_folder "$work"/libraries/libffi-[0-9]* make install)
(in_folder "$work"/libraries/bzip2-[0-9]* make libbz2.a CC=cc AR=ar RANLIB=ranlib CFLAGS=-D_FILE_OFFSET_BITS=64)
mkdir -p "$work/made/include" "$work/made/lib"
cp "$work"/libraries/bzip2-[0-9]*/bzlib.h "$work/made/include"
cp "$work"/libraries/bzip2-[0-9]*/libbz2.a "$work/made/lib"
cp "$work"/libraries/sqlite3-*/sqlite3.h "$work/made/include"
(in_folder "$work" cc -DSQLITE_THREADSAFE=1 -c "$work"/libraries/sqlite3-*/sqlite3.c -o sqlite3.o)
(in_folder "$work" ar rcs made/lib/libsqlite3.a sqlite3.o)

say "compiling Python $version"
abi=cpython-3${version#3.}-x86_64-linux-musl
source=$(echo "$work"/python/Python-3.*)
(in_folder "$source" ./configure --prefix="$folder/$version" --without-ensurepip --disable-test-modules --without-readline \
    OPT=-DNDEBUG LDFLAGS="-dynamic -Wl,--dynamic-linker=$loader" ZLIB_CFLAGS=-I"$work/made/include" ZLIB_LIBS=-lz \
    LIBSQLITE3_CFLAGS=-I"$work/made/include" LIBSQLITE3_LIBS='-lsqlite3 -lm' LIBFFI_CFLAGS=-I"$work/made/include" LIBFFI_LIBS=-lffi)
printf '*disabled*\n_ssl _hashlib _zstd readline _curses _curses_panel _dbm _gdbm _tkinter _uuid nis\n' >"$source/Modules/Setup.local"
(in_folder "$source" make SOABI="$abi" EXT_SUFFIX=".$abi.so")
rm -rf "${folder:?}/$version"
(in_folder "$source" make SOABI="$abi" EXT_SUFFIX=".$abi.so" install)
ln -sfn "$version/bin/python$version" "$folder/python$version"
"$folder/python$version" -c 'import sys, sqlite3, zlib, lzma, bz2, ctypes; print("fetch_musl:", sys.version.split()[0], file=sys.stderr)'
