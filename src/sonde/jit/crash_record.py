"""Where a program was when it crashed: told to the process that waits for it, without getting in its way.

A signal handler notes the address and returns. It is taken out as it is called, so that the faulting instruction
faults once more, and the program dies as it would have. A program that sets handlers of its own replaces this one.
"""

import ctypes
import mmap
import os
import pickle
import signal
import struct

from sonde.jit.engine import Engine, LoadedCode
from sonde.jit.object_symbols import function_at
from sonde.llvm import LlvmModule

_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
_SA_SIGINFO, _SA_ONSTACK, _SA_RESETHAND = 0x4, 0x08000000, 0x80000000
_STACK_BYTES = 64 * 1024
_COUNTER_IN_CONTEXT = {"x86_64": 168}
"""Where `ucontext_t` has the program counter: after flags, link and stack (40 bytes), and sixteen registers. On
other machines no function is named."""
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


class _SignalAction(ctypes.Structure):
    """`struct sigaction` of the C library."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_byte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class _SignalStack(ctypes.Structure):
    """`stack_t`."""

    _fields_ = (("base", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


class CrashRecord:
    """A page of memory that a process shares with its child, in which the child leaves where it crashed."""

    def __init__(self) -> None:
        """Before the child is forked."""
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self._code = os.fdopen(os.memfd_create("code"), "w+b")

    def watch(self, engine: Engine, code: LoadedCode, image: bytes) -> None:
        """In the child, right before the program begins: note crashes from now on."""
        with self._code:  # the program is to find no file open that it did not open
            pickle.dump((image, code.addresses), self._code)
        offset = _COUNTER_IN_CONTEXT.get(os.uname().machine)
        if offset is not None:
            self._install(engine, offset)
        _PAGE.pack_into(self._page, 0, 0, 1)

    def _install(self, engine: Engine, offset: int) -> None:
        page = ctypes.addressof(ctypes.c_char.from_buffer(self._page))
        image = LlvmModule.from_text(_HANDLER.format(offset=offset), "crash handler").object(1)
        handler = engine.load("crash handler", [image], {"sonde.crash_page": page})
        process = ctypes.CDLL(None)
        self._stack = ctypes.create_string_buffer(_STACK_BYTES)  # a stack that overflowed has no room for a handler
        stack = _SignalStack(ctypes.addressof(self._stack), 0, _STACK_BYTES)
        process.sigaltstack(ctypes.byref(stack), None)
        action = _SignalAction(handler=handler.addresses["sonde.note_crash"])
        action.flags = ctypes.c_int(_SA_SIGINFO | _SA_ONSTACK | _SA_RESETHAND).value
        for number in _CRASHES:
            process.sigaction(int(number), ctypes.byref(action), None)

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
