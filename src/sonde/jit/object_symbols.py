"""The symbols of an object file: what it defines, what it needs, and what lies where once it is loaded."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from sonde.base.errors import InputError, InternalError

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMTAB = 2
_UNDEFINED = 0
_LOCAL, _WEAK = 0, 2
_FUNCTION, _CHOSEN_AT_START = 2, 10


@dataclass(frozen=True, slots=True)
class ObjectSymbol:
    """A named place in a section, or the name of one that is elsewhere."""

    name: str
    section: int
    """Number of the section; 0: not in this object."""
    offset: int
    """Within the section."""
    size_bytes: int
    is_local: bool
    """Other objects cannot refer to it."""
    is_weak: bool
    """When undefined: it may be missing, its address is then 0."""
    is_function: bool

    @property
    def is_defined(self) -> bool:
        return self.section != _UNDEFINED


def ifunc_refused(name: str) -> InputError:
    """The error for a function whose code is chosen when a program starts."""
    return InputError(
        f"cannot load '{name}': its code is chosen when a program starts (ifunc), which the JIT cannot do",
        slug="ifunc",
        hint="define it without the attribute, or as a function that chooses",
    )


def read_object_symbols(image: bytes) -> list[ObjectSymbol]:
    """The named symbols of a 64-bit little-endian ELF object, in the order of the file.

    Raises:
        InputError: `ifunc`.
    """
    if image[:6] != b"\x7fELF\x02\x01":
        raise InternalError("cannot read an object: it is not 64-bit little-endian ELF", slug="not-an-object")
    (table_at,) = struct.unpack_from("<Q", image, 0x28)
    entry_size, count = struct.unpack_from("<HH", image, 0x3A)
    if count == 0:  # more sections than the header can say: the first one says it
        (count,) = struct.unpack_from("<Q", image, table_at + 0x20)
    sections = [_SECTION.unpack_from(image, table_at + entry_size * number) for number in range(count)]
    found = []
    for section in sections:
        if section[1] != _SYMTAB:
            continue
        start, size, linked = section[4], section[5], sections[section[6]]
        names = image[linked[4] : linked[4] + linked[5]]
        for name_at, info, _, where, offset, extent in _SYMBOL.iter_unpack(image[start : start + size]):
            if name_at:
                name = names[name_at : names.index(b"\0", name_at)].decode("utf-8", "surrogateescape")
                binding, kind = info >> 4, info & 15
                if kind == _CHOSEN_AT_START:
                    raise ifunc_refused(name)
                found.append(
                    ObjectSymbol(name, where, offset, extent, binding == _LOCAL, binding == _WEAK, kind == _FUNCTION)
                )
    return found


def function_at(image: bytes, addresses: Mapping[str, int], address: int) -> str | None:
    """The function that `address` lies in, of an object that is loaded.

    Args:
        addresses: of symbols of the object; each section was loaded as one piece.
    """
    symbols = read_object_symbols(image)
    starts = {
        symbol.section: addresses[symbol.name] - symbol.offset
        for symbol in symbols
        if symbol.is_defined and not symbol.is_local and symbol.name in addresses
    }
    for symbol in symbols:
        if symbol.is_function and symbol.section in starts:
            offset = address - starts[symbol.section] - symbol.offset
            if 0 <= offset < symbol.size_bytes:
                return symbol.name
    return None
