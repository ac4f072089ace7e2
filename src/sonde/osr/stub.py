"""The stub through which running code asks where to go on, and the callback behind it.

    @sonde.osr.stub(cell, value):  null if the generator failed before; else what the callback of the cell answers

The stub knows nothing but the cell that it is given. A process has one, made for its first machine with a point: from
code that is there already (`prepared_stub`), or compiled and linked where there is none for the processor. It keeps all
general registers but one, so that asking costs the function nothing where nothing is asked, and keeps `errno`.
"""

import ctypes
import weakref
from collections.abc import Callable
from functools import cache

from sonde.jit import Engine, LoadedCode
from sonde.llvm import LlvmModule
from sonde.osr.cell import Word
from sonde.osr.prepared_stub import prepared_stub

SYMBOL = "sonde.osr.stub"
_TEXT = f"""
declare ptr @__errno_location()

define preserve_mostcc ptr @{SYMBOL}(ptr %cell, i64 %value) nounwind uwtable {{
  %failed_at = getelementptr i64, ptr %cell, i64 {int(Word.FAILED)}
  %failed = load atomic i64, ptr %failed_at acquire, align 8
  %has_failed = icmp ne i64 %failed, 0
  br i1 %has_failed, label %stay, label %ask
ask:
  %errno = call ptr @__errno_location()
  %kept = load i32, ptr %errno
  %number_at = getelementptr i64, ptr %cell, i64 {int(Word.NUMBER)}
  %number = load i64, ptr %number_at
  %callback_at = getelementptr i64, ptr %cell, i64 {int(Word.CALLBACK)}
  %callback = load ptr, ptr %callback_at
  %code = call ptr %callback(i64 %number, i64 %value)
  store i32 %kept, ptr %errno
  ret ptr %code
stay:
  ret ptr null
}}
"""

Answer = Callable[[int, int], int]
"""Number of a point, value -> address to go on at, or 0."""


class Stub:
    """The stub, with who answers for one machine."""

    def __init__(self, answer: Answer) -> None:
        """`answer` is called by whichever thread of the program asks; it must not raise."""
        method = weakref.WeakMethod(answer) if hasattr(answer, "__self__") else None

        def generate(number: int, value: int) -> int:
            asked = method() if method is not None else answer
            return asked(number, value) if asked is not None else 0

        self._callback = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(generate)
        callback = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert callback is not None
        self.callback = callback
        """For `Word.CALLBACK` of the cells. It can be called as long as this object lives."""
        self.address = _address()


@cache
def _address() -> int:
    """The stub of this process, which outlives all machines."""
    return prepared_stub() or compiled_stub().addresses[SYMBOL]


def compiled_stub() -> LoadedCode:
    """The stub, compiled and linked in an engine of its own."""
    return Engine().load(SYMBOL, [LlvmModule.from_text(_TEXT, SYMBOL).object(1)])
