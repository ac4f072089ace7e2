"""Where a program crashed: found out in its last moment, by a thread that still can.

A signal handler can do next to nothing in a process whose memory may be damaged. So the handler, a few instructions
made by LLVM, only writes the address of the crash into a pipe and waits. A thread of ours looks the address up, tells
it, and lets the handler go on: it returns, the instruction fails again, and the program dies as it would have. When
the thread is held up by the damage, the handler does not wait longer than five seconds.

A program that was forked off to run by itself has the handler and shares the pipe, and addresses mean the same in it:
it is served by the thread of the process that waits for it.
"""

import ctypes
import mmap
import os
import struct
import threading
from collections.abc import Callable

from sonde.instruments.vm.verb.shell.descriptors import out_of_the_way
from sonde.jit.crash_signals import counter_offset, handle_crashes
from sonde.llvm import LinkingJit, LlvmModule

_NOTE = struct.Struct("<Q")

_HANDLER = """
declare i64 @write(i32, ptr, i64)
declare i32 @usleep(i32)
@page = external global i64

define void @note(i32 %signal, ptr %info, ptr %context) {{
entry:
  %counter_at = getelementptr i8, ptr %context, i64 {offset}
  %before = load atomic volatile i64, ptr @page acquire, align 8
  %written = call i64 @write(i32 {descriptor}, ptr %counter_at, i64 8)
  br label %wait
wait:
  %round = phi i32 [ 0, %entry ], [ %next, %again ]
  %now = load atomic volatile i64, ptr @page acquire, align 8
  %is_done = icmp ne i64 %now, %before
  %is_long = icmp eq i32 %round, 500
  %leave = or i1 %is_done, %is_long
  br i1 %leave, label %end, label %again
again:
  %slept = call i32 @usleep(i32 10000)
  %next = add i32 %round, 1
  br label %wait
end:
  ret void
}}
"""


class CrashNotes:
    """Watches this process, and those it forks, for crashes."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        """In the main thread.

        Args:
            tell: called with the address of a crash, in a thread of its own; the program dies when it returns.
        """
        self._tell = tell
        self._page = mmap.mmap(-1, mmap.PAGESIZE)  # shared with children
        self._process = ctypes.CDLL(None)
        offset = counter_offset()
        if offset is None:
            return
        self._notes, writing_end = map(out_of_the_way, os.pipe())
        self._install(offset, writing_end)
        threading.Thread(target=self._serve, name="crash notes", daemon=True).start()

    def _install(self, offset: int, descriptor: int) -> None:
        text = _HANDLER.format(offset=offset, descriptor=descriptor)
        imports = {name: _address(self._process[name]) for name in ("write", "usleep")}
        imports["page"] = ctypes.addressof(ctypes.c_char.from_buffer(self._page))
        image = LlvmModule.from_text(text, "crash notes").object(1)
        self._jit = LinkingJit()
        handler = self._jit.link("crash notes", [image], ["note"], imports).addresses["note"]
        self._stack = handle_crashes(handler)

    def _serve(self) -> None:
        answered = 0
        while len(note := os.read(self._notes, _NOTE.size)) == _NOTE.size:
            self._tell(_NOTE.unpack(note)[0])
            answered += 1
            _NOTE.pack_into(self._page, 0, answered)


def _address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
