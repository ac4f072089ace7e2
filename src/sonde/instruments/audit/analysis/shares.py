"""What profilers say, as shares of the whole that can be compared: a row for each run, a column for each function."""

from collections.abc import Mapping, Sequence
from itertools import combinations
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

    >>> float(total_variation(np.array([0.5, 0.5]), np.array([0.75, 0.25])))
    0.25
    """
    return float(np.abs(one - other).sum() / 2)


def weighted_overlap(one: Shares, other: Shares) -> float:
    """What two profiles have in common, 0 to 1: the sum of the lesser of both shares, 1 less their total variation.

    Source: Buytaert, section 4.4.2, the weighted metric.

    >>> weighted_overlap(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    0.75
    """
    return 1.0 - total_variation(one, other)


def rank_overlap(one: Shares, other: Shares, most: int = 10) -> float:
    """How many of one's first functions are among the other's first, as a share; 1 where neither has any.

    >>> rank_overlap(np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.5, 0.0, 0.1, 0.4]), 2)
    0.5
    """
    count = min(most, int((one > 0).sum()), int((other > 0).sum()))
    if not count:
        return 1.0 if not (one > 0).any() and not (other > 0).any() else 0.0
    # A stable order: of equal ones the first.
    first, second = (set(np.argsort(-each, kind="stable")[:count].tolist()) for each in (one, other))
    return len(first & second) / count


def mean_overlap(runs: Shares) -> float | None:
    """Precision: the mean weighted overlap of each two runs; None for fewer than two."""
    if len(runs) < 2:
        return None
    return float(np.mean([weighted_overlap(one, other) for one, other in combinations(runs, 2)]))
