"""A program's `main` in this process, as if the process had been made for it."""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from sonde.jit.engine import LoadedCode, function_list
from sonde.jit.heap import use_up_free_chunks
from sonde.jit.runtime import START

_LC_ALL = 6
_TERMINAL_BUFFER = 1024
"""What the C library takes for a terminal; for a file, it asks the system."""
_COERCED = b"LC_CTYPE"
"""Python sets this variable for itself where the locale is C (PEP 538)."""


def run_main(code: LoadedCode, arguments: Sequence[str], constructors: Sequence[int] | None = None) -> NoReturn:
    """Run constructors, `main`, what it left for its end, and end this process as the program ends.

    Must be called in the main thread of a process with no other.

    Args:
        code: with a `main`.
        arguments: `argv`, the program's name first.
        constructors: to be run first, if not those of `code`.
    """
    argv = string_list(arguments)
    take_name(argv)
    before = function_list(code.constructors if constructors is None else constructors)
    after = function_list(code.destructors)
    start = ctypes.CFUNCTYPE(None, ctypes.c_int, *[ctypes.c_void_p] * 5)(code.addresses[START])
    environment = leave_no_trace_of_python()
    use_up_free_chunks()
    start(len(arguments), argv, environment, before, after, code.addresses["main"])
    raise AssertionError("exit returned")


def leave_no_trace_of_python() -> int:
    """Put back what Python changed in this process when it started. Returns where the environment is."""
    for stream, given in ((sys.stdout, sys.__stdout__), (sys.stderr, sys.__stderr__)):
        if stream is not None:
            stream.flush()
            if given is None:  # it was closed, and is to be found closed
                os.close(stream.fileno())
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python itself
        signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it was ignored before Python started
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    process = ctypes.CDLL(None)
    process.setlocale(_LC_ALL, b"C")
    if getattr(sys.__stdout__, "write_through", False):  # with -u, Python took the buffers of the C library too
        for descriptor, name in enumerate(("stdin", "stdout")):
            _buffer(process, descriptor, name)
    if not any(variable.startswith(_COERCED + b"=") for variable in _given_environment()):
        os.unsetenv(_COERCED)
    return ctypes.c_void_p.in_dll(process, "environ").value or 0


def _buffer(process: ctypes.CDLL, descriptor: int, name: str) -> None:
    """Let a stream of the C library's have the buffer that it has at first."""
    try:
        line_by_line, size = os.isatty(descriptor), os.fstat(descriptor).st_blksize
    except OSError:  # closed
        return
    size = _TERMINAL_BUFFER if line_by_line else size
    stream = ctypes.c_void_p.in_dll(process, name)
    buffer = ctypes.create_string_buffer(size)
    _KEPT.append(buffer)
    process.setvbuf(stream, buffer, int(line_by_line), ctypes.c_size_t(size))  # 0: by blocks, 1: by lines


def _given_environment() -> list[bytes]:
    try:
        return Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:
        return [_COERCED + b"="]


def take_name(argv: "ctypes.Array[ctypes.c_void_p]") -> None:
    """Let the C library call the program by its own name in messages (assert, err, error), not by Python's."""
    process, whole = ctypes.CDLL(None), argv[0]
    assert whole is not None  # a program has a name
    short = whole + ctypes.string_at(whole).rfind(b"/") + 1
    ctypes.c_void_p.in_dll(process, "program_invocation_name").value = whole
    ctypes.c_void_p.in_dll(process, "program_invocation_short_name").value = short


def string_list(words: Sequence[str]) -> "ctypes.Array[ctypes.c_void_p]":
    """Words as `argv` has them: writable, as programs may write there, and for the life of the process."""
    buffers = [ctypes.create_string_buffer(os.fsencode(word)) for word in words]
    array = (ctypes.c_void_p * (len(words) + 1))(*map(ctypes.addressof, buffers), None)
    _KEPT.extend(buffers)
    return array


_KEPT: "list[ctypes.Array[ctypes.c_char]]" = []
"""Arguments and buffers live as long as the process."""
