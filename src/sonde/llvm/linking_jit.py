"""LLVM's JIT linker: object files in, addresses out."""

from collections.abc import Iterable, Mapping
from typing import Any

from sonde.base.errors import InputError, InternalError
from sonde.llvm.binding import require_llvm
from sonde.llvm.host import host_machine


class JitLibrary:
    """Objects that were linked into this process, and stay until `unload`."""

    def __init__(self, tracker: Any, name: str, addresses: dict[str, int]) -> None:
        """For `LinkingJit.link`: `tracker` is llvmlite's."""
        self._tracker = tracker
        self.name = name
        self.addresses = addresses
        """Of the exported symbols."""

    def unload(self) -> None:
        """Give the memory back. Nothing may run in it, or refer to it, any more."""
        self._tracker.close()
        self.addresses = {}


class LinkingJit:
    """Links object files into this process, each call a library of its own.

    Libraries do not see one another's symbols: what an object needs is given to it by address. What is not, LLVM
    looks for among this process's symbols, where it may meet one of Python's; who calls gives all.

    Threads may link and unload at the same time: llvmlite lets one after the other into LLVM. Linked code may run
    meanwhile.

    >>> from sonde.llvm import LlvmModule
    >>> import ctypes
    >>> module = LlvmModule.from_text('''
    ... declare i32 @base()
    ... define i32 @next() {
    ...   %b = call i32 @base()
    ...   %n = add i32 %b, 1
    ...   ret i32 %n
    ... }''', "next.ll")
    >>> base = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 41)
    >>> jit = LinkingJit()
    >>> library = jit.link("first", [module.object(2)], ["next"], {"base": ctypes.cast(base, ctypes.c_void_p).value})
    >>> ctypes.CFUNCTYPE(ctypes.c_int)(library.addresses["next"])()
    42
    >>> jit.close()
    """

    def __init__(self) -> None:
        self._jit = require_llvm().create_lljit_compiler(host_machine(2), use_jit_link=True)
        self._libraries: dict[str, JitLibrary] = {}

    def link(
        self, name: str, objects: Iterable[bytes], exports: Iterable[str], imports: Mapping[str, int]
    ) -> JitLibrary:
        """Link `objects` with one another and with `imports`, and load them.

        Constructors are not run.

        Args:
            name: of the library; never used before with this JIT.
            exports: symbols whose addresses are wanted.
            imports: symbol -> address, for what the objects use and do not define.
        Raises:
            InputError: `cannot-link`: a symbol is missing or defined twice, in LLVM's words.
            InternalError: `library-name`: the name was used before.
        """
        if name in self._libraries:
            raise InternalError(f"cannot link the library '{name}': there is one of that name", slug="library-name")
        builder = require_llvm().JITLibraryBuilder()
        for each in objects:
            builder.add_object_img(each)
        for symbol, address in imports.items():
            builder.import_symbol(symbol, address)
        wanted = list(exports)
        for symbol in wanted:
            builder.export_symbol(symbol)
        try:
            # A file's name may hold bytes that are no text; LLVM only wants it to be unlike the others.
            tracker = builder.link(self._jit, name.encode(errors="backslashreplace").decode())
        except RuntimeError as error:
            raise InputError(f"cannot link '{name}': {str(error).strip()}", slug="cannot-link") from error
        library = JitLibrary(tracker, name, {symbol: tracker[symbol] for symbol in wanted})
        self._libraries[name] = library
        return library

    def close(self) -> None:
        """Unload everything that was linked here."""
        for library in self._libraries.values():
            library.unload()
        self._libraries.clear()
        self._jit.close()
