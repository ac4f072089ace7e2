"""Programs left at every instruction: each point leads to a continuation of a clone.

In a run, each call of a function is left at the first point it comes to that has not fired before, in this run or an
earlier one. What a run prints, returns and leaves in its variables and its heap is compared with a run in which none
fires. When a run fires nothing new, all points are through that the program comes to at all.
"""

import ctypes
import gc
import hashlib
import mmap
import os
import shutil
import struct
from collections import Counter as Tally
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from program_memory import ProgramMemory, go_below, left
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.analyses import ControlFlow, Place
from sonde.ir.edits import promote_internals, suffixed
from sonde.ir.names import unquoted
from sonde.jit import Engine, LoadedCode, run_main
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

_AFTER = "@osr.after"
_MOST = 400_000
"""Instructions of the continuations that are compiled at once."""
_SINGLY, _SHARED, _COPIES = 1_000, 16, 60
"""Each point has a continuation of its own in functions of which all of these together have no more instructions; in
larger ones, so many points share one, or more, so that there are no more copies."""
_OF_A_POINT = 20
"""Instructions that a point adds to the function that it is in, about."""
_MOST_RUNS = 3_000
_PATIENCE_S = 60
_CELLS_AT, _CELL_BYTES = 4096, 64
_NEVER = -1
"""Passes after which nothing fires."""
_PASSED, _FIRED, _DONE = 16, 24, 32
"""Words of a cell: passes of this run, transitions of this run, whether it has fired in an earlier one."""


@dataclass(frozen=True, slots=True)
class Once:
    """Fires after so many passes in a run, unless it has fired in an earlier run."""

    def emit(self, check: Check) -> str:
        def word(at: int) -> str:
            return f"getelementptr inbounds (i8, ptr {check.cell}, i64 {at})"

        passed = check.add(f"load i64, ptr {word(_PASSED)}", "%osr.passed")
        more = check.add(f"add i64 {passed}, 1", "%osr.more")
        check.add(f"store i64 {more}, ptr {word(_PASSED)}")
        after = check.add(f"load i64, ptr {_AFTER}", "%osr.after")
        is_due = check.add(f"icmp eq i64 {passed}, {after}", "%osr.due")
        done = check.add(f"load i64, ptr {word(_DONE)}", "%osr.done")
        is_new = check.add(f"icmp eq i64 {done}, 0", "%osr.new")
        return check.add(f"and i1 {is_due}, {is_new}", "%osr.fires")


@dataclass(slots=True)
class Swept:
    """What came of a sweep."""

    points: int = 0
    fired: int = 0
    refused: Tally[str] = field(default_factory=Tally)
    different: list[str] = field(default_factory=list)
    runs: int = 0
    masked: float = 0.0
    """Share of the words of memory that do not count."""

    @property
    def total(self) -> int:
        return self.points + sum(self.refused.values())


@dataclass(frozen=True, slots=True)
class Runs:
    """How a program is run."""

    folder: Path
    arguments: Sequence[str]
    stdin: Path | None = None
    libraries: Sequence[str] = ()
    fresh: Sequence[Path] = ()
    """Files that are copied into the folder before each run."""


def sweep(
    module: LlvmModule,
    runs: Runs,
    *,
    after: Sequence[int] = (0,),
    level: int = 1,
    keep: float = 1.0,
    then: int | None = None,
) -> Swept:
    """Leave a program everywhere.

    Args:
        after: so many times a point is passed before it fires.
        level: of code generation.
        keep: share of the points.
        then: level of passes that are run when the points are in.
    """
    found = Swept()
    for batch in _batches(module, keep):
        _run_batch(module, batch, runs, after, level, then, found)
    return found


def _batches(module: LlvmModule, keep: float) -> Iterator[list[tuple[str, list[Place]]]]:
    """Functions with some of their places, so that all continuations together are not too large."""
    model = parse_module(module.text())
    waiting: list[tuple[str, int, list[Place]]] = []
    stride = max(1, round(1 / keep))
    whole = 0
    for f in model.defined_functions():
        flow = ControlFlow.of(f)
        places = [each for each in all_places(f) if flow.is_reachable(each.block)]
        size = sum(1 for _ in f.instructions())
        whole += size
        chosen = places[hash_of(f.name) % stride :: stride]
        if chosen:
            copies = -(-len(chosen) // _group(size, len(chosen)))
            waiting.append((f.name, copies * size + _OF_A_POINT * len(chosen), chosen))
    # Each batch compiles the whole program too.
    room = max(_MOST, whole)
    batch: list[tuple[str, list[Place]]] = []
    total = 0
    for name, size, chosen in waiting:
        if batch and total + size > room:
            yield batch
            batch, total = [], 0
        batch.append((name, chosen))
        total += size
    if batch:
        yield batch


def _group(size: int, places: int) -> int:
    """How many points of a function share a continuation."""
    return 1 if size * places <= _SINGLY else max(_SHARED, -(-places // _COPIES))


def hash_of(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")


def _run_batch(
    module: LlvmModule,
    batch: list[tuple[str, list[Place]]],
    runs: Runs,
    after: Sequence[int],
    level: int,
    then: int | None,
    found: Swept,
) -> None:
    image, cells = _with_points(module, batch, level, then, found)
    # A run is a fork: the less there is, the faster.
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    page = mmap.mmap(-1, _CELLS_AT + _CELL_BYTES * len(cells))
    here = ctypes.addressof(ctypes.c_char.from_buffer(page))
    addresses = {unquoted(cell): here + _CELLS_AT + _CELL_BYTES * number for number, cell in enumerate(cells)}
    engine = Engine()
    for library in runs.libraries:
        engine.libraries.add(library)
    code = engine.load("swept", [image], {**addresses, "osr.after": here})
    memory = ProgramMemory.of(code)
    expected = _expected(code, memory, page, runs)
    found.masked = max(found.masked, len(memory.masked) / max(1, memory.words))
    ever: set[int] = set()
    for passes in after:
        done: set[int] = set()
        for _ in range(_MOST_RUNS):
            outcome = run_once(code, memory, page, passes, done, runs)
            found.runs += 1
            fired = {at for at in range(len(cells)) if struct.unpack_from("<q", page, _word(at, _FIRED))[0]}
            if outcome != expected:
                which = ", ".join(cells[at] for at in sorted(fired))
                found.different.append(f"after {passes}: {which}: {outcome} {expected}")
            if fired <= done:
                break
            done |= fired
        ever |= done
    found.fired += len(ever)
    engine.close()


def _with_points(
    module: LlvmModule, batch: list[tuple[str, list[Place]]], level: int, then: int | None, found: Swept
) -> tuple[bytes, list[str]]:
    """The program's machine code with points, and the names of their cells."""
    model = parse_module(module.text())
    promote_internals(model, ".swept")
    names = {each.name: each for each in model.defined_functions()}
    model.add_global(_AFTER, "external global i64")
    cells: list[str] = []
    for name, places in batch:
        f = names.get(name) or names[suffixed(name, ".swept")]
        _insert_all(model, f, places, cells, found)
    with_points = LlvmModule.from_text(print_module(model), module.name)
    if then is not None:
        with_points.optimize(then)
    return with_points.object(level), cells


def _word(cell: int, word: int) -> int:
    return _CELLS_AT + _CELL_BYTES * cell + word


def _expected(code: LoadedCode, memory: ProgramMemory, page: mmap.mmap, runs: Runs) -> tuple[int, str, int, int]:
    """The outcome of the program as it is, when it is known which words of its memory count."""
    runs.folder.mkdir(exist_ok=True)
    dumps = [runs.folder / name for name in ("memory.1", "memory.2")]
    for dump, is_below in zip(dumps, (False, True), strict=True):
        dump.write_bytes(b"")
        run_once(code, memory, page, _NEVER, (), runs, dump=dump.absolute(), is_below=is_below)
    memory.learn(*dumps)
    for dump in dumps:
        dump.unlink()
    return run_once(code, memory, page, _NEVER, (), runs)


def _insert_all(model: Module, f: Function, places: list[Place], cells: list[str], found: Swept) -> None:
    """Points at all places of a function."""
    size = sum(1 for _ in f.instructions())
    group = _group(size, len(places))
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
                found.refused[refused.reason] += 1
    found.points += len(ready)
    points = [
        PlannedPoint(place, leaving, Once(), Direct(made), suffixed(f.name, f".cell.{_text(place)}"))
        for place, leaving, made in ready
    ]
    insert_points(model, f, points)
    cells += [each.cell for each in points]


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


def run_once(
    code: LoadedCode,
    memory: ProgramMemory,
    page: mmap.mmap,
    after: int,
    done: Collection[int],
    runs: Runs,
    *,
    dump: Path | None = None,
    is_below: bool = False,
) -> tuple[int, str, int, int]:
    """Exit status, digest of the output, digest of the program's memory, bytes of its heap.

    Args:
        after: how often a point is passed before it fires.
        done: cells of points that do not fire.
    """
    page[:] = bytes(len(page))
    struct.pack_into("<q", page, 0, after)
    for cell in done:
        struct.pack_into("<q", page, _word(cell, _DONE), 1)
    for path in runs.fresh:
        shutil.copy(path, runs.folder)
    output = runs.folder / "stdout"
    child = os.fork()
    if child == 0:
        os.chdir(runs.folder)
        os.dup2(os.open("stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.dup2(os.open(runs.stdin or os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open("stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        ctypes.CDLL(None).alarm(_PATIENCE_S)

        def run() -> None:
            memory.prepare(page, dump)
            run_main(code, ["program", *runs.arguments])

        if is_below:
            go_below(run)
        run()
    _, status = os.waitpid(child, 0)
    printed = hashlib.sha256(output.read_bytes()).hexdigest()[:16]
    return os.waitstatus_to_exitcode(status), printed, *left(page)
