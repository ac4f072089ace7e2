"""What functions of a Python program have counted, as a profile."""

import json
import mmap
from array import array
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from sonde.base.errors import MissingCapability
from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.paths.profile import NO_PARENT, PathProfile, PathRoutine, PathTree, function_key
from sonde.native import read_slab_file


class _Told(NamedTuple):
    """What one process told beside its counts."""

    functions: dict[int, Function]
    split: list[str]
    failed: list[str]
    lost: dict[str, int]


def read_counted_run(folder: Path, k: int, most: int) -> PathProfile:
    """The profile of a run: of the process that was measured.

    Args:
        most: sequences that are listed at most.
    Raises:
        MissingCapability: `no-paths-measured`, no Python in it could be measured.
    """
    told, routines, floor = _Told({}, [], [], {}), [], 0
    for counts in sorted(folder.glob("*.paths")):
        told = _told(counts.with_suffix(".routines"))
        found, floor = _routines(counts, k, most, told.functions)
        routines += found
    if not list(folder.glob("*.paths")):
        raise _nothing_measured(folder)
    routines.sort(key=lambda routine: function_key(routine.function))
    return PathProfile(k, tuple(routines), floor=floor, losses=_losses(told, len(routines), floor))


def _told(path: Path) -> _Told:
    told = _Told({}, [], [], {})
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for line in text.splitlines():
        try:
            each: dict[str, Any] = json.loads(line)
        except ValueError:
            continue  # the process was killed while it wrote
        if "number" in each:
            told.functions[each["number"]] = Function(each["name"], "", each["file"], each["line"])
            if each["split"]:
                told.split.append(each["name"])
        elif "failed" in each:
            told.failed.append(each["failed"])
        else:
            told.lost.update(each)
    return told


def _routines(path: Path, k: int, most: int, functions: dict[int, Function]) -> tuple[list[PathRoutine], int]:
    """The routines of a file, and how often a sequence may have been taken that is not listed."""
    least = 1
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        while (rows := read_slab_file(mapped, k, least, most)) is None:
            least *= 2
    parents, ids, counts = array("q", rows[0]), array("Q", rows[1]), array("Q", rows[2])
    heads = [row for row, parent in enumerate(parents) if parent == NO_PARENT]
    routines = []
    for head, end in pairwise([*heads, len(parents)]):
        below = array("q", [NO_PARENT if parent == head else parent - head - 1 for parent in parents[head + 1 : end]])
        tree = PathTree(below, ids[head + 1 : end], counts[head + 1 : end])
        routines.append(PathRoutine(functions[ids[head]], counts[head], tree))
    return routines, least - 1


def _losses(told: _Told, ran: int, floor: int) -> tuple[Loss, ...]:
    losses = []
    if told.lost.get("dropped"):
        detail = "there was no memory for new sequences: these paths were left out, and what went on across them"
        losses.append(Loss("paths-dropped", told.lost["dropped"], detail, hint="a smaller -k, or more --memory"))
    if told.lost.get("lost"):
        detail = "paths ended where it was not known which they were"
        losses.append(Loss("paths-unknown", told.lost["lost"], detail))
    if told.lost.get("unended"):
        detail = "activations went away without an end: what they had begun last is not counted"
        losses.append(Loss("paths-unended", told.lost["unended"], detail))
    if floor:
        detail = f"sequences taken fewer than {floor + 1:,} times are not listed: there are too many of them"
        losses.append(Loss("rare-paths-left-out", 0, detail, hint="a smaller -k, or more --memory"))
    if told.split:
        detail = "functions have more than 2^62 paths: theirs end at further places"
        losses.append(Loss("paths-split", len(told.split), detail, examples=", ".join(told.split[:3])))
    if told.failed:
        detail = "functions could not get probes, and ran without"
        losses.append(Loss("paths-not-probed", len(told.failed), detail, examples=told.failed[0]))
    if len(told.functions) > ran:
        detail = "functions never ran"
        losses.append(Loss("functions-never-ran", len(told.functions) - ran, detail))
    return tuple(losses)


def _nothing_measured(folder: Path) -> MissingCapability:
    for refused in folder.glob("*.refused"):
        python, version, reason = refused.read_text(encoding="utf-8").split("\n", 2)
        return MissingCapability(
            f"cannot measure '{python}' ({version}): {reason.strip()}",
            slug="no-paths-measured",
            hint="install sonde in the Python that runs the program",
        )
    return MissingCapability(
        "cannot find paths: no Python that sonde can measure was started",
        slug="no-paths-measured",
        hint="PROGRAM is script.py, -m module, or -- command that runs a Python of this version",
    )
