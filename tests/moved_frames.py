"""Programs left at every instruction: each point leads to a continuation of a clone.

In a run, each call of a function is left at the first point it comes to that has not fired before, in this run or an
earlier one. What a run prints, returns and leaves in its variables and its heap is compared with a run in which none
fires. When a run fires nothing new, all points are through that the program comes to at all.
"""

import ctypes
import mmap
from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass, field

from forked_work import in_a_fork
from program_memory import ProgramMemory, noted_jumps
from reached_blocks import reached_blocks
from sonde.ir.names import unquoted
from sonde.jit import Engine
from sonde.jit.heap import use_up_free_chunks
from sonde.llvm import LlvmModule
from swept_points import Batch, PointsPutIn, batches, with_points
from swept_runs import CELL_BYTES, CELLS_AT, Runs, fired_in, outcome_alone, run_once

_MOST_RUNS = 3_000


@dataclass(slots=True)
class Swept:
    """What came of a sweep."""

    points: int = 0
    reached: int = 0
    """In blocks that the run comes to."""
    fired: int = 0
    refused: Tally[str] = field(default_factory=Tally)
    different: list[str] = field(default_factory=list)
    runs: int = 0
    masked: float = 0.0
    """Share of the words of memory that do not count."""
    unfinished: int = 0
    """Batches in which points still fired for the first time when there were enough runs."""

    @property
    def total(self) -> int:
        return self.points + sum(self.refused.values())

    def note(self, points: PointsPutIn) -> None:
        """Count points that are in the code."""
        self.points += len(points.cells)
        self.refused.update(points.refused)


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

    Points are put in at every instruction, with continuations, and LLVM checks the code. Compiled and run are those in
    blocks that the program comes to: others cannot fire.

    Args:
        after: so many times a point is passed before it fires.
        level: of code generation.
        keep: share of the points.
        then: level of passes that are run when the points are in.
    """
    found = Swept()
    reached = reached_blocks(module, runs)
    for batch in in_a_fork(lambda: batches(module, keep, reached, is_reached=False)):
        found.note(in_a_fork(lambda: with_points(module, batch)[1]))  # noqa: B023 - called at once
    print(f"not reached: {found}", flush=True)  # whole sweeps take minutes: seen with `pytest -s`
    for number, batch in enumerate(in_a_fork(lambda: batches(module, keep, reached)), 1):
        _run_batch(module, batch, runs, after, level, then, found)
        print(f"batch {number}: {found}", flush=True)
    return found


def _run_batch(
    module: LlvmModule,
    batch: Batch,
    runs: Runs,
    after: Sequence[int],
    level: int,
    then: int | None,
    found: Swept,
) -> None:
    image, points = in_a_fork(lambda: _compiled(module, batch, level, then))
    found.note(points)
    cells = points.cells
    found.reached += len(cells)
    page = mmap.mmap(-1, CELLS_AT + CELL_BYTES * len(cells))
    here = ctypes.addressof(ctypes.c_char.from_buffer(page))
    addresses = {unquoted(cell): here + CELLS_AT + CELL_BYTES * number for number, cell in enumerate(cells)}
    engine = Engine()
    for library in runs.libraries:
        engine.libraries.add(library)
    code = engine.load("swept", [image], {**addresses, **noted_jumps(), "osr.after": here})
    use_up_free_chunks()  # else each run does it by itself
    memory = ProgramMemory.of(code)
    expected = outcome_alone(code, memory, page, runs)
    found.masked = max(found.masked, len(memory.masked) / max(1, memory.words))
    ever: set[int] = set()
    for passes in after:
        done: set[int] = set()
        for _ in range(_MOST_RUNS):
            outcome = run_once(code, memory, page, passes, done, runs)
            found.runs += 1
            fired = fired_in(page, len(cells))
            if outcome != expected:
                which = ", ".join(cells[at] for at in sorted(fired))
                found.different.append(f"after {passes}: {which}: {outcome} {expected}")
            if fired <= done:
                break
            done |= fired
        else:
            found.unfinished += 1
        ever |= done
    found.fired += len(ever)
    engine.close()


def _compiled(module: LlvmModule, batch: Batch, level: int, then: int | None) -> tuple[bytes, PointsPutIn]:
    """Machine code with points."""
    program, points = with_points(module, batch)
    if then is not None:
        program.optimize(then)
    return program.object(level), points
