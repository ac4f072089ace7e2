"""The stub as machine code of x86-64: the first point of a process need not wait for a compiler and a linker.

It is what LLVM makes of `stub`'s text, but for the address of `__errno_location`, which is part of the code, so that
nothing is left to link. A page has the code, and what unwinders want to know of it.
"""

import ctypes
import mmap
import platform
import struct
import sys
from contextlib import suppress

_CODE = bytes.fromhex(
    "41524151415057565251554157415653488b47204885c0740431c0eb244889fb48b800000000000000004989f6ffd049"
    "89c78b28488b7b284c89f6ff533041892f5b415e415f5d595a5e5f41584159415ac3"
)
_ERRNO_AT = 34
"""Where the code has the address of `__errno_location`."""
_FRAMES = bytes.fromhex(
    "1400000000000000017a5200017810011b0c0708900100006c0000001c000000000000005200000000420e10420e1842"
    "0e20410e28410e30410e38410e40410e48420e50420e58410e60830c8e0b8f0a86098208810784068505880489038a02"
    "720e58420e50420e48410e40410e38410e30410e28410e20420e18420e10420e0800000000000000"
)
"""Its part of `.eh_frame`, at `_FRAMES_AT` of the page."""
_FRAMES_AT, _BEGIN_AT = 128, 32
"""Where that says, relative to the place itself, where the code begins."""


def prepared_stub() -> int | None:
    """The address of the stub, loaded anew; None where there is none for the processor, or code may not be put."""
    if platform.machine() != "x86_64" or not sys.platform.startswith("linux"):
        return None
    process = ctypes.CDLL(None)
    errno = ctypes.cast(process["__errno_location"], ctypes.c_void_p).value or 0
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page[: len(_CODE)] = _CODE
    page[_FRAMES_AT : _FRAMES_AT + len(_FRAMES)] = _FRAMES
    struct.pack_into("<Q", page, _ERRNO_AT, errno)
    struct.pack_into("<i", page, _FRAMES_AT + _BEGIN_AT, -(_FRAMES_AT + _BEGIN_AT))
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    if process.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ | mmap.PROT_EXEC):
        return None
    _KEPT.append(page)
    with suppress(OSError, AttributeError):  # who unwinds by other means does not need it
        ctypes.CDLL("libgcc_s.so.1")["__register_frame"](ctypes.c_void_p(address + _FRAMES_AT))
    return address


_KEPT: list[mmap.mmap] = []
"""Code that runs may come back to them at any time."""
