"""The tables of threads in the file of a profile of calling contexts."""

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import repeat

from sonde.instruments.contexts.profile.context_profile import NO_PARENT, Contexts, MeasuredThread, ThreadTrees
from sonde.store.reading import has_table, read_values
from sonde.store.writing import DatabaseWriter

_COLUMNS = [field.name for field in fields(Contexts)]
_OPTIONAL = _COLUMNS[-3:]
_ROWS_AT_ONCE = 10_000
"""Columns of so many rows are taken over at a time: it is faster than value by value, and needs little memory."""


def write_threads(writer: DatabaseWriter, trees: ThreadTrees) -> None:
    """Write the trees of threads."""
    writer.insert_values("thread", trees.threads)
    writer.insert_numbered("thread_context", _rows(trees.contexts))


def read_threads(db: sqlite3.Connection) -> ThreadTrees | None:
    """The trees of threads, not checked; None when they were not kept apart, as in all files before version 4.

    Cost: O(n), some 1 us for each context of a thread.
    """
    measured = read_values(db, "thread", MeasuredThread) if has_table(db, "thread") else ()
    if not measured:
        return None
    columns = {name: array("q") for name in _COLUMNS}
    lacking = set[str]()
    row_of: dict[int | None, int] = {None: NO_PARENT}
    rows = db.execute(f"SELECT id, thread, {', '.join(_COLUMNS)} FROM thread_context ORDER BY id")
    while some := rows.fetchmany(_ROWS_AT_ONCE):
        identities, threads, parents, functions, *values = zip(*some, strict=True)
        for number, (identity, parent) in enumerate(zip(identities, parents, strict=True), len(columns["parent"])):
            columns["parent"].append(row_of[parent])  # before its own row is known: none is its own caller
            row_of[identity] = number
        columns["function"].extend(
            -1 - thread if function is None else function for thread, function in zip(threads, functions, strict=True)
        )
        for name, column in zip(_COLUMNS[2:], values, strict=True):
            if name in _OPTIONAL and None in column:
                lacking.add(name)
            if name not in lacking:
                columns[name].extend(column)
    return ThreadTrees(measured, Contexts(**{name: () if name in lacking else columns[name] for name in _COLUMNS}))


def _rows(tree: Contexts) -> Iterator[tuple[int | None, ...]]:
    """What the columns of the table hold, without the number; NULL in columns that the tree does not have."""
    threads = array("q")
    for parent, function in zip(tree.parent, tree.function, strict=True):
        threads.append(-1 - function if parent == NO_PARENT else threads[parent])
    parents = (None if parent == NO_PARENT else parent for parent in tree.parent)
    functions = (None if function < 0 else function for function in tree.function)
    values: list[Sequence[int]] = [getattr(tree, name) for name in _COLUMNS[2:]]
    stored = (column if len(column) else repeat(None, len(tree)) for column in values)
    return zip(threads, parents, functions, *stored, strict=True)
