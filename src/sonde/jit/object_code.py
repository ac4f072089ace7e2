"""From an object file and the addresses it was loaded at to a map of its code."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from sonde.base.errors import InternalError
from sonde.events import CodeRange, LineTable
from sonde.jit.debug_lines import DebugLines
from sonde.jit.elf_object import CodeSymbol, ElfObject


@dataclass(frozen=True, slots=True)
class PlacedCode:
    """Where an object's functions came to lie."""

    ranges: tuple[CodeRange, ...]
    """By address."""
    unmapped: tuple[str, ...]
    """Functions of which it is not known, since no symbol of their section is."""


@dataclass(frozen=True, slots=True)
class ObjectFunction:
    """A function's code, or a part of it, in an object."""

    name: str
    """The symbol's."""
    section: int
    offset: int
    size: int


class ObjectCode:
    """The functions of an object file, with their lines.

    Lines are read from debug information when they are looked at; until then the object's bytes are kept.
    """

    def __init__(self, image: bytes, name: str = "object", *, linked: bool = False) -> None:
        """
        Args:
            image: a relocatable ELF object.
            name: what errors call it.
            linked: it is a program or a shared library instead.
        Raises:
            InputError: `bad-object`.
        """
        self._image = ElfObject(image, name, linked=linked)
        self._lines = DebugLines(self._image)
        self.functions = tuple(_functions(self._image))
        """By section and offset. Of several names for one place the most visible one, then the first, is kept; what
        begins inside of another function is part of that."""

    def place(self, addresses: Mapping[str, int], version: str = "", named: Callable[[str], str] = str) -> PlacedCode:
        """Say where the functions are.

        Args:
            addresses: symbol -> where it was loaded. One symbol tells about all of its section; what this object does
                not define is ignored, and so are names that it has several places for. Of a symbol that several
                objects define, only the one that was taken may be asked with it.
            version: what to call this way to run the functions.
            named: symbol -> what the function is to be called, if not as the symbol.
        Raises:
            InternalError: `torn-section`: two symbols of a section are not as far apart as in the object.
        """
        places = Counter(each.name for each in self._image.symbols)
        starts: dict[int, int] = {}
        for symbol in self._image.symbols:
            if symbol.name in addresses and places[symbol.name] == 1:
                start = addresses[symbol.name] - symbol.offset
                if starts.setdefault(symbol.section, start) != start:
                    section, expected = self._image.code[symbol.section].name, starts[symbol.section] + symbol.offset
                    raise InternalError(
                        f"cannot map section '{section}': '{symbol.name}' was loaded at {addresses[symbol.name]:#x}, "
                        f"others say {expected:#x}",
                        slug="torn-section",
                    )
        ranges = [
            CodeRange(
                starts[each.section] + each.offset,
                each.size,
                named(each.name),
                version,
                self.lines_of(each, named(each.name)),
            )
            for each in self.functions
            if each.section in starts
        ]
        ranges.sort(key=lambda each: each.start)
        return PlacedCode(tuple(ranges), tuple(each.name for each in self.functions if each.section not in starts))

    def placed(self, distance: int) -> tuple[CodeRange, ...]:
        """Where the functions of a program or library are, by address.

        Args:
            distance: how far above what its file says it was loaded, in bytes.
        """
        return tuple(
            CodeRange(
                self._image.code[each.section].place + each.offset + distance,
                each.size,
                each.name,
                lines=self.lines_of(each),
            )
            for each in sorted(self.functions, key=lambda each: self._image.code[each.section].place + each.offset)
        )

    def lines_of(self, function: ObjectFunction, name: str = "") -> LineTable:
        """The line table of one of `functions`; `name` is for what debug information does not name."""
        low = self._image.code[function.section].place + function.offset
        return LineTable.later(partial(self._lines.rows, low, low + function.size, name or function.name))


def _functions(image: ElfObject) -> Iterator[ObjectFunction]:
    best: dict[tuple[int, int], CodeSymbol] = {}
    for symbol in image.symbols:
        if symbol.is_function:
            where = (symbol.section, symbol.offset)
            if where not in best or symbol.rank < best[where].rank:
                best[where] = symbol
    done = (-1, 0)
    for place, after in pairwise([*sorted(best), (-1, 0)]):
        symbol = best[place]
        section_end = image.code[symbol.section].size
        # Assembly often does not say how long a function is: up to the next one.
        next_start = after[1] if after[0] == symbol.section else section_end
        end = min(symbol.offset + symbol.size if symbol.size else next_start, section_end)
        if place >= done and end > symbol.offset:
            done = (symbol.section, end)
            yield ObjectFunction(symbol.name, symbol.section, symbol.offset, end - symbol.offset)
