"""An object file: its sections, where its functions lie in them, its debug sections ready to read.

In an object every section begins at address 0, so two functions of a C++ program may have the same address in its debug
information. Here each code section gets a place of its own, as a linker would give it one, and the debug sections
are relocated to that layout. What is linked already, a program or a library, has its layout.
"""

import struct
import zlib
from dataclasses import dataclass

from sonde.base.errors import InputError

X86_64, AARCH64 = 62, 183

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_COMPRESSION = struct.Struct("<IIQQ")

_RELOCATABLE, _PROGRAM, _SHARED = 1, 2, 3
_SYMBOL_TABLE, _RELOCATIONS, _NO_BITS = 2, 4, 8
_EXECUTABLE, _GROUP, _COMPRESSED = 0x4, 0x200, 0x800
_ZLIB = 1
_FUNCTION = 2
_LOCAL, _WEAK = 0, 2

_ADDRESSES = {X86_64: {1: 8, 10: 4, 11: 4}, AARCH64: {257: 8, 258: 4}}
"""Machine -> relocations that store an address -> its bytes: R_X86_64_64, _32, _32S; R_AARCH64_ABS64, _ABS32."""
_IGNORED = {X86_64: (0, 17, 21), AARCH64: (0, 256, 1028, 1029)}
"""Machine -> relocations that do nothing, or are for thread-local variables, which tell nothing about code."""

_FIRST_PLACE = 0x10000
_GAP = 64
"""The layout begins away from 0, since a pair of zeros ends a list of ranges, and leaves gaps, so that the end of one
section is not the beginning of another."""


@dataclass(frozen=True, slots=True)
class CodeSection:
    """Code that is loaded in one piece."""

    name: str
    place: int
    """Its address in our layout."""
    size: int


@dataclass(frozen=True, slots=True)
class CodeSymbol:
    """A name for a place in a code section."""

    name: str
    section: int
    offset: int
    size: int
    """Bytes; 0 when the object does not say."""
    is_function: bool
    rank: int
    """Which name of a place to show: the lowest. Global 0, weak 1, local 2."""


@dataclass(frozen=True, slots=True)
class _Section:
    name_at: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int


class ElfObject:
    """A 64-bit little-endian ELF object, as LLVM and compilers write it.

    Limits: fewer than 65,280 sections. Of type units (`-fdebug-types-section`) nothing is read.
    """

    def __init__(self, image: bytes, name: str, *, linked: bool = False) -> None:
        """
        Args:
            image: the whole file.
            name: what errors call it.
            linked: it is a program or a shared library, not an object that is yet to be linked.
        Raises:
            InputError: `bad-object`.
        """
        self.name = name
        self._image = image
        self._is_linked = linked
        try:
            self._sections = self._read_sections()
            self._names = [self._string(self._names_section, each.name_at) for each in self._sections]
            self.code = self._lay_out()
            """Number of the section -> section, for those that hold code."""
            self._values: list[int] = []
            self.symbols = self._read_symbols()
            """All names in code sections, in the order of the file."""
        except (struct.error, IndexError, ValueError, OverflowError) as error:
            raise self.bad("it is cut off or damaged") from error

    def debug_section(self, name: str) -> bytes | None:
        """A section of debug information, relocated to our layout; None when there is none of that name.

        Raises:
            InputError: `bad-object`.
        """
        for number, section in enumerate(self._sections):
            if self._names[number] == name and not section.flags & _GROUP and section.kind != _NO_BITS:
                try:
                    return self._relocated(number)
                except (struct.error, IndexError, ValueError, OverflowError, zlib.error) as error:
                    raise self.bad(f"its section {name} is cut off or damaged") from error
        return None

    def bad(self, fact: str) -> InputError:
        """The error that says what is wrong with this object."""
        return InputError(f"cannot read the object '{self.name}': {fact}", slug="bad-object")

    def _read_sections(self) -> list[_Section]:
        ident, kind, machine, _, _, _, table_at, *_, entry_size, count, self._names_section = _HEADER.unpack_from(
            self._image
        )
        if ident[:6] != b"\x7fELF\x02\x01":
            raise self.bad("it is not 64-bit little-endian ELF")
        if self._is_linked and kind not in (_PROGRAM, _SHARED):
            raise self.bad("it is no program and no shared library")
        if not self._is_linked and kind != _RELOCATABLE:
            raise self.bad("it is linked already, or a core dump")
        if machine not in _ADDRESSES:
            raise self.bad(f"it is for machine {machine}, known are {X86_64} (x86-64) and {AARCH64} (AArch64)")
        if count == 0:
            raise self.bad("it has no sections, or too many")
        self.machine = int(machine)
        found = []
        for number in range(count):
            name_at, kind, flags, address, offset, size, link, info, _, _ = _SECTION.unpack_from(
                self._image, table_at + entry_size * number
            )
            found.append(_Section(name_at, kind, flags, address, offset, size, link, info))
        return found

    def _bytes(self, number: int) -> bytes:
        section = self._sections[number]
        data = self._image[section.offset : section.offset + section.size]
        if len(data) < section.size:
            raise ValueError("section beyond the end of the file")
        if section.flags & _COMPRESSED:
            method, _, size, _ = _COMPRESSION.unpack_from(data)
            if method != _ZLIB:
                raise self.bad(f"section {self._names[number]} is compressed by method {method}, known is zlib")
            # A size of our own choosing: a damaged one must not ask for all memory.
            return zlib.decompressobj().decompress(data[_COMPRESSION.size :], max(size, 1))
        return data

    def _string(self, section: int, at: int) -> str:
        start = self._sections[section].offset + at
        return self._image[start : self._image.index(b"\0", start)].decode("utf-8", "surrogateescape")

    def _lay_out(self) -> dict[int, CodeSection]:
        found = {}
        place = _FIRST_PLACE
        for number, section in enumerate(self._sections):
            if section.flags & _EXECUTABLE and section.kind != _NO_BITS:
                here = section.address if self._is_linked else place
                found[number] = CodeSection(self._names[number], here, section.size)
                place += section.size + _GAP
        return found

    def _read_symbols(self) -> list[CodeSymbol]:
        found = []
        for number, section in enumerate(self._sections):
            if section.kind != _SYMBOL_TABLE:
                continue
            for name_at, info, _, where, value, size in _SYMBOL.iter_unpack(self._bytes(number)):
                code = self.code.get(where)
                # What is linked has addresses here, an object offsets.
                offset = value - code.place if code and self._is_linked else value
                self._values.append(offset + code.place if code else value)
                name = self._string(section.link, name_at) if code else ""
                if name:
                    binding = info >> 4
                    rank = 2 if binding == _LOCAL else 1 if binding == _WEAK else 0
                    found.append(CodeSymbol(name, where, offset, size, info & 15 == _FUNCTION, rank))
        return found

    def _relocated(self, number: int) -> bytes:
        data = bytearray(self._bytes(number))
        if self._is_linked:
            return bytes(data)
        widths, ignored = _ADDRESSES[self.machine], _IGNORED[self.machine]
        for each, section in enumerate(self._sections):
            if section.kind != _RELOCATIONS or section.info != number:
                continue
            for at, info, addend in _RELOCATION.iter_unpack(self._bytes(each)):
                width = widths.get(info & 0xFFFFFFFF)
                if width is not None:
                    value = (self._values[info >> 32] + addend) & ((1 << 8 * width) - 1)
                    if at + width > len(data):
                        raise ValueError("relocation beyond the end of its section")
                    data[at : at + width] = value.to_bytes(width, "little")
                elif info & 0xFFFFFFFF not in ignored:
                    raise self.bad(f"section {self._names[number]} has a relocation of type {info & 0xFFFFFFFF}")
        return bytes(data)
