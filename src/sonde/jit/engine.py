"""Object files into this process: every symbol found or named, constructors known, and out again."""

import atexit
import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sonde.base.errors import InputError
from sonde.code.symbols import demangled
from sonde.jit.libraries import Libraries
from sonde.jit.object_symbols import ObjectSymbol, read_object_symbols
from sonde.jit.runtime import HANDLE, RUN_ALL, runtime_object
from sonde.jit.startup_functions import read_startup_functions
from sonde.llvm import CONSTRUCTORS, DESTRUCTORS, JitLibrary, LinkingJit

_LISTED = 6
"""Missing symbols that an error names."""
_CXX_PREFIXES = ("_Z", "__gxx_", "__cxa_")
_CONTROL_BLOCK = "__emutls_v."
_BY_THE_JIT = frozenset({HANDLE, "_GLOBAL_OFFSET_TABLE_"})


@dataclass(slots=True, eq=False)
class LoadedCode:
    """Objects in memory."""

    name: str
    addresses: dict[str, int]
    """Of every symbol that they define for others."""
    sizes: dict[str, int]
    """In bytes, where the object says so."""
    constructors: list[int]
    """To be called with `argc, argv, envp` before anything else, in this order."""
    destructors: list[int]
    """To be called at the end, in this order."""
    library: JitLibrary

    def run_constructors(self) -> None:
        """Call them without arguments, once."""
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
            self.addresses[RUN_ALL]
        )(function_list(self.constructors), 0, None, None)

    def end(self) -> None:
        """Run what was left for the end: destructors, in the order in which they are due."""
        ctypes.CDLL(None)["__cxa_finalize"](ctypes.c_void_p(self.addresses[HANDLE]))
        for destructor in self.destructors:
            ctypes.CFUNCTYPE(None)(destructor)()


class Watcher(Protocol):
    """Who is told of code that comes and goes."""

    def loaded(self, code: LoadedCode, /) -> None:
        """It is there, and nobody has called it yet."""
        ...

    def unloading(self, code: LoadedCode, /) -> None:
        """Its memory is given back next."""
        ...


class Engine:
    """The programs and libraries that are loaded, by symbol.

    A symbol is looked for in what an object is given, in the code loaded so far (what was loaded first wins), then
    in the shared libraries.
    """

    def __init__(self, libraries: Libraries | None = None, runtime: bytes | None = None) -> None:
        """
        Args:
            runtime: what `runtime_object` gave another process, which spares this one to make it.
        """
        self.libraries = libraries or Libraries()
        self._runtime = runtime
        self._jit = LinkingJit()
        self._loaded: list[LoadedCode] = []
        self._count = 0
        self.watchers: list[Watcher] = []
        """Told of what is loaded from now on."""
        # What programs leave for the end of the process must run while their code is still there, so nothing is
        # unloaded by being forgotten.
        atexit.register(self.close)

    def load(
        self,
        name: str,
        objects: Sequence[bytes],
        imports: Mapping[str, int] | None = None,
        users: Mapping[str, str] | None = None,
    ) -> LoadedCode:
        """Link `objects` with each other, with what is loaded and with the libraries. No constructor is run.

        Args:
            name: for messages.
            imports: addresses that go before all others.
            users: symbol -> file that uses it, for messages.
        Raises:
            InputError: `missing-symbol`, naming it; `cannot-link`.
        """
        images = [*objects, self._runtime or runtime_object()]
        symbols = [symbol for image in images for symbol in read_object_symbols(image)]
        defined = {each.name: each.size_bytes for each in symbols if each.is_defined and not each.is_local}
        outside = [each for each in symbols if not each.is_defined and each.name not in _BY_THE_JIT]
        needed = {each.name: each for each in outside if each.name not in defined}
        found = self._find(needed, dict(imports or {}))
        missing = [each for each in needed.values() if each.name not in found and not each.is_weak]
        if missing:
            raise missing_symbols(name, [each.name for each in missing], users or {})
        self._count += 1
        library = self._jit.link(f"{name}#{self._count}", images, [*defined, HANDLE], found)
        code = LoadedCode(
            name,
            library.addresses,
            defined,
            _startup(library, defined, CONSTRUCTORS, "before"),
            _startup(library, defined, DESTRUCTORS, "after"),
            library,
        )
        for watcher in self.watchers:
            watcher.loaded(code)
        self._loaded.append(code)
        return code

    def unload(self, code: LoadedCode) -> None:
        """Run what `code` left for its end, and give its memory back. Nothing may run in it any more."""
        code.end()
        self._loaded.remove(code)
        self._give_back(code)

    def close(self) -> None:
        """Unload everything, what was loaded last first; but only when all have ended: one may call another."""
        for code in self._loaded[::-1]:
            code.end()
        for code in self._loaded[::-1]:
            self._give_back(code)
        self._loaded = []

    def _give_back(self, code: LoadedCode) -> None:
        for watcher in self.watchers:
            watcher.unloading(code)
        code.library.unload()

    def address(self, symbol: str) -> int | None:
        """Where a symbol is: in loaded code or in a library; None: nowhere."""
        for code in self._loaded:
            if symbol in code.addresses:
                return code.addresses[symbol]
        if symbol.startswith(_CONTROL_BLOCK):
            return self.libraries.thread_local(symbol.removeprefix(_CONTROL_BLOCK))
        return self.libraries.address(symbol)

    def _find(self, needed: Mapping[str, ObjectSymbol], found: dict[str, int]) -> dict[str, int]:
        for symbol in needed.values():
            if symbol.name in found:
                continue
            address = self.address(symbol.name)
            if address is None and symbol.name.removeprefix(_CONTROL_BLOCK).startswith(_CXX_PREFIXES):
                self.libraries.add_cxx()
                address = self.address(symbol.name)
            if address is not None:
                found[symbol.name] = address
            elif symbol.is_weak:
                found[symbol.name] = 0
        return {name: address for name, address in found.items() if name in needed}


def function_list(functions: Sequence[int]) -> "ctypes.Array[ctypes.c_void_p]":
    """Addresses as an array that ends with null, for the functions of `runtime`."""
    return (ctypes.c_void_p * (len(functions) + 1))(*functions, None)


def missing_symbols(name: str, missing: Sequence[str], users: Mapping[str, str]) -> InputError:
    """The error that says which symbols nothing defines, and who uses them."""
    listed = [
        f"'{_readable(symbol)}'" + (f" (used in {users[symbol]})" if symbol in users else "")
        for symbol in missing[:_LISTED]
    ]
    more = f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
    return InputError(
        f"cannot link '{name}': nothing defines {', '.join(listed)}{more}",
        slug="missing-symbol",
        hint="name the library that does with -lNAME, or the file that does",
    )


def _startup(library: JitLibrary, sizes: Mapping[str, int], array: str, which: Literal["before", "after"]) -> list[int]:
    return read_startup_functions(library.addresses[array], sizes[array], which) if array in sizes else []


def _readable(symbol: str) -> str:
    """The name as its source has it."""
    if symbol.startswith(_CONTROL_BLOCK):
        return f"thread-local {_readable(symbol.removeprefix(_CONTROL_BLOCK))}"
    return demangled(symbol)
