"""Lines of text, each at a level of indentation."""

from collections.abc import Iterable
from typing import Protocol

Line = tuple[int, str]
"""The level, and the text."""
INDENT = "    "
EMPTY: Line = (0, "")


class Sink(Protocol):
    """Where lines go: a text file, or whatever has this of one."""

    def writelines(self, lines: Iterable[str], /) -> None:
        """Write lines with their ends."""


def write_lines(lines: Iterable[Line], stream: Sink) -> None:
    """Write lines as they come."""
    stream.writelines(f"{INDENT * level}{text}\n" for level, text in lines)
