"""Where a program was when it crashed: told to the process that waits for it, without getting in its way.

A signal handler (`crash_signals`) notes the address and returns.
"""

import ctypes
import mmap
import os
import pickle
import struct

from sonde.base.nameless_file import nameless_file
from sonde.jit.crash_signals import counter_offset, handle_crashes
from sonde.jit.engine import Engine, LoadedCode
from sonde.jit.object_symbols import function_at
from sonde.llvm import LlvmModule

_PAGE = struct.Struct("<QQ")
"""Address of the crash; 1 from when the program begins to run."""

_HANDLER = """
@sonde.crash_page = external global [2 x i64]

define void @sonde.note_crash(i32 %signal, ptr %info, ptr %context) {{
  %counter_at = getelementptr i8, ptr %context, i64 {offset}
  %counter = load i64, ptr %counter_at
  %first = cmpxchg ptr @sonde.crash_page, i64 0, i64 %counter monotonic monotonic
  ret void
}}
"""


class CrashRecord:
    """A page of memory that a process shares with its child, in which the child leaves where it crashed."""

    def __init__(self) -> None:
        """Before the child is forked."""
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self._code = os.fdopen(nameless_file("code"), "w+b")

    def watch(self, engine: Engine, code: LoadedCode, image: bytes) -> None:
        """In the child, right before the program begins: note crashes from now on."""
        with self._code:  # the program is to find no file open that it did not open
            pickle.dump((image, code.addresses), self._code)
        offset = counter_offset()
        if offset is not None:
            self._install(engine, offset)
        _PAGE.pack_into(self._page, 0, 0, 1)

    def _install(self, engine: Engine, offset: int) -> None:
        page = ctypes.addressof(ctypes.c_char.from_buffer(self._page))
        image = LlvmModule.from_text(_HANDLER.format(offset=offset), "crash handler").object(1)
        handler = engine.load("crash handler", [image], {"sonde.crash_page": page})
        self._stack = handle_crashes(handler.addresses["sonde.note_crash"])

    @property
    def began(self) -> bool:
        """Whether the program had begun to run."""
        return bool(_PAGE.unpack_from(self._page)[1])

    def function(self) -> str | None:
        """In the parent, when the child has died: the function it crashed in, if it was one of the program's."""
        address = _PAGE.unpack_from(self._page)[0]
        if not address:
            return None
        self._code.seek(0)
        image, addresses = pickle.load(self._code)
        return function_at(image, addresses, address)
