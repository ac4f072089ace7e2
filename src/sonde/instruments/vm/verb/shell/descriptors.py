"""File descriptors of the worker's own, where programs do not expect any."""

import fcntl
import os

_FIRST = 100
"""Programs find descriptor 3 free, as if they ran alone."""


def out_of_the_way(descriptor: int) -> int:
    """Give a descriptor a high number, not to be inherited by what a program executes."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST)
    except OSError:  # few descriptors are allowed
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved


def open_standard_streams() -> None:
    """Where the shell's were closed, nothing else is to take their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
