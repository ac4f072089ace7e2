"""Paths of Python programs: what sonde counts, and what a log of all instructions says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import sonde
from interpreters import build_agent
from sonde.instruments.paths.sources.cpython import PathRun, read_counted_run
from sonde.instruments.paths.sources.cpython.running import environment_with_probes
from sonde.launch.burst_clock import BURSTS

_ORACLES = Path(__file__).with_name("oracles")
_MOST, _PAGE = 1 << 20, 4096
Counts = dict[str, tuple[int, dict[str, int]]]
"""`name:line` -> activations, and how often each sequence came."""


class PathCounts(NamedTuple):
    """A run, and what it counted."""

    printed: str
    ended: int
    counts: Counts
    losses: dict[str, int]


def package_for(python: Path, folder: Path, cache: str) -> Path:
    """A folder with sonde and its agent for a Python."""
    package = Path(sonde.__file__).parent
    if str(python) == sys.executable:
        return package
    here = folder / "for" / python.parts[-3] / "sonde"
    if not here.exists():
        here.mkdir(parents=True)
        for each in package.iterdir():
            (here / each.name).symlink_to(each)
        assert build_agent(python, here, cache, "_path_agent")
    return here


def count_paths(
    python: Path,
    package: Path,
    folder: Path,
    program: Path,
    k: int,
    *functions: str,
    by_events: bool = False,
    most: int = _MOST,
    bursts: bytes | None = None,
) -> PathCounts:
    """Run a program with probes.

    Args:
        most: nodes of the forest.
        bursts: the beginning of the file by which they are switched; None: they are not.
    """
    folder.mkdir()
    if bursts is not None:
        (folder / BURSTS).write_bytes(bursts.ljust(_PAGE, b"\0"))
    environment = environment_with_probes(folder, PathRun(k, most, functions, by_events), package)
    run = subprocess.run([python, program], capture_output=True, text=True, env=environment)
    assert not list(folder.glob("*.refused")), [each.read_text() for each in folder.glob("*.refused")]
    profile = read_counted_run(folder, k, _MOST)
    profile.check_valid()
    counts: Counts = {}
    for routine in profile.routines:
        forest = routine.forest
        words = [" ".join(map(str, path)) for path in forest.paths()]
        key = f"{routine.function.name}:{routine.function.first_line}"
        counts[key] = (routine.activations, dict(zip(words, forest.counts, strict=True)))
    return PathCounts(
        run.stdout + run.stderr, run.returncode, counts, {each.kind: each.amount for each in profile.losses}
    )


def paths_by_log(python: Path, package: Path, folder: Path, program: Path, k: int) -> Counts:
    """The same by every instruction that the program ran."""
    log, out = folder / "log.json", folder / "counts.json"
    subprocess.run([python, _ORACLES / "instruction_log.py", log, program], check=True, capture_output=True)
    recount = [str(each) for each in (python, _ORACLES / "recount_paths.py", log, program, k, out)]
    subprocess.run(recount, check=True, env={**os.environ, "PYTHONPATH": str(package.parent)})
    found = json.loads(out.read_text())
    return {key: (activations, sequences) for key, (activations, sequences) in found.items()}


def without_twins(counts: Counts) -> Counts:
    """Without functions that have their name and line in common with others."""
    twins = {key.replace(key[key.index(" #") : key.rindex(":")], "") for key in counts if " #" in key}
    return {key: value for key, value in counts.items() if " #" not in key and key not in twins}


def run_plainly(python: Path, program: Path) -> tuple[str, int]:
    """What it prints, and how it ends."""
    run = subprocess.run([python, program], capture_output=True, text=True)
    return run.stdout + run.stderr, run.returncode
