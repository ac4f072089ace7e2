"""Machine code that is made in the measured process: the tool is told of it, and sonde where its lines can be read.

Loaded by its path, by programs that may know nothing of sonde: it needs the standard library only.
`sonde.instruments.memory.source.jit_code` reads what is written here.
"""

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

INDEX = "jit-code"
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2
_FUNCTION, _GLOBAL = 2, 1


class ToldCode:
    """The code of object files, by numbers that are given to their functions as they come."""

    def __init__(self, agent: "Any", folder: str) -> None:
        """
        Args:
            agent: the module `sonde._memory_agent`.
            folder: of the run; objects and an index of their functions are written there.
        """
        self._agent = agent
        self._folder = folder
        self._process = os.getpid()
        self._functions = 0
        self._objects = 0

    def tell(self, image: bytes, address_of: "Callable[[str], int]") -> None:
        """Tell of an object's functions, before they run.

        Args:
            image: a relocatable 64-bit ELF object.
            address_of: where a symbol of it was loaded; asked for one global function of each section.
        """
        if os.getpid() != self._process:
            return  # a fork: it is not measured
        starts: dict[int, int] = {}
        functions = functions_of(image)
        for name, section, offset, _, is_global in functions:
            if is_global and section not in starts:
                starts[section] = address_of(name) - offset
        lines = []
        for name, section, offset, size, _ in functions:
            if section in starts and size:
                self._agent.code_loaded(starts[section] + offset, size, name, self._functions)
                lines.append(f"{self._functions} {self._objects}.o {section} {offset} {size} {name.encode().hex()}\n")
                self._functions += 1
        try:
            with open(os.path.join(self._folder, f"{self._objects}.o"), "wb") as copy:
                copy.write(image)
            with open(os.path.join(self._folder, INDEX), "a", encoding="ascii") as index:
                index.writelines(lines)
        except OSError:
            pass  # its lines will not be known
        self._objects += 1


def functions_of(image: bytes) -> "list[tuple[str, int, int, int, bool]]":
    """Name, section, offset in it, size, and whether it is global but not weak, of each function of an object."""
    (table,) = struct.unpack_from("<Q", image, 0x28)
    entry_size, count = struct.unpack_from("<HH", image, 0x3A)
    if count == 0:  # more sections than the header can say: the first one says it
        (count,) = struct.unpack_from("<Q", image, table + 0x20)
    sections = [_SECTION.unpack_from(image, table + entry_size * number) for number in range(count)]
    found = []
    for _, kind, _, _, start, size, link, _, _, _ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        names = sections[link][4]
        for name_at, info, _, section, offset, extent in _SYMBOL.iter_unpack(image[start : start + size]):
            if info & 15 == _FUNCTION and 0 < section < count:
                end = image.index(b"\0", names + name_at)
                name = image[names + name_at : end].decode("utf-8", "replace")
                found.append((name, section, offset, extent, info >> 4 == _GLOBAL))
    return found
