"""Where the cells of points are."""

import ctypes
import gc
import mmap

from sonde.osr.cell import WORDS
from sonde.osr.cell_memory import CellMemory


def test_cells_are_cache_lines_of_their_own_at_places_that_allocators_seldom_use() -> None:
    memory = CellMemory()
    cells = [memory.new() for _ in range(100)]
    del memory
    gc.collect()
    for number, cell in enumerate(cells):
        assert [*cell] == [0] * WORDS
        cell[:] = [number] * WORDS
    addresses = [ctypes.addressof(each) for each in cells]
    assert len({*addresses}) == len(cells)
    assert all(each % 64 == 0 and each % mmap.PAGESIZE & 0x400 for each in addresses)
    assert [[*each] for each in cells] == [[number] * WORDS for number in range(len(cells))]
