"""Where something was decided, in words: the place in its method, and through which calls it came there."""

from sonde.base.fitted_text import printable
from sonde.instruments.decisions.model import NO_OFFSET, DecisionRun, Place

_LONGEST_FILE = 40
"""Letters of a file's name on a terminal."""


def offset_text(run: DecisionRun, method: str | None, at: int, column: int = 0) -> str:
    """The place in a method: `bci 12`, or `map.c:31:5` where the file is known, or `line 31`; empty for none.

    >>> run = DecisionRun("r", "graal", "bytecode index", [])
    >>> offset_text(run, "a()", 12), offset_text(run, "a()", -1), offset_text(run, "a()", -6)
    ('bci 12', '', 'bci -6')
    """
    if at == NO_OFFSET:
        return ""
    if run.offsets == "bytecode index":
        return f"bci {at}"
    column_text = f":{column}" if column else ""
    source = None if method is None else run.source_line(method, at)
    return f"{_short_file(source[0])}:{source[1]}{column_text}" if source else f"line {at}{column_text}"


def _short_file(path: str) -> str:
    """The name of a file without its folders."""
    name = printable(path.replace("\\", "/").rpartition("/")[2])
    return name if len(name) <= _LONGEST_FILE else f"…{name[-_LONGEST_FILE:]}"


def place_text(run: DecisionRun, place: Place) -> str:
    """The place without its method."""
    return offset_text(run, place.method, place.at, place.column) or f"bci {place.at}"
