"""Shared libraries that a program is linked with, and the addresses of what they define."""

import ctypes
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from sonde.base.errors import InputError
from sonde.jit.runtime import OF_A_LIBRARY

_ALWAYS = ("libc.so.6", "libm.so.6", "libgcc_s.so.1")
_TLS_MODULE, _TLS_BLOCK = 9, 10
"""What to ask `dlinfo` for: the number of a library's thread-local block, and where this thread has it."""
_OF_THE_PROCESS = frozenset({"libc.so.6", "libm.so.6"})
"""Used by this process itself: where a variable of theirs is kept is for the process to say (copy relocations)."""
_CXX = "libstdc++.so.6"
_OLD_VERSIONS = {"__cpu_model": "GCC_4.8.0", "__cpu_indicator_init": "GCC_4.8.0"}
"""What libgcc_s still has, but no longer under the version that programs are linked with (they have it in libgcc.a)."""
_BUILT_IN = {"c": "libc.so.6", "m": "libm.so.6", "stdc++": _CXX, "gcc_s": "libgcc_s.so.1"}
_WITHIN_LIBC = frozenset({"pthread", "dl", "rt", "util", "gcc", "gcc_eh"})
"""Part of the C library today, or of what is always there."""


class Libraries:
    """An ordered list of shared libraries to look symbols up in; the C library, libm and libgcc_s are always there.

    Args:
        names: of more of them, as `add` takes them.
        folders: where to look for those first.
    Raises:
        InputError: `no-such-library`.

    >>> libraries = Libraries()
    >>> libraries.address("qsort") is not None, libraries.address("no_such_function")
    (True, None)
    """

    def __init__(self, names: Iterable[str] = (), folders: Sequence[Path | str] = ()) -> None:
        self._dlsym = ctypes.CDLL(None).dlsym
        self._dlsym.restype, self._dlsym.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_char_p)
        self._dlinfo = ctypes.CDLL(None).dlinfo
        self._dlinfo.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        self._kept: list[ctypes.Array[ctypes.c_size_t]] = []
        self._dlvsym = ctypes.CDLL(None).dlvsym
        self._dlvsym.restype, self._dlvsym.argtypes = ctypes.c_void_p, (ctypes.c_void_p, *[ctypes.c_char_p] * 2)
        self._loaded: dict[str, ctypes.CDLL] = {}
        self._added: list[str] = []
        for name in _ALWAYS:
            self._load(name)
        for name in names:
            self.add(name, folders)

    def add_cxx(self) -> None:
        """Add the C++ library.

        Raises:
            InputError: `no-such-library`.
        """
        self.add_file(_CXX)

    def add(self, name: str, folders: Sequence[Path | str] = ()) -> str:
        """Add the library that `-lNAME` means, and return which file that is.

        Args:
            folders: to look in first (`-L`).
        Raises:
            InputError: `no-such-library`.
        """
        if name in _WITHIN_LIBC:
            return "libc.so.6"
        if name in _BUILT_IN:
            return self.add_file(_BUILT_IN[name])
        for folder in [*map(Path, folders), *_system_folders()]:
            found = _newest(folder, name)
            if found is not None:
                return self.add_file(str(found))
        raise InputError(
            f"cannot link with -l{name}: there is no lib{name}.so"
            + (f" in {', '.join(map(str, folders))} or" if folders else " in")
            + " the system's folders",
            slug="no-such-library",
            hint="name its folder with -L",
        )

    def add_file(self, name: str) -> str:
        """Add a shared library by its path, or by a name that the dynamic linker knows (`libz.so.1`).

        Raises:
            InputError: `no-such-library`.
        """
        try:
            self._load(name)
        except OSError as error:
            raise InputError(f"cannot load the library '{name}': {error}", slug="no-such-library") from error
        if name not in self._added and name not in _ALWAYS:
            self._added.append(name)
        return name

    def address(self, symbol: str) -> int | None:
        """Where the first library that defines `symbol` has it; None: none does."""
        name = os.fsencode(symbol)
        for library in (*self._added, *_ALWAYS):
            found = self._dlsym(self._loaded[library]._handle, name)
            if found:
                return int(self._dlsym(None, name) or found) if library in _OF_THE_PROCESS else int(found)
        if symbol in _OLD_VERSIONS:
            handle = self._loaded["libgcc_s.so.1"]._handle
            return self._dlvsym(handle, name, _OLD_VERSIONS[symbol].encode()) or None
        return None

    def thread_local(self, symbol: str) -> int | None:
        """A control block for a library's thread-local variable, see `runtime.THREAD_ADDRESS`; None: there is none."""
        for library in (*self._added, *_ALWAYS):
            handle = self._loaded[library]._handle
            here = self._dlsym(handle, os.fsencode(symbol))  # this thread's
            module, block = ctypes.c_size_t(), ctypes.c_void_p()
            if here and not self._dlinfo(handle, _TLS_MODULE, ctypes.byref(module)) and module.value:
                self._dlinfo(handle, _TLS_BLOCK, ctypes.byref(block))
                control = (ctypes.c_size_t * 3)(OF_A_LIBRARY, module.value, here - (block.value or 0))
                self._kept.append(control)
                return ctypes.addressof(control)
        return None

    def _load(self, name: str) -> None:
        if name not in self._loaded:
            # Global, so that libraries loaded later (plug-ins of a program) find what is in it.
            self._loaded[name] = ctypes.CDLL(name, mode=os.RTLD_GLOBAL | os.RTLD_NOW)


def _system_folders() -> Iterable[Path]:
    machine = os.uname().machine
    for folder in (
        f"/usr/local/lib/{machine}-linux-gnu",
        "/usr/local/lib",
        f"/lib/{machine}-linux-gnu",
        f"/usr/lib/{machine}-linux-gnu",
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
    ):
        yield Path(folder)


def _newest(folder: Path, name: str) -> Path | None:
    """lib{name}.so, or the one with the highest version where there is no link for compilers."""
    plain = folder / f"lib{name}.so"
    if plain.exists() and plain.read_bytes()[:4] == b"\x7fELF":  # else a script for the linker
        return plain
    versions = {
        tuple(map(int, found[1].split("."))): path
        for path in folder.glob(f"lib{name}.so.*")
        if (found := re.fullmatch(r".*\.so\.([\d.]+)", path.name)) and not found[1].endswith(".")
    }
    return versions[max(versions)] if versions else None
