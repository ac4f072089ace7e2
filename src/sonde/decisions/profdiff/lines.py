"""Lines of text, each at a level of indentation."""

from collections.abc import Iterable
from typing import TextIO

Line = tuple[int, str]
"""The level, and the text."""
INDENT = "    "
EMPTY: Line = (0, "")


def write_lines(lines: Iterable[Line], stream: TextIO) -> None:
    """Write lines as they come."""
    stream.writelines(f"{INDENT * level}{text}\n" for level, text in lines)
