"""Programs left at every instruction: each point leads to a continuation of a clone, and one point of each function
fires in a run. What a run prints, returns and leaves in its variables and its heap is compared with a run in which none
does.
"""

import ctypes
import hashlib
import mmap
import os
import shutil
import struct
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from program_memory import ProgramMemory, go_below, left
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.analyses import ControlFlow, Place
from sonde.ir.edits import promote_internals, suffixed
from sonde.ir.names import unquoted
from sonde.jit import Engine, LoadedCode, run_main
from sonde.llvm import LlvmModule
from sonde.osr import PlannedPoint, Refused, all_places, continuation, insert_points, transition_at
from sonde.osr.conditions import Check
from sonde.osr.insertion import Direct

_CHOICE, _AFTER = "@osr.choice", "@osr.after"
_MOST = 120_000
"""Instructions of the continuations that are compiled at once."""
_PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Chosen:
    """Fires where the run's choice is this point, after so many passes."""

    number: int

    def emit(self, check: Check) -> str:
        choice = check.add(f"load i64, ptr {_CHOICE}", "%osr.choice")
        is_chosen = check.add(f"icmp eq i64 {choice}, {self.number}", "%osr.chosen")
        place = f"getelementptr inbounds (i64, ptr {check.cell}, i64 2)"
        passed = check.add(f"load i64, ptr {place}", "%osr.passed")
        after = check.add(f"load i64, ptr {_AFTER}", "%osr.after")
        is_due = check.add(f"icmp uge i64 {passed}, {after}", "%osr.due")
        step = check.add(f"zext i1 {is_chosen} to i64", "%osr.step")
        more = check.add(f"add i64 {passed}, {step}", "%osr.more")
        check.add(f"store i64 {more}, ptr {place}")
        return check.add(f"and i1 {is_chosen}, {is_due}", "%osr.fires")


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
        waiting.append((f.name, size, places[hash_of(f.name) % stride :: stride]))
    # Each batch compiles the whole program too.
    room = max(_MOST, whole)
    while waiting := [each for each in waiting if each[2]]:
        batch: dict[str, list[Place]] = {}
        total = 0
        # One place of each function in turn, as one of each can fire in a run.
        while total < room and any(places for *_, places in waiting):
            for name, size, places in waiting:
                if places and (total == 0 or total + size <= 2 * room):
                    batch.setdefault(name, []).append(places.pop(0))
                    total += size
                elif places and total + size > 2 * room:
                    total = max(total, room)
        yield list(batch.items())


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
    model = parse_module(module.text())
    promote_internals(model, ".swept")
    names = {each.name: each for each in model.defined_functions()}
    model.add_global(_CHOICE, "external global i64")
    model.add_global(_AFTER, "external global i64")
    cells: list[str] = []
    most = 0
    for name, places in batch:
        f = names.get(name) or names[suffixed(name, ".swept")]
        most = max(most, _insert_all(model, f, places, cells, found))
    with_points = LlvmModule.from_text(print_module(model), module.name)
    if then is not None:
        with_points.optimize(then)
    image = with_points.object(level)
    page = mmap.mmap(-1, 64 * len(cells) + 4096)
    here = ctypes.addressof(ctypes.c_char.from_buffer(page))
    addresses = {unquoted(cell): here + 4096 + 64 * number for number, cell in enumerate(cells)}
    engine = Engine()
    for library in runs.libraries:
        engine.libraries.add(library)
    code = engine.load("swept", [image], {**addresses, "osr.choice": here, "osr.after": here + 8})
    seen: set[int] = set()
    memory = ProgramMemory.of(code)
    expected = _expected(code, memory, page, runs)
    found.masked = max(found.masked, len(memory.masked) / max(1, memory.words))
    for number in range(most):
        for passes in after:
            outcome = run_once(code, memory, page, number, passes, runs)
            found.runs += 1
            fired = [at for at in range(len(cells)) if struct.unpack_from("<q", page, 4096 + 64 * at + 24)[0]]
            seen.update(fired)
            if outcome != expected:
                which = ", ".join(cells[at] for at in fired)
                found.different.append(f"{number} after {passes}: {which}: {outcome} {expected}")
    found.fired += len(seen)
    engine.close()


def _expected(code: LoadedCode, memory: ProgramMemory, page: mmap.mmap, runs: Runs) -> tuple[int, str, int, int]:
    """The outcome of the program as it is, when it is known which words of its memory count."""
    runs.folder.mkdir(exist_ok=True)
    dumps = [runs.folder / name for name in ("memory.1", "memory.2")]
    for dump, is_below in zip(dumps, (False, True), strict=True):
        dump.write_bytes(b"")
        run_once(code, memory, page, -1, 0, runs, dump=dump.absolute(), is_below=is_below)
    memory.learn(*dumps)
    for dump in dumps:
        dump.unlink()
    return run_once(code, memory, page, -1, 0, runs)


def _insert_all(model: Module, f: Function, places: list[Place], cells: list[str], found: Swept) -> int:
    """Points at all places of a function; returns how many."""
    ready = []
    for place in places:
        try:
            leaving = transition_at(model, f, place)
            to = suffixed(f.name, f".to.{_text(place)}")
            made = continuation(model, f, place, to, leaving=leaving).function.name
            ready.append((place, leaving, made))
        except Refused as refused:
            found.refused[refused.reason] += 1
    found.points += len(ready)
    points = [
        PlannedPoint(place, leaving, Chosen(number), Direct(made), suffixed(f.name, f".cell.{_text(place)}"))
        for number, (place, leaving, made) in enumerate(ready)
    ]
    insert_points(model, f, points)
    cells += [each.cell for each in points]
    return len(ready)


def _text(place: Place) -> str:
    return f"{place.block[1:]}.{place.at}".replace('"', "")


def run_once(
    code: LoadedCode,
    memory: ProgramMemory,
    page: mmap.mmap,
    choice: int,
    after: int,
    runs: Runs,
    *,
    dump: Path | None = None,
    is_below: bool = False,
) -> tuple[int, str, int, int]:
    """Exit status, digest of the output, digest of the program's memory, bytes of its heap."""
    page[:] = bytes(len(page))
    struct.pack_into("<qq", page, 0, choice, after)
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
