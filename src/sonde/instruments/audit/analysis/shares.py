"""What profilers say, as shares of the whole that can be compared: a row for each run, a column for each function."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sonde.code import is_import_machinery
from sonde.instruments.audit.profile import AuditProfile, ProfiledRun

Shares: TypeAlias = npt.NDArray[np.float64]
"""(n_runs, n_functions) or (n_functions,), each row adds up to 1."""


def comparable_functions(profile: AuditProfile) -> npt.NDArray[np.bool_]:
    """Which functions are compared: not the import machinery, whose time is that of what profilers import, too."""
    return np.array([not is_import_machinery(each) for each in profile.functions], dtype=np.bool_)


def told_functions(runs: Sequence[ProfiledRun], profile: AuditProfile) -> npt.NDArray[np.bool_]:
    """The functions of the files that any answer names: all that a profiler tells of that keeps to the program."""
    files = {profile.functions[number].file for run in runs for number in run.own}
    return np.array([each.file in files for each in profile.functions], dtype=np.bool_)


def shares_of(amounts: Sequence[Mapping[int, float]], among: npt.NDArray[np.bool_]) -> Shares:
    """Shares of each run's amounts, among some of the functions; runs that say nothing of these are left out.

    >>> shares_of([{0: 3.0, 1: 1.0, 2: 6.0}], np.array([True, True, False]))
    array([[0.75, 0.25, 0.  ]])
    """
    table = np.zeros((len(amounts), len(among)))
    for row, told in enumerate(amounts):
        for number, amount in told.items():
            table[row, number] = max(amount, 0.0)
    table[:, ~among] = 0.0
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(table[sums[:, 0] > 0] / sums[sums[:, 0] > 0], dtype=np.float64)


def total_variation(one: Shares, other: Shares) -> float:
    """Total variation distance: how much of one would have to be moved to get the other; 0 to 1.

    It is 1 less their weighted overlap (`sonde.evidence`), of arrays, since it is asked for thousands of permutations.

    >>> float(total_variation(np.array([0.5, 0.5]), np.array([0.75, 0.25])))
    0.25
    """
    return float(np.abs(one - other).sum() / 2)
