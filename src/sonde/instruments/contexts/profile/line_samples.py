"""How often a function was seen in each of its lines, where lines were sampled."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from sonde.events import Function
from sonde.store.reading import has_table

LineSamples: TypeAlias = Mapping[Function, Mapping[int, int]]
"""Of each function: line -> how often it was seen there while the time was its own; line 0 is one that is not known.
Samples are taken at the same rate all the time, so they divide a function's own time among its lines."""


def merged_line_samples(parts: Iterable[LineSamples]) -> LineSamples:
    """The samples of several runs, or processes, together.

    >>> work = Function("work", "app", "app.py", 5)
    >>> merged_line_samples([{work: {6: 2}}, {work: {6: 1, 7: 4}}])[work]
    {6: 3, 7: 4}
    """
    merged: dict[Function, dict[int, int]] = {}
    for part in parts:
        for function, lines in part.items():
            sums = merged.setdefault(function, {})
            for line, samples in lines.items():
                sums[line] = sums.get(line, 0) + samples
    return merged


def line_sample_rows(functions: Sequence[Function], samples: LineSamples) -> Iterator[tuple[int, int, int]]:
    """Rows of the table: number of the function, line, samples. What is not among the functions is left out."""
    for number, function in enumerate(functions):
        for line, count in samples.get(function, {}).items():
            yield number, line, count


def read_line_samples(db: sqlite3.Connection, functions: Sequence[Function]) -> LineSamples | None:
    """The samples in a file; none are in files before version 5. None: they make no sense."""
    if not has_table(db, "line_sample"):
        return {}
    found: dict[Function, dict[int, int]] = {}
    for number, line, samples in db.execute("SELECT function, line, samples FROM line_sample"):
        if not 0 <= number < len(functions) or line < 0 or samples < 1:
            return None
        found.setdefault(functions[number], {})[line] = samples
    return found
