"""Flags as a byte of the code that checks them: setting one changes that byte wherever code has it."""

import ctypes
import struct
import threading

from sonde.base.errors import InternalError
from sonde.jit import LoadedCode
from sonde.osr.cell import Cell, Word
from sonde.osr.code_bytes import CLEAR_CARRY, SET_CARRY, change_code
from sonde.osr.last_step import TABLE, TABLE_END

_ENTRY = struct.Struct("<iQ")
"""From here to the byte of code, and the address of the cell."""


class FlagSwitches:
    """The flags of points, and the places in loaded code that know them.

    It watches an engine. Flags may be set by any thread, while others run, load and unload code.

    Guarantee: a place in the code is as the flag is, from before that code can be called until it is unloaded.
    """

    def __init__(self) -> None:
        self._cells: dict[int, Cell] = {}
        self._places: dict[LoadedCode, list[tuple[int, int]]] = {}
        """Code -> (address of the cell, of the byte)."""
        self._changing = threading.Lock()

    def add(self, cell: Cell) -> None:
        """Know a cell, before code that has it is loaded."""
        self._cells[ctypes.addressof(cell)] = cell

    def set(self, cell: Cell, is_raised: bool) -> None:
        """Raise a flag, or take it down. When this returns, every thread's next check sees it.

        Raises:
            MissingCapability: `code-not-writable`.
        """
        with self._changing:
            cell[Word.FLAG] = int(is_raised)
            change_code(self._bytes_of(ctypes.addressof(cell)), SET_CARRY if is_raised else CLEAR_CARRY)

    def count(self, cell: Cell) -> int:
        """In how many places loaded code checks a flag."""
        with self._changing:
            return len(self._bytes_of(ctypes.addressof(cell)))

    def loaded(self, code: LoadedCode) -> None:
        """Let new code know the flags that are raised."""
        if TABLE not in code.addresses:
            return
        begin, end = code.addresses[TABLE], code.addresses[TABLE_END]
        table = ctypes.string_at(begin, end - begin)
        places = []
        for at, (distance, cell) in enumerate(_ENTRY.iter_unpack(table)):
            if cell in self._cells:
                place = begin + at * _ENTRY.size + distance
                if ctypes.c_ubyte.from_address(place).value != CLEAR_CARRY:
                    raise InternalError(f"cannot find the flag's check in '{code.name}'", slug="flag-place")
                places.append((cell, place))
        with self._changing:
            self._places[code] = places
            raised = [place for cell, place in places if self._cells[cell][Word.FLAG]]
            change_code(raised, SET_CARRY)

    def unloading(self, code: LoadedCode) -> None:
        """Leave code alone whose memory is given back."""
        with self._changing:
            self._places.pop(code, None)

    def _bytes_of(self, cell: int) -> list[int]:
        return [place for places in self._places.values() for known, place in places if known == cell]
