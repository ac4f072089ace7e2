"""Line tables with inline stacks, from an object's debug information."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import TypeVar

from sonde.base.errors import SondeError
from sonde.events import CodeFrame, LineRow
from sonde.jit.debug_unit import DebugUnit, Inlining, SourceLine, Span, read_unit, read_unit_spans
from sonde.jit.elf_object import ElfObject

_Value = TypeVar("_Value")


class DebugLines:
    """What an object's debug information (DWARF 4 or 5) says of its code.

    Nothing is read before it is asked for, and then one compile unit: reading the debug information of a large one
    takes seconds.
    """

    def __init__(self, image: ElfObject) -> None:
        self._image = image
        self._where: list[tuple[int, list[Span]]] | None = None
        self._units: dict[int, DebugUnit] = {}

    def rows(self, low: int, high: int, name: str) -> list[LineRow]:
        """The line table of one function's code.

        Args:
            low: address of its first byte, in the layout of the object.
            high: the first address behind it.
            name: what to call the function where debug information does not.
        Raises:
            InputError: `bad-object`.
            MissingCapability: `no-debug-reader`.
        """
        rows: list[LineRow] = []
        for address, frames in _stacks(self._units_within(low, high), low, high, name):
            if not rows or rows[-1].frames != frames:
                rows.append(LineRow(address - low, frames))
        return rows

    def _units_within(self, low: int, high: int) -> list[DebugUnit]:
        try:
            if self._where is None:
                self._where = read_unit_spans(self._image)
            found = []
            for offset, spans in self._where:
                if any(span.low < high and low < span.high for span in spans):
                    if offset not in self._units:
                        self._units[offset] = read_unit(self._image, offset)
                    found.append(self._units[offset])
            return found
        except SondeError:
            raise
        except Exception as error:  # pyelftools meets what is damaged with errors of every kind
            raise self._image.bad("its debug information is damaged") from error


def _stacks(units: list[DebugUnit], low: int, high: int, name: str) -> Iterator[tuple[int, tuple[CodeFrame, ...]]]:
    """The inline stack at every address in the span where it may change, by address."""
    lines = [row for unit in units for row in unit.lines_within(low, high)]
    inlinings = [each for unit in units for part in unit.functions_within(low, high) for each in part.inlinings]
    ends = {end for row in lines for end in row.span} | {end for span, _ in inlinings for end in span}
    cuts = sorted(end for end in ends | {low} if low <= end < high)
    line_at: list[SourceLine | None] = [None] * len(cuts)
    inlining_at: list[Inlining | None] = [None] * len(cuts)
    for row in lines:
        _paint(line_at, cuts, row.span, row)
    for span, inlining in inlinings:  # outer ones first, so that the innermost one stays
        _paint(inlining_at, cuts, span, inlining)
    known: dict[tuple[Inlining | None, str, int, int], tuple[CodeFrame, ...]] = {}
    for cut, line, inside in zip(cuts, line_at, inlining_at, strict=True):
        place = ("", 0, 0) if line is None else line[1:]
        key = (inside, *place)
        if key not in known:
            known[key] = tuple(_frames(inside, *place, name))
        yield cut, known[key]


def _paint(column: list[_Value], cuts: list[int], span: Span, value: _Value) -> None:
    """Set `value` at all cuts in the span."""
    first, behind = bisect_left(cuts, span.low), bisect_left(cuts, span.high)
    column[first:behind] = [value] * (behind - first)


def _frames(inlining: Inlining | None, file: str, line: int, column: int, name: str) -> Iterator[CodeFrame]:
    """From the innermost function outwards; each next place is where the call was."""
    if inlining is None:
        yield CodeFrame(name, file, line, column)
    inside = inlining
    while inside is not None:
        yield CodeFrame(inside.function or name, file, line, column)
        file, line, column = inside.file, inside.line, inside.column
        inside = inside.into
