"""The file of a profile of phases: one SQLite database, whose schema is `schema.sql` beside this file."""

import sqlite3
import sys
import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from sonde.base.errors import InputError
from sonde.code import LANGUAGES, Function, Language
from sonde.instruments.phases.profile.counters import Counter
from sonde.instruments.phases.profile.phase_calls import PhaseCalls, PhaseThread
from sonde.instruments.phases.profile.phase_profile import Phase, PhaseProfile, RunTimes
from sonde.instruments.phases.profile.plan import Plan, Thetas
from sonde.instruments.phases.stored_kind import STORED
from sonde.store.reading import corrupt, read_losses, read_meta, read_rows, read_sources, reading
from sonde.store.writing import DatabaseWriter

_COLUMNS = ("phase", "parent", "start_ns", "end_ns", "taken_ns", "ending", "is_resumed")
_PHASE = "name, module, file, first_line, kind, component, planned_calls, planned_ns"
_PLAN = "weight, grain, phases, calls, share_of_calls, cost, coverage, resolved"
_FAST = 1
"""Level of compression: the higher ones take five times as long for a tenth less."""


def write_phase_profile(path: Path, profile: PhaseProfile) -> None:
    """Write a profile of phases as a `.sonde` file, replacing what is there.

    Raises:
        SondeError: `cannot-write` when the file cannot be created or the disk is full.
    """
    with DatabaseWriter(path, STORED) as writer:
        writer.write_meta(
            {
                "command": list(profile.command),
                "theta_weight": profile.thetas.weight,
                "theta_grain": profile.thetas.grain,
                "planned_whole_ns": profile.planned_whole_ns,
                "complete": profile.is_complete,
                "runs": profile.runs,
                "summed": sorted(profile.summed),
                "languages": [phase.function.language for phase in profile.phases],
            }
        )
        functions = ((each.function, each) for each in profile.phases)
        writer.insert_numbered(
            "phase",
            (
                (f.name, f.module, f.file, f.first_line, f.kind, each.component, each.planned_calls, each.planned_ns)
                for f, each in functions
            ),
        )
        writer.insert_numbered("counter", ((each.name, each.source, each.is_multiplexed) for each in profile.counters))
        writer.insert_numbered(
            "thread",
            (
                (
                    *(each.name, each.start_ns, each.end_ns, each.taken_ns, each.ended),
                    *(" ".join(map(str, each.totals)), len(each.calls)),
                )
                for each in profile.threads
            ),
        )
        writer.insert_numbered("plan", ((*each.thetas, *_amounts(each)) for each in profile.plans))
        writer.insert("call_column", _stored_columns(profile))
        writer.write_losses(profile.losses)
        writer.write_sources(profile.sources)


def read_phase_profile(path: Path) -> PhaseProfile:
    """Read a `.sonde` file of phases.

    Raises:
        InputError: missing, not a profile of phases, newer than this sonde, truncated or corrupt.
    Guarantee: what `write_phase_profile` wrote is read back equal.
    Cost: O(n), a microsecond a call.
    """
    with reading(path, STORED) as db:
        meta = read_meta(db)
        try:
            profile = PhaseProfile(
                _phases(list(read_rows(db, "phase", _PHASE)), meta.get("languages")),
                tuple(Counter(n, s, bool(m)) for n, s, m in read_rows(db, "counter", "name, source, multiplexed")),
                tuple(_threads(db)),
                tuple(meta["command"]),
                Thetas(float(meta["theta_weight"]), float(meta["theta_grain"])),
                int(meta["planned_whole_ns"]),
                tuple(Plan(Thetas(*row[:2]), *row[2:]) for row in read_rows(db, "plan", _PLAN)),
                read_losses(db),
                read_sources(db),
                bool(meta["complete"]),
                tuple(RunTimes(int(whole), tuple(map(int, times))) for whole, times in meta.get("runs", ())),
                frozenset((int(phase), int(at)) for phase, at in meta.get("summed", ())),
            )
            profile.check_valid()
        except (InputError, ValueError, TypeError, zlib.error, KeyError) as error:
            raise corrupt(path, error.message if isinstance(error, InputError) else str(error)) from error
        return profile


def _phases(rows: Sequence[Any], languages: Sequence[Language] | None) -> tuple[Phase, ...]:
    """Older files have no languages, and are of Python programs."""
    languages = ["python"] * len(rows) if languages is None else languages
    if not set(languages) <= set(LANGUAGES):
        raise ValueError("a phase is in no language that is known")
    return tuple(
        Phase(Function(name, module, file, line, kind, language), *rest)
        for (name, module, file, line, kind, *rest), language in zip(rows, languages, strict=True)
    )


def _amounts(plan: Plan) -> tuple[int | float, ...]:
    return (plan.phases, plan.calls, plan.share_of_calls, plan.cost, plan.coverage, plan.resolved)


def _stored_columns(profile: PhaseProfile) -> Iterator[tuple[int, str, bytes]]:
    for number, thread in enumerate(profile.threads):
        calls = thread.calls
        for name in _COLUMNS:
            column: Sequence[int] = getattr(calls, name)
            yield number, name, _packed(_differences(column) if name == "start_ns" else column)
        for at, column in enumerate(calls.counters):
            yield number, f"counter {at}", _packed(column)


def _threads(db: sqlite3.Connection) -> Iterator[PhaseThread]:
    columns = {
        (thread, name): _unpacked(data)
        for thread, name, data in db.execute("SELECT thread, name, data FROM call_column")
    }
    rows = read_rows(db, "thread", "id, name, start_ns, end_ns, taken_ns, ended, totals, calls")
    for number, name, start_ns, end_ns, taken_ns, ended, totals, _calls in rows:
        amounts = tuple(map(int, totals.split()))
        fixed = {each: columns[number, each] for each in _COLUMNS}
        fixed["start_ns"] = array("q", accumulate(fixed["start_ns"]))
        counters = tuple(columns[number, f"counter {at}"] for at in range(len(amounts)))
        yield PhaseThread(
            name, start_ns, end_ns, amounts, PhaseCalls(**fixed, counters=counters), taken_ns, bool(ended)
        )


def _differences(column: Sequence[int]) -> Sequence[int]:
    return array("q", [*column[:1], *(after - before for before, after in pairwise(column))])


def _packed(column: Sequence[int]) -> bytes:
    values = array("q", column)
    if sys.byteorder == "big":
        values.byteswap()
    return zlib.compress(values.tobytes(), _FAST)


def _unpacked(data: bytes) -> "array[int]":
    values = array("q")
    values.frombytes(zlib.decompress(data))
    if sys.byteorder == "big":
        values.byteswap()
    return values
