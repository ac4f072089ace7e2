"""Memory for the cells of points, at places in pages where few other variables are.

A counter that is stored at each pass slows down loads at the same place of other pages: probably, processors compare
the low 12 bits of addresses first, and let the load wait for the store. glibc's allocator has its most used variables,
the counts and heads of its lists of freed blocks, in about the first 0x310 bytes of the first page of a heap, and from
0x8b0 to 0xbe0 or so in further threads' heaps. A counter at such a place was seen to cost 1.04 to 1.09 in a function
that allocates 16 bytes in 4 ns, and 1.01 to 1.04 elsewhere (`benches/bench_osr_never.py entry`).
"""

import ctypes
import mmap

from sonde.osr.cell import WORDS, Cell

_CELL_BYTES = 8 * WORDS
_USED = 0x400
"""Cells are where this bit of an address is set: in the second and the last quarter of a page."""


class CellMemory:
    """Cells, zeroed; each lives as long as somebody knows it."""

    def __init__(self) -> None:
        self._free: list[tuple[ctypes.Array[ctypes.c_char], int]] = []
        """Buffers, and places in them."""

    def new(self) -> Cell:
        """A cell in a cache line of its own."""
        if not self._free:
            # Private memory: a program under `run` is a copy of this process, and has cells of its own.
            space = ctypes.create_string_buffer(2 * mmap.PAGESIZE)
            start = -ctypes.addressof(space) % mmap.PAGESIZE
            places = range(start, start + mmap.PAGESIZE, _CELL_BYTES)
            self._free = [(space, each) for each in reversed(places) if each - start & _USED]
        return (ctypes.c_int64 * WORDS).from_buffer(*self._free.pop())
