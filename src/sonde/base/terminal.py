"""What a stream may be written to as a terminal: with colours, and over what was written before.

One rule for all that sonde prints. `NO_COLOR` (https://no-color.org) says that no colours are wanted, whatever the
stream; `FORCE_COLOR` or `CLICOLOR_FORCE` that they are, also in a file or a pipe, as in CI; an empty value, or 0 for
those that ask, is as if not given. Otherwise colours are for terminals whose `TERM` has them, unless `CLICOLOR=0`.
"""

import os
from typing import TextIO

_ASK_FOR_COLOUR = ("FORCE_COLOR", "CLICOLOR_FORCE")
_WITHOUT_MOVES = ("dumb", "")
"""Values of TERM: such a terminal, or none, goes on to the next line and nowhere else."""


def wants_colour(stream: TextIO) -> bool:
    """Whether text is to be coloured on a stream."""
    variables = os.environ
    if variables.get("NO_COLOR"):
        return False
    if any(variables.get(each, "0") not in ("", "0") for each in _ASK_FOR_COLOUR):
        return True
    return variables.get("CLICOLOR") != "0" and variables.get("TERM") != "dumb" and stream.isatty()


def can_write_over(stream: TextIO) -> bool:
    """Whether lines that stand on a stream can be written anew."""
    return stream.isatty() and os.environ.get("TERM", "dumb") not in _WITHOUT_MOVES


def columns_of(stream: TextIO, when_unknown: int = 80) -> int:
    """How wide a stream is: as `COLUMNS` says, else as the terminal does."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or when_unknown
    except (OSError, ValueError, AttributeError):  # not a terminal, closed, or not a file at all
        return when_unknown
