"""The cell of a point: the words of memory through which it is steered while the program runs.

word 0  where to go on: an address, or that of a record (value, address); 0: not known yet
     1  flag: not 0 to fire
     2  how often it was passed less a counter's limit, where all calls are counted together: negative until it fires
     3  how often it fired
     4  not 0: the generator failed, do not ask again
     5  the number of the point, for whoever is asked
     6  the address of whom the stub asks
"""

import ctypes
from enum import IntEnum

Cell = ctypes.Array[ctypes.c_int64]

WORDS = 8
"""A cache line: points that two threads pass do not disturb one another."""


class Word(IntEnum):
    """Places in a cell, in words of 8 bytes."""

    CODE = 0
    FLAG = 1
    PASSED = 2
    FIRED = 3
    FAILED = 4
    NUMBER = 5
    CALLBACK = 6


def word_address(cell: str, word: Word) -> str:
    """The address of a word as a constant of LLVM's.

    >>> word_address("@f.cell", Word.CODE), word_address("@f.cell", Word.FIRED)
    ('@f.cell', 'getelementptr inbounds (i64, ptr @f.cell, i64 3)')
    """
    return cell if word == 0 else f"getelementptr inbounds (i64, ptr {cell}, i64 {int(word)})"
