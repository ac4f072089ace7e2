"""Points at all instructions of a program's functions, in batches that are not too large to be compiled.

Each point fires once in all runs, see `Once`, and leads to a continuation of a clone.
"""

import hashlib
from collections import Counter as Tally
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.analyses import ControlFlow, Place
from sonde.ir.edits import promote_internals, suffixed
from sonde.llvm import LlvmModule
from sonde.osr import (
    Check,
    Direct,
    PlannedPoint,
    Refused,
    Survey,
    Transition,
    all_places,
    continuation,
    insert_points,
    shared_continuation,
    transition_at,
)

AFTER = "@osr.after"
"""The variable with the number of passes after which points fire."""
PASSED, FIRED, DONE = 16, 24, 32
"""Words of a cell: passes of this run, transitions of this run, whether it has fired in an earlier one."""
_MOST = 400_000
"""Instructions of the continuations that are compiled at once."""
_SINGLY, _SHARED, _COPIES = 1_000, 32, 24
"""Each point has a continuation of its own in functions of which all of these together have no more instructions; in
larger ones, so many points share one, or more, so that there are no more copies."""
_OF_A_POINT = 20
"""Instructions that a point adds to the function that it is in, about."""

_OF_ONE_FUNCTION = 800
"""So many points of one function are compiled at once: passes of LLVM's take time by the square of its blocks."""


class Chosen(NamedTuple):
    """Places of a function that are left in the same runs."""

    function: str
    places: list[Place]
    group: int
    """So many share a continuation."""


Batch = list[Chosen]


@dataclass(frozen=True, slots=True)
class Once:
    """Fires after so many passes in a run, unless it has fired in an earlier run."""

    def emit(self, check: Check) -> str:
        def word(at: int) -> str:
            return f"getelementptr inbounds (i8, ptr {check.cell}, i64 {at})"

        passed = check.add(f"load i64, ptr {word(PASSED)}", "%osr.passed")
        more = check.add(f"add i64 {passed}, 1", "%osr.more")
        check.add(f"store i64 {more}, ptr {word(PASSED)}")
        after = check.add(f"load i64, ptr {AFTER}", "%osr.after")
        is_due = check.add(f"icmp eq i64 {passed}, {after}", "%osr.due")
        done = check.add(f"load i64, ptr {word(DONE)}", "%osr.done")
        is_new = check.add(f"icmp eq i64 {done}, 0", "%osr.new")
        return check.add(f"and i1 {is_due}, {is_new}", "%osr.fires")


@dataclass(slots=True)
class PointsPutIn:
    """What came of putting points into a program."""

    cells: list[str] = field(default_factory=list)
    """Their names."""
    refused: Tally[str] = field(default_factory=Tally)


def batches(
    module: LlvmModule, keep: float, reached: Mapping[str, Collection[str]], *, is_reached: bool = True
) -> list[Batch]:
    """Functions with some of their places, so that all continuations together are not too large.

    Args:
        keep: share of the places.
        reached: function -> blocks that a run comes to.
        is_reached: whether places in those are wanted, or all others.
    """
    model = parse_module(module.text())
    waiting: list[tuple[Chosen, int]] = []
    stride = max(1, round(1 / keep))
    whole = 0
    for f in model.defined_functions():
        flow = ControlFlow.of(f)
        places = [each for each in all_places(f) if flow.is_reachable(each.block)]
        size = sum(1 for _ in f.instructions())
        whole += size
        chosen = places[_hash_of(f.name) % stride :: stride]
        blocks = reached.get(f.name, ())
        chosen = [each for each in chosen if (each.block in blocks) == is_reached]
        group = _group(size, len(chosen))
        for first in range(0, len(chosen), _OF_ONE_FUNCTION):
            part = Chosen(f.name, chosen[first : first + _OF_ONE_FUNCTION], group)
            waiting.append((part, -(-len(part.places) // group) * size + _OF_A_POINT * len(part.places)))
    # Each batch compiles the whole program too.
    return _packed(waiting, max(_MOST, whole))


def _packed(waiting: Iterable[tuple[Chosen, int]], room: int) -> list[Batch]:
    """Each part into the first batch that has room for it, and no other part of the same function."""
    made: list[Batch] = []
    left: list[int] = []
    for part, size in waiting:
        for number, batch in enumerate(made):
            if size <= left[number] and all(each.function != part.function for each in batch):
                batch.append(part)
                left[number] -= size
                break
        else:
            made.append([part])
            left.append(room - size)
    return made


def _group(size: int, places: int) -> int:
    """How many points of a function share a continuation."""
    return 1 if size * places <= _SINGLY else max(_SHARED, -(-places // _COPIES))


def _hash_of(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")


def with_points(module: LlvmModule, batch: Batch) -> tuple[LlvmModule, PointsPutIn]:
    """The program with points: LLVM has checked every rule of its IR."""
    model = parse_module(module.text())
    promote_internals(model, ".swept")
    names = {each.name: each for each in model.defined_functions()}
    model.add_global(AFTER, "external global i64")
    made = PointsPutIn()
    for name, places, group in batch:
        f = names.get(name) or names[suffixed(name, ".swept")]
        _insert_all(model, f, places, group, made)
    return LlvmModule.from_text(print_module(model), module.name), made


def _insert_all(model: Module, f: Function, places: list[Place], group: int, made: PointsPutIn) -> None:
    """Points at all places of a function."""
    survey = Survey.of(model, f, places)
    ready: list[tuple[Place, Transition, str]] = []
    # Slots of the stack are made at the beginning of the entry: points among them share nothing with others.
    slots = [at for at, each in enumerate(f.entry.instructions) if each.opcode == "alloca"]
    alone = [each for each in places if each.block == f.entry.name and slots and each.at <= slots[-1]]
    rest = [each for each in places if each not in alone]
    groups = [[each] for each in alone] + [rest[at : at + group] for at in range(0, len(rest), group)]
    while groups:
        chosen = groups.pop(0)
        try:
            ready += _continued(survey, chosen)
        except Refused as refused:
            if len(chosen) > 1:
                groups += [[each] for each in chosen]
            else:
                made.refused[refused.reason] += 1
    points = [
        PlannedPoint(place, leaving, Once(), Direct(to), suffixed(f.name, f".cell.{_text(place)}"))
        for place, leaving, to in ready
    ]
    insert_points(model, f, points)
    made.cells += [each.cell for each in points]


def _continued(survey: Survey, places: list[Place]) -> list[tuple[Place, Transition, str]]:
    """How a function is left at places, and the continuation, which they share."""
    model, f = survey.module, survey.function
    to = suffixed(f.name, f".to.{_text(places[0])}")
    if len(places) == 1:
        leaving = transition_at(model, f, places[0], survey=survey)
        made = continuation(model, f, places[0], to, leaving=leaving, survey=survey)
        return [(places[0], leaving, made.function.name)]
    shared = shared_continuation(model, f, places, to, survey=survey)
    return [(place, leaving, to) for place, leaving in zip(places, shared.leaving, strict=True)]


def _text(place: Place) -> str:
    return f"{place.block[1:]}.{place.at}".replace('"', "")
