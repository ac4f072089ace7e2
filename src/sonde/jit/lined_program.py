"""A program with debug information for lines and inlined calls, and with the code that it would have without."""

from collections.abc import Sequence
from pathlib import Path

from sonde.base.steps import Steps
from sonde.jit.lone_program import LinkedProgram, link_program

_LINES_ONLY = "-gline-tables-only"
"""Lines and inlined calls without variables, which take as long again to compile and to read. It leaves out the names
of the linker, which C++ needs. Neither changes what the optimiser does, as `-fdebug-info-for-profiling` would."""


def link_with_lines(
    files: Sequence[str], options: Sequence[str], level: int | None, steps: Steps | None = None
) -> LinkedProgram:
    """As `link_program`.

    Raises:
        InputError, UsageError, MissingCapability: as that.
    """
    lines = _LINES_ONLY if all(Path(file).suffix == ".c" for file in files) else "-g"
    return link_program(files, [lines, *options], level=level, steps=steps)
