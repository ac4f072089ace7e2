"""Functions that run before and after `main`: constructors and destructors of a module.

Compilers list them in two arrays that a system's linker knows how to treat. Objects that `LlvmModule` generates have
them as ordinary data, which is read back from memory when the code is loaded.
"""

import ctypes
import struct
from typing import Literal

_ENTRY = struct.Struct("<i4xQQ")
"""Priority, function, and what the function belongs to, which does not matter here."""


def read_startup_functions(address: int, size_bytes: int, which: Literal["before", "after"]) -> list[int]:
    """Addresses of the functions in the order in which they are to run.

    Args:
        address: of a loaded array.
        which: `before` main: lower priorities first, else as listed; `after` it: the other way round.
    """
    entries = list(_ENTRY.iter_unpack(ctypes.string_at(address, size_bytes)))
    ordered = [function for _, function, _ in sorted(entries, key=lambda entry: entry[0]) if function]
    return ordered if which == "before" else ordered[::-1]
