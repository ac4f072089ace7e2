"""Where in a function samples were, by the debug information of the program that they are of."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import SondeError
from sonde.code.symbols import source_name
from sonde.instruments.decisions.model import NO_OFFSET, Place, Position, Spread

if TYPE_CHECKING:
    from sonde.events import LineTable
    from sonde.jit.object_code import ObjectCode

_LARGEST = 1 << 29
"""Bytes of a program or library that is read."""


class SampledCode:
    """Reads programs and libraries when a sample in them is asked about.

    Args:
        recorded: when the profile was written, in seconds since the epoch: what was built later has other code.
        first_line: where a function begins, if it is known: lines are counted from there, else in the file.
    """

    def __init__(self, recorded: float, first_line: Callable[[str], int | None]) -> None:
        self._recorded = recorded
        self._first_line = first_line
        self._code = cache(self._read)

    def spread(self, file: str, symbol: str, offsets: Sequence[tuple[int, int]]) -> Spread:
        """The inline stacks of samples in a function.

        Args:
            file: that the profile says has the code.
            offsets: byte in the function -> time.
        Returns:
            nothing where the program is not there any more, or has no debug information.
        Cost: as `DebugLines` for each unit of the source that is asked about.
        """
        table, size = self._lines(file, symbol)
        if table is None or any(offset >= size for offset, _ in offsets):
            return ()
        try:
            found = [(self._position(table, offset), period) for offset, period in offsets]
        except SondeError:
            return ()
        return tuple(found) if all(position for position, _ in found) else ()

    def _position(self, table: "LineTable", offset: int) -> Position:
        return tuple(
            Place(name, self._at(name, frame.line))
            for frame in table.frames_at(offset)
            for name in (source_name(frame.function),)
        )

    def _at(self, name: str, line: int) -> int:
        return NO_OFFSET if not line else line - (self._first_line(name) or 0)

    def _lines(self, file: str, symbol: str) -> "tuple[LineTable | None, int]":
        code = self._code(file)
        functions = [] if code is None else [each for each in code.functions if each.name == symbol]
        if code is None or len(functions) != 1:  # of several with the name it is not known which
            return None, 0
        return code.lines_of(functions[0], symbol), functions[0].size

    def _read(self, file: str) -> "ObjectCode | None":
        from sonde.jit.object_code import ObjectCode  # the JIT's room is large

        path = Path(file)
        try:
            about = path.stat()
            if not path.is_file() or about.st_size > _LARGEST or about.st_mtime > self._recorded:
                return None
            return ObjectCode(path.read_bytes(), file, linked=True)
        except (OSError, ValueError, SondeError):
            return None
