"""Bytes of machine code that are changed while threads may run it.

Each change is of one byte, which is a whole instruction: whoever fetches it meanwhile has the one or the other. After
that, `membarrier` has every processor that runs a thread of this process fetch its instructions anew, as Intel's manual
asks (volume 3, "Handling self- and cross-modifying code"): when a change has returned, no thread runs the old byte any
more. Linux changes its own running code so: the first byte of an instruction, then all processors.
"""

import ctypes
import mmap
import os
import platform
import sys
from collections.abc import Sequence
from functools import cache

from sonde.base.errors import MissingCapability

CLEAR_CARRY, SET_CARRY = 0xF8, 0xF9
"""x86-64's `clc` and `stc`."""

_MEMBARRIER = 324
"""Number of the system call on x86-64."""
_SYNC_CORE, _REGISTER_SYNC_CORE = 1 << 5, 1 << 6
"""`MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE`, and what a process must ask for before it."""
_LOADED = mmap.PROT_READ | mmap.PROT_EXEC


@cache
def can_change_code() -> bool:
    """Whether code of this process can be changed: x86-64 under Linux, and no rule of the system against it."""
    if platform.machine() != "x86_64" or not sys.platform.startswith("linux"):
        return False
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page[0] = CLEAR_CARRY
    view = ctypes.c_char.from_buffer(page)
    address = ctypes.addressof(view)
    try:
        if _protect(address, _LOADED):
            return False
        change_code([address], SET_CARRY)
        return page[0] == SET_CARRY
    except MissingCapability:
        return False
    finally:
        del view
        page.close()


def change_code(addresses: Sequence[int], byte: int) -> None:
    """Store a byte at addresses of loaded code; when this returns, every thread runs it.

    Raises:
        MissingCapability: `code-not-writable`.
    """
    for address in addresses:
        if _protect(address, _LOADED | mmap.PROT_WRITE):
            _change_through_proc(address, byte)
        else:
            ctypes.c_ubyte.from_address(address).value = byte
            _protect(address, _LOADED)
    if addresses:
        _meet_all_threads()


def _protect(address: int, protection: int) -> int:
    """Set the protection of the page of an address; returns 0, or -1."""
    start = address & -mmap.PAGESIZE
    return int(ctypes.CDLL(None)["mprotect"](ctypes.c_void_p(start), ctypes.c_size_t(mmap.PAGESIZE), protection))


def _change_through_proc(address: int, byte: int) -> None:
    """Where pages may not be writable and executable at once: as debuggers set their breakpoints."""
    try:
        memory = os.open("/proc/self/mem", os.O_WRONLY)
        try:
            os.pwrite(memory, bytes([byte]), address)
        finally:
            os.close(memory)
    except OSError as error:
        raise MissingCapability(
            f"cannot change the code at {address:#x}: {error.strerror}", slug="code-not-writable"
        ) from error


def _meet_all_threads() -> None:
    """Let every processor that runs a thread of this process fetch anew what it runs next."""
    call = ctypes.CDLL(None)["syscall"]
    call(_MEMBARRIER, _REGISTER_SYNC_CORE, 0, 0)
    call(_MEMBARRIER, _SYNC_CORE, 0, 0)  # a kernel without it has made them do so when the page was protected again
