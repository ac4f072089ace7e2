"""What a process tells of the units that its Numba compiled: in the file of `told_code`, a line for each library."""

import json
from pathlib import Path

from sonde.instruments.contexts.sources.probes import CompiledUnit, units_of_document

CYCLES_MECHANISM = "numba-late-cycles"
"""With this begins how spools say that they have cycles of what Numba compiled."""
UNITS_KEY = "units of a library"


def read_told_units(folder: Path, pid: int, parent_pid: int) -> tuple[CompiledUnit, ...]:
    """Units of a process by number, or of its parent, as long as it was one with it."""
    for each in (pid, parent_pid):
        try:
            text = (folder / f"{each}.numba").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        return _read(text)
    return ()


def _read(text: str) -> tuple[CompiledUnit, ...]:
    units = list[CompiledUnit]()
    for line in text.splitlines():
        try:
            told = json.loads(line)
            if isinstance(told, dict) and UNITS_KEY in told:
                units += units_of_document(told[UNITS_KEY]).units
        except (ValueError, TypeError, KeyError, IndexError):
            break  # the process was cut off as it wrote: none of these has run
    return tuple(units)
