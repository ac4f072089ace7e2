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


def write_threads(writer: DatabaseWriter, trees: ThreadTrees) -> None:
    """Write the trees of threads."""
    writer.insert_values("thread", trees.threads)
    writer.insert_numbered("thread_context", _rows(trees.contexts))


def read_threads(db: sqlite3.Connection) -> ThreadTrees | None:
    """The trees of threads, not checked; None when they were not kept apart, as in all files before version 4.

    Cost: O(n), some 2 us for each context of a thread.
    """
    if not has_table(db, "thread"):
        return None
    threads = read_values(db, "thread", MeasuredThread)
    if not threads:
        return None
    columns = {name: array("q") for name in _COLUMNS}
    lacking = set[str]()
    row_of: dict[int | None, int] = {None: NO_PARENT}
    query = f"SELECT id, thread, {', '.join(_COLUMNS)} FROM thread_context ORDER BY id"
    for number, (identity, thread, parent, function, *values) in enumerate(db.execute(query)):
        columns["parent"].append(row_of[parent])
        row_of[identity] = number
        columns["function"].append(-1 - thread if function is None else function)
        for name, value in zip(_COLUMNS[2:], values, strict=True):
            if value is None and name in _OPTIONAL:
                lacking.add(name)
            columns[name].append(0 if value is None and name in _OPTIONAL else value)
    return ThreadTrees(threads, Contexts(**{name: () if name in lacking else columns[name] for name in _COLUMNS}))


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
