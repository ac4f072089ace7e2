"""Places in source: a file and a line, with what it was inlined into."""

from dataclasses import dataclass

from sonde.code.function import Function


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    """As the function has it; may be a library when no file is known."""
    line: int = 0
    """1-based; 0 when only the file is known."""
    function: Function | None = None
    """Whose line it is, when it is known."""
    inlined_into: tuple["Place", ...] = ()
    """Its callers in the same machine code, the innermost first."""
