"""Programs with cycle probes, run by a clock that they move on themselves, so that the truth is known."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from measuring import environment
from oracle_libraries import oracle_library
from real_programs import Check
from sonde.native import UnitCycles

_HERE = Path(__file__).parent
_NATIVE = _HERE.parent / "native"
_LIBRARY = ("probes/own_memory.c", "probes/thread_spools.c", "probes/unit_cycles.c", "core/base/cells.c")


class Ran(NamedTuple):
    """What a program did: its status, and what it printed, in hexadecimal."""

    status: int
    stdout: str
    stderr: str


class Cycled(NamedTuple):
    """A run with probes, and one without."""

    plain: Ran
    probed: Ran
    truth: dict[str, int]
    """Name -> ticks."""
    found: dict[str, UnitCycles]
    """Name -> of all threads; numbers of functions say nothing."""
    dropped: int
    lost: int


def cycled(
    files: Sequence[Path], runs: Sequence[Check], folder: Path, *, options: Sequence[str] = ("-w",),
    libraries: Sequence[str] = (), share: float = 0.0, follow: bool = True, level: int = 2,
) -> list[Cycled]:  # fmt: skip
    """Run a program, with probes and without.

    Args:
        share: of a function's time that measuring may take; 0: all is measured.
    """
    folder.mkdir(exist_ok=True)
    included = ["-include", str(_NATIVE / "probes/own_memory.h"), "-include", str(_HERE / "oracles/told_clock.h")]
    library = oracle_library("told_clock", *included, *(str(_NATIVE / each) for each in _LIBRARY))
    request = {
        "files": list(map(str, files)), "options": list(options), "level": level, "libraries": list(libraries),
        "folder": str(folder), "probes": str(library), "share": share, "follow": follow,
        "runs": [[each.arguments, str(each.stdin or "/dev/null"), list(map(str, each.fresh))] for each in runs],
    }  # fmt: skip
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    command = [sys.executable, str(_HERE / "cycle_server.py"), str(folder / "request.json")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment(), check=True)
    return [_read(json.loads(line)) for line in done.stdout.splitlines()]


def _read(told: dict[str, object]) -> Cycled:
    found = {name: UnitCycles(0, *values) for name, values in told.pop("found").items()}  # type: ignore[attr-defined]
    return Cycled(Ran(*told.pop("plain")), Ran(*told.pop("probed")), found=found, **told)  # type: ignore[misc,arg-type]
