"""The file of a profile of calling contexts: one SQLite database, whose schema is `schema.sql` beside this file."""

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import repeat
from pathlib import Path
from typing import Any

from sonde.base.errors import InternalError
from sonde.code import is_import_machinery
from sonde.events import FUNCTION_KINDS, Function
from sonde.instruments.contexts.profile.approximation import Approximation, Sampling
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile, Contexts, MeasuredProcess, Run
from sonde.instruments.contexts.profile.function_totals import FunctionTotals, function_totals
from sonde.instruments.contexts.profile.line_samples import line_sample_rows, read_line_samples
from sonde.instruments.contexts.profile.own_estimates import own_estimate_rows, read_own_estimates
from sonde.instruments.contexts.profile.stand_ins import IMPORTS
from sonde.instruments.contexts.profile.task_times import LoopTimes, TaskAwait, TaskGroup, TaskTimes, check_tasks
from sonde.instruments.contexts.profile.thread_tables import read_threads, write_threads
from sonde.instruments.contexts.profile.thread_trees import check_threads
from sonde.instruments.contexts.stored_kind import STORED
from sonde.store.reading import corrupt, read_losses, read_meta, read_sources, read_values, reading
from sonde.store.writing import DatabaseWriter

_UNLISTED = ("pruned_contexts", "pruned_root_calls", "pruned_root_ns")
_LACKING: dict[str, Any] = {
    "approximation": None,
    "sampling": None,
    "event_loops": None,
    "own_estimates": [],
    "watching": [],
    **dict.fromkeys(_UNLISTED, 0),
}
"""Keys of `meta` that are fields of the profile, or of its processes, with what older files mean that lack them: they
are exact, and nothing was taken out. All other keys are fields of the run."""


def write_profile(path: Path, profile: ContextProfile) -> None:
    """Write a profile value as a `.sonde` file, replacing what is there.

    Raises:
        SondeError: `cannot-write` when the file cannot be created or the disk is full.
    """
    with DatabaseWriter(path, STORED) as writer:
        writer.insert_values("function", profile.functions)
        writer.insert_numbered("context", _context_rows(profile.contexts))
        writer.insert_values("process", profile.processes)
        if profile.threads is not None:
            write_threads(writer, profile.threads)
        if profile.tasks is not None:
            writer.insert_values("task", profile.tasks.groups)
            writer.insert_values("task_await", profile.tasks.awaits)
        writer.insert("line_sample", line_sample_rows(profile.functions, profile.line_samples))
        writer.write_meta(
            asdict(profile.run)
            | {"approximation": profile.approximation and asdict(profile.approximation)}
            | {"sampling": profile.sampling and asdict(profile.sampling)}
            | {"watching": [[each.taken_ns, *each.costs_ns] for each in profile.processes]}
            | {"event_loops": profile.tasks and asdict(profile.tasks.loops)}
            | {"own_estimates": own_estimate_rows(profile.functions, profile.own_estimates)}
            | {key: getattr(profile, key) for key in _UNLISTED}
        )
        writer.write_losses(profile.losses)
        writer.write_sources(profile.sources)


def read_profile(path: Path, *, heaviest: int | None = None, with_sources: bool = True) -> ContextProfile:
    """Read a `.sonde` file.

    Args:
        heaviest: read only this many contexts, those with the largest inclusive weight
            (time, or calls when no time was measured); the result is still a tree.
        with_sources: also read the stored source texts.

    Threads that were kept apart are read with the whole.

    Raises:
        InputError: missing, not a profile, newer than this sonde, truncated or corrupt.
    Cost: O(n) over the stored contexts inside SQLite; O(heaviest) in Python when given.
    """
    with reading(path, STORED) as db:
        meta = _LACKING | read_meta(db)
        stored = db.execute("SELECT count(*) FROM context").fetchone()[0]
        columns = _read_contexts(db, meta, heaviest if heaviest is None or heaviest < stored else None)
        pruned = stored - len(columns)
        unlisted_calls, unlisted_ns = _unlisted_roots(db, columns) if pruned else (0, 0)
        run = {key: value for key, value in meta.items() if key not in _LACKING}
        functions = read_values(db, "function", Function)
        line_samples = read_line_samples(db, functions)
        if line_samples is None:
            raise corrupt(path, "a sample is of no function, or no line")
        own_estimates = read_own_estimates(meta["own_estimates"], functions)
        if own_estimates is None:
            raise corrupt(path, "an estimate is of no function, or negative")
        profile = ContextProfile(
            functions=functions,
            contexts=columns,
            run=Run(**run | {"command": tuple(meta["command"])}),
            processes=_read_processes(db, meta["watching"]),
            losses=read_losses(db),
            sources=read_sources(db) if with_sources else {},
            pruned_contexts=meta["pruned_contexts"] + pruned,
            pruned_root_calls=meta["pruned_root_calls"] + unlisted_calls,
            pruned_root_ns=meta["pruned_root_ns"] + unlisted_ns,
            threads=read_threads(db) if heaviest is None else None,
            tasks=_read_tasks(db, meta["event_loops"]),
            line_samples=line_samples,
            own_estimates=own_estimates,
            approximation=None if meta["approximation"] is None else Approximation(**meta["approximation"]),
            sampling=None if meta["sampling"] is None else Sampling(**meta["sampling"]),
        )
    _check_references(path, profile)
    return profile


def read_function_totals(path: Path, heaviest: ContextProfile) -> FunctionTotals:
    """Sum up all contexts of a profile file of which only the heaviest were read.

    Args:
        path: the file that `heaviest` was read from.
        heaviest: as read, or with its imports folded; so are the sums then.
    Returns:
        totals whose `contexts`, `calls` and `self_ns` are those of the whole file, while `total_calls` and
        `total_ns` come from the contexts read: they are lower bounds.
    Raises:
        InputError: the file is damaged.
    Cost: O(n): inside SQLite a third of a second per million contexts, with imports folded about a second.
    """
    read = function_totals(heaviest)
    contexts, calls, self_ns = (array("q", bytes(8 * len(heaviest.functions))) for _ in range(3))
    with reading(path, STORED, again=True) as db:
        query = "SELECT function, count(*), sum(calls), sum(self_ns) FROM context GROUP BY function"
        is_folded = IMPORTS in heaviest.functions
        rows = _with_imports_folded(db, heaviest.functions) if is_folded else db.execute(query)
        for function, count, made, own_ns in rows:
            contexts[function] += count
            calls[function] += made
            self_ns[function] += own_ns
    # What a function did itself is in its inclusive values, whether its contexts were read or not.
    total_calls, total_ns = (
        array("q", map(max, own, inclusive)) for own, inclusive in ((calls, read.total_calls), (self_ns, read.total_ns))
    )
    return FunctionTotals(contexts, calls, total_calls, self_ns, total_ns)


def _with_imports_folded(db: sqlite3.Connection, functions: Sequence[Function]) -> Iterator[tuple[int, int, int, int]]:
    """Each context with its function, or with the stand-in of imports."""
    imports = functions.index(IMPORTS)
    is_import = [is_import_machinery(function) for function in functions]
    inside: set[int] = set()
    query = "SELECT id, parent, function, calls, self_ns FROM context ORDER BY id"  # callers come before callees
    for identity, parent, function, calls, self_ns in db.execute(query):
        if parent in inside or is_import[function]:
            inside.add(identity)
            function = imports
        yield function, 1, calls, self_ns


def _read_contexts(db: sqlite3.Connection, meta: dict[str, Any], heaviest: int | None) -> Contexts:
    weight = "total_calls" if meta["clock"] == "none" else "total_ns"

    def select(names: str) -> sqlite3.Cursor:
        if heaviest is None:
            return db.execute(f"SELECT {names} FROM context ORDER BY id")
        # A parent weighs at least as much as its child and has a smaller id, so a prefix of
        # this order is closed under "parent of"; the outer query restores the id order.
        inner = f"SELECT * FROM context ORDER BY {weight} DESC, id LIMIT ?"
        return db.execute(f"SELECT {names} FROM ({inner}) ORDER BY id", (heaviest,))

    def read_optional(name: str, *, is_there: bool) -> Sequence[int]:
        values = [value for (value,) in select(name)] if is_there else []
        return array("q", values) if any(value is not None for value in values) else ()

    columns = tuple(array("q") for _ in range(7))
    add = tuple(column.append for column in columns)
    add_parent, add_function, add_line, add_calls, add_total_calls, add_self, add_total = add
    row_of: dict[int | None, int] = {None: NO_PARENT}
    rows = select("id, parent, function, call_line, calls, total_calls, self_ns, total_ns")
    for number, (identity, parent, function, line, calls, total_calls, self_ns, total_ns) in enumerate(rows):
        add_parent(row_of[parent])  # before its own row is known: none is its own caller
        row_of[identity] = number
        add_function(function)
        add_line(line)
        add_calls(calls)
        add_total_calls(total_calls)
        add_self(self_ns)
        add_total(total_ns)
    is_sampled = meta["sampling"] is not None
    return replace(
        Contexts(*columns),
        error=read_optional("error", is_there=meta["approximation"] is not None),
        calls_deviation=read_optional("calls_deviation", is_there=is_sampled),
        ns_deviation=read_optional("ns_deviation", is_there=is_sampled),
    )


def _context_rows(tree: Contexts) -> Iterator[tuple[int | None, ...]]:
    """What the columns of the table hold, without the number; NULL in columns that the tree does not have."""
    parents = (None if parent == NO_PARENT else parent for parent in tree.parent)
    own = (tree.function, tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns)
    optional = (column if len(column) else repeat(None, len(tree)) for column in _optional(tree))
    return zip(parents, *own, *optional, strict=True)


def _read_processes(db: sqlite3.Connection, watching: Sequence[Sequence[float]]) -> tuple[MeasuredProcess, ...]:
    """Processes, with what was taken out of the times of each and the costs of events; older files do not say."""
    return tuple(
        replace(process, taken_ns=int(taken_ns), costs_ns=tuple(costs_ns))
        for process, (taken_ns, *costs_ns) in zip(
            read_values(db, "process", MeasuredProcess), watching or repeat((0,)), strict=False
        )
    )


def _read_tasks(db: sqlite3.Connection, loops: dict[str, Any] | None) -> TaskTimes | None:
    if loops is None:
        return None
    groups, awaits = read_values(db, "task", TaskGroup), read_values(db, "task_await", TaskAwait)
    return TaskTimes(groups, awaits, LoopTimes(**loops))


def _optional(tree: Contexts) -> tuple[Sequence[int], ...]:
    return (tree.error, tree.calls_deviation, tree.ns_deviation)


def _unlisted_roots(db: sqlite3.Connection, listed: Contexts) -> tuple[int, int]:
    """Calls and nanoseconds of the roots that were not read."""
    calls, total_ns = db.execute("SELECT sum(total_calls), sum(total_ns) FROM context WHERE parent IS NULL").fetchone()
    for parent, root_calls, root_ns in zip(listed.parent, listed.total_calls, listed.total_ns, strict=True):
        if parent == NO_PARENT:
            calls -= root_calls
            total_ns -= root_ns
    return int(calls), int(total_ns)


def _check_references(path: Path, profile: ContextProfile) -> None:
    tree = profile.contexts
    required = (tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns)
    values = (*required, *(column for column in _optional(tree) if len(column)))
    if len(tree) and min(min(column) for column in values) < 0:
        raise corrupt(path, "a context has a negative value")
    if min(profile.pruned_contexts, profile.pruned_root_calls, profile.pruned_root_ns) < 0:
        raise corrupt(path, "what is in no context has a negative value")
    if any(not 0 <= function < len(profile.functions) for function in profile.contexts.function):
        raise corrupt(path, "a context names a function that is not in the file")
    if any(function.kind not in FUNCTION_KINDS for function in profile.functions):
        raise corrupt(path, "a function has an unknown kind")
    check_tasks(profile.tasks, len(profile.functions), lambda fact: corrupt(path, fact))
    if profile.threads is not None:
        try:
            check_threads(profile)
        except InternalError as error:
            raise corrupt(path, f"what threads ran makes no sense: {error.message}") from error
