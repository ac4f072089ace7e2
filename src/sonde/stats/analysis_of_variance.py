"""Whether the means of several groups differ: one-way analysis of variance."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError
from sonde.stats.anova_table import AnovaRow, AnovaTable
from sonde.stats.comparison_assumptions import assumptions_of
from sonde.stats.complete_blocks import CompleteBlocks, check_rounds, complete_blocks
from sonde.stats.distributions import f_tail
from sonde.stats.samples import Sample, checked_sample


def one_way(groups: Sequence[npt.ArrayLike], *, equal_variances: bool = True, blocked: bool = False) -> AnovaTable:
    """Split the variation of values into that between groups and that within them, and test whether means differ.

    Args:
        groups: two or more samples, such as the invocations of each alternative; n >= 2 each.
        equal_variances: whether all groups are taken to vary equally. Otherwise Welch's test, which is no split of
            squares: there are none in the table, only his F and his degrees of freedom.
        blocked: whether groups took turns: they are of equal length, and values with the same index are of one round.
            What rounds have in common then hides no difference between groups.
    Returns:
        The rows `groups` and `residual`; of groups that took turns `groups`, `rounds` and `residual`.
    Raises:
        InputError: fewer than two groups, or one with fewer than two values or none that are finite; or no group
            varies at all: there is nothing to compare differences with. With unequal variances: one does not vary.
            Of groups that took turns: they have different numbers of values.
        UsageError: both rounds and unequal variances were asked for.
    Cost: O(n).
    Source: Fisher's analysis of variance; Georges, Buytaert and Eeckhout, OOPSLA 2007, section 3.4.1. Welch,
        Biometrika 38, 1951. Between groups: the estimator of the variance component by the method of moments.
        Rounds: as `complete_blocks`.

    >>> table = one_way([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [6.0, 7.0, 8.0]])
    >>> table.row("groups").f
    21.0
    >>> one_way([[1.0, 2.0, 6.0], [2.0, 4.0, 7.5]], blocked=True).row("groups").f
    27.0
    """
    samples = [checked_sample(group, minimum=2) for group in groups]
    if len(samples) < 2:
        raise InputError(
            f"cannot analyse the variance of {len(samples)} group: at least 2 are to be compared", slug="no-values"
        )
    if blocked:
        check_rounds(equal_variances)
        return _in_rounds(complete_blocks(samples), float(np.mean(samples)))
    sizes = np.array([len(sample) for sample in samples], dtype=np.float64)
    means = np.array([float(np.mean(sample)) for sample in samples])
    squares = np.array(
        [float(np.dot(sample - mean, sample - mean)) for sample, mean in zip(samples, means, strict=True)]
    )
    _check_variation(samples, equal_variances)
    count, groups_less_1 = float(sizes.sum()), float(len(samples) - 1)
    grand = float(np.dot(sizes, means)) / count
    among, left = float(np.dot(sizes, (means - grand) ** 2)), float(squares.sum())
    residual = left / (count - len(samples))
    # What the mean square between groups would be with a variance between them of v: residual + typical size * v.
    typical_size = (count - float(np.dot(sizes, sizes)) / count) / groups_less_1
    between = max(0.0, (among / groups_less_1 - residual) / typical_size)
    rows = (
        _row("groups", among, groups_less_1, residual, count - len(samples)),
        AnovaRow("residual", left, count - len(samples), residual, None, None),
    )
    if not equal_variances:
        f, freedom = _welch(sizes, means, squares / (sizes - 1.0))
        rows = (
            AnovaRow("groups", None, groups_less_1, None, f, f_tail(f, groups_less_1, freedom)),
            AnovaRow("residual", None, freedom, None, None, None),
        )
    return AnovaTable(
        rows=rows,
        sizes=tuple(len(sample) for sample in samples),
        method="one-way analysis of variance" if equal_variances else "Welch's analysis of variance, unequal variances",
        assumptions=assumptions_of(samples, equal_variances=equal_variances),
        within=float(np.sqrt(residual)) / grand if grand > 0.0 else None,
        between=float(np.sqrt(between)) / grand if grand > 0.0 else None,
    )


def _in_rounds(blocks: CompleteBlocks, grand: float) -> AnovaTable:
    if not blocks.varies:
        raise InputError(
            "cannot analyse the variance: groups differ by the same in each round, so there is nothing to compare with",
            slug="no-variation",
        )
    groups_less_1, rounds_less_1 = float(blocks.groups - 1), float(blocks.rounds - 1)
    left, freedom = blocks.mean_square, blocks.degrees_of_freedom
    # Values of a group differ by their rounds, too.
    within = (blocks.among_rounds + blocks.left) / (blocks.groups * rounds_less_1)
    between = max(0.0, (blocks.among_groups / groups_less_1 - left) / blocks.rounds)
    return AnovaTable(
        rows=(
            _row("groups", blocks.among_groups, groups_less_1, left, freedom),
            _row("rounds", blocks.among_rounds, rounds_less_1, left, freedom),
            AnovaRow("residual", blocks.left, freedom, left, None, None),
        ),
        sizes=(blocks.rounds,) * blocks.groups,
        method=f"analysis of variance of {blocks.groups} groups in {blocks.rounds} rounds",
        assumptions=blocks.assumptions(),
        within=float(np.sqrt(within)) / grand if grand > 0.0 else None,
        between=float(np.sqrt(between)) / grand if grand > 0.0 else None,
    )


def _row(source: str, squares: float, freedom: float, residual: float, residual_freedom: float) -> AnovaRow:
    f = squares / freedom / residual
    return AnovaRow(source, squares, freedom, squares / freedom, f, f_tail(f, freedom, residual_freedom))


def _check_variation(samples: Sequence[Sample], equal_variances: bool) -> None:
    constant = [index for index, sample in enumerate(samples) if sample.min() == sample.max()]
    if equal_variances and len(constant) == len(samples):
        raise InputError(
            "cannot analyse the variance: no group has two different values, so there is nothing to compare with",
            slug="no-variation",
        )
    if constant and not equal_variances:
        raise InputError(
            f"cannot analyse the variance: all {len(samples[constant[0]])} values of group {constant[0]} are the same",
            slug="no-variation",
        )


def _welch(sizes: Sample, means: Sample, variances: Sample) -> tuple[float, float]:
    """Welch's F and its second degrees of freedom (Biometrika 38, 1951)."""
    weights = sizes / variances
    total = float(weights.sum())
    grand = float(np.dot(weights, means)) / total
    k = len(sizes)
    spread = float(np.sum((1.0 - weights / total) ** 2 / (sizes - 1.0))) / (k * k - 1.0)
    among = float(np.dot(weights, (means - grand) ** 2)) / (k - 1.0)
    return among / (1.0 + 2.0 * (k - 2.0) * spread), 1.0 / (3.0 * spread)
