"""Taking notice of a crash without getting in its way: a handler that is called once, on a stack of its own.

It is taken out as it is called, so that the instruction that failed fails once more when the handler returns, and the
program dies as it would have. A program that sets handlers of its own replaces it.
"""

import ctypes
import os
import signal

_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
_SA_SIGINFO, _SA_ONSTACK, _SA_RESETHAND = 0x4, 0x08000000, 0x80000000
_STACK_BYTES = 64 * 1024
_COUNTER_IN_CONTEXT = {"x86_64": 168}
"""Where `ucontext_t` has the program counter: after flags, link and stack (40 bytes), and sixteen registers."""


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


def counter_offset() -> int | None:
    """Where in its third argument a handler finds the program counter, in bytes; None: not known of this machine."""
    return _COUNTER_IN_CONTEXT.get(os.uname().machine)


def handle_crashes(handler: int) -> "ctypes.Array[ctypes.c_char]":
    """Have `handler` called when this thread, or another of the process, crashes.

    Args:
        handler: address of a `void (int signal, siginfo_t *, void *context)`.
    Returns: the memory of its stack, to be kept as long as it is installed: a stack that is full has no room for it.
    """
    process = ctypes.CDLL(None)
    memory = ctypes.create_string_buffer(_STACK_BYTES)
    stack = _SignalStack(ctypes.addressof(memory), 0, _STACK_BYTES)
    process.sigaltstack(ctypes.byref(stack), None)
    action = _SignalAction(handler=handler)
    action.flags = ctypes.c_int(_SA_SIGINFO | _SA_ONSTACK | _SA_RESETHAND).value
    for number in _CRASHES:
        process.sigaction(int(number), ctypes.byref(action), None)
    return memory
