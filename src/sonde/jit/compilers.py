"""Which C and C++ compiler there is: the clang inside the package `ziglang`, or one on PATH."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sonde.base.errors import MissingCapability
from sonde.llvm import llvm_version

_VARIABLE = "SONDE_CC"
_INSTALL = "python -m pip install 'sonde[c]'"
_VERSION = re.compile(r"clang version (\d+)\.")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A clang whose bitcode our LLVM reads."""

    command: tuple[str, ...]
    """What its options are appended to."""
    about: str


def find_compiler() -> Compiler:
    """The compiler that `SONDE_CC` names, else that of `ziglang`, else a clang on PATH.

    Raises:
        MissingCapability: `no-c-compiler`: there is none, or the one that was asked for will not do.
    """
    named = os.environ.get(_VARIABLE)
    if named:
        return _named(named)
    found = _in_ziglang() or _on_path()
    if found is None:
        raise MissingCapability(
            "cannot compile C: there is no compiler whose output this LLVM reads", slug="no-c-compiler", hint=_INSTALL
        )
    return found


def _named(name: str) -> Compiler:
    path = shutil.which(name)
    if path is None:
        raise MissingCapability(
            f"cannot compile with '{name}', which {_VARIABLE} names: there is no such command",
            slug="no-c-compiler",
            hint=f"unset {_VARIABLE}, or set it to a clang",
        )
    version, newest = _clang_version(path), llvm_version()[0]
    if version is None or version > newest:
        fact = "it is not clang" if version is None else f"it is clang {version}, this LLVM reads up to {newest}"
        raise MissingCapability(
            f"cannot compile with '{name}', which {_VARIABLE} names: {fact}",
            slug="no-c-compiler",
            hint=f"unset {_VARIABLE}, or set it to a clang up to {newest}",
        )
    return Compiler((path,), f"clang {version} at {path}")


def _in_ziglang() -> Compiler | None:
    # The package is not imported: its command and its headers are all that is wanted.
    spec = find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0])
    zig = folder / "zig"
    if not os.access(zig, os.X_OK):
        return None
    # `zig clang` is clang as it is: `zig cc` would add its own flags, features and caches. It brings
    # the headers that belong to a compiler; those of the C library are this machine's, or zig's.
    command = [str(zig), "clang", f"--target={os.uname().machine}-linux-gnu", "-resource-dir", str(folder / "lib")]
    if not Path("/usr/include/stdio.h").exists():
        command += _bundled_c_headers(folder / "lib" / "libc" / "include")
    return Compiler(tuple(command), "clang of the package ziglang")


def _bundled_c_headers(folder: Path) -> list[str]:
    machine = os.uname().machine
    family = {"x86_64": "x86"}.get(machine, machine)
    # Zig's headers serve every version of glibc and must be told which one will be there.
    minor = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 2.17"
    options = [f"-D__GLIBC_MINOR__={minor.rpartition('.')[2]}"]
    for name in (f"{family}-linux-gnu", "generic-glibc", f"{family}-linux-any", "any-linux-any"):
        options += ["-idirafter", str(folder / name)]
    return options


def _on_path() -> Compiler | None:
    newest = llvm_version()[0]
    for name in ("clang", *(f"clang-{version}" for version in range(newest, newest - 9, -1))):
        path = shutil.which(name)
        version = _clang_version(path) if path else None
        if path and version is not None and version <= newest:
            return Compiler((path,), f"clang {version} at {path}")
    return None


def _clang_version(path: str) -> int | None:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(done.stdout)
    return int(found[1]) if found else None
