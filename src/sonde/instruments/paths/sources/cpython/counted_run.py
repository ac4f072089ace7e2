"""What functions of a Python program have counted, as a profile."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sonde.base.errors import MissingCapability
from sonde.code import Function
from sonde.evidence import Loss
from sonde.flow import Edge, FlowGraph, PathNumbering
from sonde.instruments.paths.profile import (
    PathProfile,
    PathRoutine,
    RoutineBlock,
    RoutineCode,
    Way,
    function_key,
)
from sonde.instruments.paths.sources.slab_counts import read_counts
from sonde.launch import why_nothing_measured


class _Numbered(NamedTuple):
    """What gives the numbers of a function's paths their meaning."""

    successors: list[list[int]]
    cut: list[list[int]]
    exceptional: list[list[int]]
    lines: list[list[int]]
    """Of each block."""


class _Told(NamedTuple):
    """What one process told beside its counts."""

    functions: dict[int, Function]
    graphs: dict[Function, _Numbered]
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
    told, routines, floor = _Told({}, {}, [], [], {}), list[PathRoutine](), 0
    losses: tuple[Loss, ...] = ()
    for file in sorted(folder.glob("*.paths")):
        told = _told(file.with_suffix(".routines"))
        counts = read_counts(file, k, most, told.functions.__getitem__)
        floor, losses = counts.floor, counts.losses
        routines += [replace(each, code=_code(each, told.graphs[each.function])) for each in counts.routines]
    if not list(folder.glob("*.paths")):
        message, hint = why_nothing_measured(folder, "paths")
        raise MissingCapability(message, slug="no-paths-measured", hint=hint)
    routines.sort(key=lambda routine: function_key(routine.function))
    return PathProfile(k, tuple(routines), floor=floor, losses=(*losses, *_losses(told, len(routines))))


def _told(path: Path) -> _Told:
    told = _Told({}, {}, [], [], {})
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for line in text.splitlines():
        try:
            each: dict[str, Any] = json.loads(line)
        except ValueError:
            continue  # the process was killed while it wrote
        if "number" in each:
            function = told.functions[each["number"]] = Function(each["name"], "", each["file"], each["line"])
            told.graphs[function] = _Numbered(*(each[key] for key in ("successors", "cut", "exceptional", "lines")))
            if each["split"]:
                told.split.append(each["name"])
        elif "failed" in each:
            told.failed.append(each["failed"])
        else:
            told.lost.update(each)
    return told


def _code(routine: PathRoutine, told: _Numbered) -> RoutineCode:
    """The graph, with the ways of the paths that were taken."""
    numbering = PathNumbering.of(FlowGraph.of(told.successors), cut={Edge(*each) for each in told.cut})
    known = dict(enumerate(told.lines))  # blocks behind stand for the outside
    exceptional = {Edge(*each) for each in told.exceptional}
    blocks = []
    for at, successors in enumerate(told.successors):
        normal = {target for place, target in enumerate(successors) if Edge(at, place) not in exceptional}
        after = tuple(dict.fromkeys(successors))
        handlers = tuple(target for target in after if target not in normal)
        blocks.append(RoutineBlock(tuple(line for line in known.get(at, ()) if line), after, handlers))
    ways = {number: Way.of(numbering.decode(number), numbering) for number in routine.acyclic}
    return RoutineCode(tuple(blocks), ways)


def _losses(told: _Told, ran: int) -> tuple[Loss, ...]:
    losses = []
    if told.lost.get("lost"):
        detail = "paths ended where it was not known which they were"
        losses.append(Loss("paths-unknown", told.lost["lost"], detail))
    if told.lost.get("unended"):
        detail = "activations went away without an end: what they had begun last is not counted"
        losses.append(Loss("paths-unended", told.lost["unended"], detail))
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
