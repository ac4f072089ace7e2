"""What runs took by function, as any kind of profile can offer it, and functions matched over all runs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from sonde.code import Function
from sonde.evidence import Loss
from sonde.report import Unit

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
"""In names made up at run time, `<wrapper of 0x7f12ab34cd00>`."""

Key = tuple[str, str, str, str, str]
"""What is the same function in two runs: name, kind, module, name of the file, language."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is compared."""

    what: str
    """`self time`, `calls`, `L3 misses`."""
    unit: Unit
    """`duration` in nanoseconds, `count`, or `share` of each run's total."""
    less: str = "fewer"
    more: str = "more"
    """What less of it is called, and what more: `faster`, `slower`."""
    depends_on_machine: bool = False
    """Whether what else the machine does bears on it, as on times: then runs that follow one another resemble each
    other, and how much cannot be told from a few."""
    min_change: float = 0.0
    """Smallest change that counts, as a share of the heavier side's total."""
    min_share: float = 0.0
    """Functions with less of what all runs took together are not looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class RunFigures:
    """What one run took."""

    functions: Sequence[Function]
    own: Sequence[float]
    """(n_functions,) what each function took itself, in the unit of the measure."""
    total: float
    """What the whole run took."""
    started_at: str = ""
    """ISO 8601, UTC; empty when that is not known."""
    above: float = 0.0
    """What any function may have had beyond its value, at most: given up in bounded memory."""
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class GroupFigures:
    """What several runs took, in one measure."""

    measure: Measure
    runs: tuple[RunFigures, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FigureTable:
    """Functions by runs."""

    functions: tuple[Function, ...]
    """As the last run that has them knows them."""
    own: npt.NDArray[np.float64]
    """(n_functions, n_runs); 0 where a function is missing in a run."""
    is_there: npt.NDArray[np.bool_]
    """(n_functions, n_runs) whether the run lists the function."""


def table_of(runs: Sequence[RunFigures]) -> FigureTable:
    """Match the functions of runs: by name, module and name of the file, wherever it lies.

    Functions of one file that share all of these are added up: lambdas of one function, for instance.

    Guarantee: the sum of a run's column is the sum of its `own`.
    Cost: O(n) for n functions of all runs.

    >>> old, new = Function("f", "app", "/a/app.py", 1), Function("f", "app", "/b/app.py", 9)
    >>> table = table_of([RunFigures((old,), (5,), 5), RunFigures((new,), (7,), 7)])
    >>> [function.first_line for function in table.functions], table.own.tolist()
    ([9], [[5.0, 7.0]])
    """
    rows: dict[Key, int] = {}
    known: list[Function] = []
    for run in runs:
        for function in run.functions:
            row = rows.setdefault(_key(function), len(known))
            known[row : row + 1] = [function]
    own = np.zeros((len(known), len(runs)))
    is_there = np.zeros((len(known), len(runs)), dtype=np.bool_)
    for column, run in enumerate(runs):
        for function, value in zip(run.functions, run.own, strict=True):
            row = rows[_key(function)]
            own[row, column] += value
            is_there[row, column] = True
    return FigureTable(tuple(known), own, is_there)


def _key(function: Function) -> Key:
    file = PurePath(function.file.replace("\\", "/")).name
    name, file = (_ADDRESS.sub("0x", text) for text in (function.name, file))
    return name, function.kind, function.module, file, function.language
