"""Whether samples vary equally: the test of Brown and Forsythe."""

from collections.abc import Sequence

import numpy as np

from sonde.stats.distributions import f_tail
from sonde.stats.findings import Assumption
from sonde.stats.samples import Sample

REJECTED_BELOW = 0.05
"""p-value from which on the data speak against equal variances."""


def equal_variances(groups: Sequence[Sample]) -> Assumption:
    """What the data say about all groups having the same variance.

    Args:
        groups: two or more checked samples.
    Returns:
        The assumption `equal variances`; `holds` is None where groups are too small to check, fewer than 3 values.
    Cost: O(n).
    Source: Brown and Forsythe, Journal of the American Statistical Association 69, 1974: an analysis of variance of
        the distances from the groups' medians, which stands skewed data.
    """
    statistic, p_value = brown_forsythe(groups)
    sizes = ", ".join(str(len(group)) for group in groups[:4]) + (", ..." if len(groups) > 4 else "")
    if np.isnan(p_value):
        return Assumption("equal variances", None, f"too few values to check, n = {sizes}")
    finding = f"Brown-Forsythe F = {statistic:.3g}, p = {p_value:.2g}, n = {sizes}"
    return Assumption("equal variances", bool(p_value >= REJECTED_BELOW), finding)


def brown_forsythe(groups: Sequence[Sample]) -> tuple[float, float]:
    """The statistic F of Brown and Forsythe, and its p-value; both not a number where nothing varies or n is small."""
    sizes = np.array([len(group) for group in groups])
    count, between = int(sizes.sum()), len(groups) - 1
    if sizes.min() < 3:
        return float("nan"), float("nan")
    distances = [np.abs(group - _median(group)) for group in groups]
    means = np.array([np.add.reduce(distance) for distance in distances]) / sizes
    grand = float(np.dot(means, sizes)) / count
    within = sum(
        float(np.dot(centred, centred))
        for centred in (distance - mean for distance, mean in zip(distances, means, strict=True))
    ) / (count - between - 1)
    among = float(np.dot(sizes, (means - grand) ** 2)) / between
    if within <= 0.0:
        return (float("inf"), 0.0) if among > 0.0 else (float("nan"), float("nan"))
    return among / within, f_tail(among / within, between, count - between - 1)


def _median(group: Sample) -> float:
    """As numpy.median, at a fraction of its cost for short samples."""
    ascending = np.sort(group)
    middle = len(ascending) // 2
    return float(ascending[middle]) if len(ascending) % 2 else float(ascending[middle - 1] + ascending[middle]) / 2.0
