"""Run a command whose system calls of some names are refused, as in a strict container:

    python refused_calls.py process_vm_readv,memfd_create ENOSYS COMMAND [ARGS ...]

A filter of seccomp that the command and all that it starts keep. x86-64 only.
"""

import ctypes
import errno
import os
import struct
import sys

NUMBERS = {
    "ptrace": 101,
    "setpriority": 141,
    "sched_setaffinity": 203,
    "timer_create": 222,
    "perf_event_open": 298,
    "process_vm_readv": 310,
    "memfd_create": 319,
    "pidfd_open": 434,
}
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _EQUALS, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


def refuse(names: list[str], error: int) -> None:
    """Refuse them from now on, in this process and those to come, with an error number."""
    steps = [(_LOAD, 0, 0, 0)]  # the number of the call
    for left, name in enumerate(reversed(names), 1):
        steps.insert(1, (_EQUALS, left, 0, NUMBERS[name]))
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | error)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SECCOMP, _FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls can be set here")


if __name__ == "__main__":
    refuse(sys.argv[1].split(","), getattr(errno, sys.argv[2]))
    os.execvp(sys.argv[3], sys.argv[3:])
