"""A program's `main` in a thread of its own, so that versions can be switched while it runs."""

import ctypes
import threading
from collections.abc import Sequence

from sonde.jit.engine import Engine, function_list
from sonde.jit.main_program import string_list, take_name
from sonde.llvm import LlvmModule

EXIT = "sonde.exit"
"""What programs get for `exit`: ends the program, not the process, when the program runs in the background."""

# Where `exit` is called in the thread that runs main, control jumps back to where main was called. From any other
# thread, and from a program that has a process of its own, `exit` is the C library's.
_TEXT = """
@sonde.jump = internal global [32 x i64] zeroinitializer, align 16
@sonde.thread = internal global i64 0
@sonde.status = internal global i32 0

declare i32 @_setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn
declare void @exit(i32) noreturn
declare i64 @pthread_self()
declare i32 @fflush(ptr)
declare void @sonde.run_all(ptr, i32, ptr, ptr)

define void @sonde.exit(i32 %status) noreturn uwtable {
  %self = call i64 @pthread_self()
  %running = load atomic i64, ptr @sonde.thread acquire, align 8
  %here = icmp eq i64 %self, %running
  br i1 %here, label %back, label %end
back:
  store i32 %status, ptr @sonde.status
  call void @longjmp(ptr @sonde.jump, i32 1)
  unreachable
end:
  call void @exit(i32 %status)
  unreachable
}

define i32 @sonde.run_here(i32 %argc, ptr %argv, ptr %envp, ptr %constructors, ptr %main) uwtable {
  %self = call i64 @pthread_self()
  store atomic i64 %self, ptr @sonde.thread release, align 8
  %returned = call i32 @_setjmp(ptr @sonde.jump) returns_twice
  %first = icmp eq i32 %returned, 0
  br i1 %first, label %run, label %end
run:
  call void @sonde.run_all(ptr %constructors, i32 %argc, ptr %argv, ptr %envp)
  %status = call i32 %main(i32 %argc, ptr %argv, ptr %envp)
  store i32 %status, ptr @sonde.status
  br label %end
end:
  store atomic i64 0, ptr @sonde.thread release, align 8
  %flushed = call i32 @fflush(ptr null)
  %result = load i32, ptr @sonde.status
  ret i32 %result
}
"""


class BackgroundRunner:
    """Runs one program at a time in a thread."""

    def __init__(self, engine: Engine) -> None:
        self._code = engine.load("background", [LlvmModule.from_text(_TEXT, "background").object(1)])
        self.exit_address = self._code.addresses[EXIT]
        """To be linked to programs in the place of `exit`."""
        self._thread: threading.Thread | None = None
        self._status = 0

    @property
    def was_started(self) -> bool:
        return self._thread is not None

    @property
    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self, main: int, arguments: Sequence[str], constructors: Sequence[int]) -> None:
        """Run `main` in a new thread. There must be none that runs.

        Args:
            main: its address.
            arguments: `argv`, the program's name first.
            constructors: to be run before, in this order.
        """
        run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, *[ctypes.c_void_p] * 4)(
            self._code.addresses["sonde.run_here"]
        )
        words, listed = string_list(arguments), function_list(constructors)
        take_name(words)
        environment = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "environ").value

        def work() -> None:
            self._status = run(len(arguments), words, environment, listed, main) & 0xFF

        self._thread = threading.Thread(target=work, name="program", daemon=True)
        self._thread.start()

    def wait(self) -> int:
        """The exit status of the program started last, when it has ended."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(timeout=0.1)  # in slices, so that Ctrl-C is heard
        return self._status
