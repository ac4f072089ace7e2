"""Whether a sample has more than one mode: some processes are fast, others slow, few in between."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.stats.dip import dip
from sonde.stats.findings import Assumption
from sonde.stats.samples import Sample, checked_sample, is_constant

FEWEST = 10
"""Values below which two clusters cannot be told from chance."""

ALPHA = 0.005
"""How often each of the two tests finds modes that are not there, at most; together one in a hundred."""

FEWEST_IN_CLUSTER = 4
"""Fewer values than this far from the others are outliers."""

WIDE_GAP_SIZES, WIDE_GAPS = (10, 15, 20, 30, 50), (2.0, 1.5, 1.25, 1.1, 1.0)
"""How many times as wide as either cluster a gap is to be, by the number of values: the widest that 99.5 % of samples
of skewed and heavy-tailed distributions with one mode had (uniform, exponential, gamma with shape 0.5, log-normal with
sigma up to 1.5, Student t with 2 and 3 degrees of freedom), rounded up. A test repeats that."""

SIZES = (10, 15, 20, 30, 50, 100, 200, 500)
PROBABILITIES = (0.5, 0.9, 0.95, 0.99, 0.999)
DIPS = (
    (0.3095, 0.4134, 0.4415, 0.5026, 0.5716),  # 10
    (0.3238, 0.4256, 0.4591, 0.5242, 0.5969),  # 15
    (0.3280, 0.4344, 0.4702, 0.5394, 0.6218),  # 20
    (0.3371, 0.4471, 0.4832, 0.5579, 0.6438),  # 30
    (0.3456, 0.4595, 0.4982, 0.5744, 0.6679),  # 50
    (0.3547, 0.4718, 0.5119, 0.5926, 0.6898),  # 100
    (0.3614, 0.4804, 0.5225, 0.6023, 0.6948),  # 200
    (0.3679, 0.4891, 0.5299, 0.6127, 0.7131),  # 500
)
"""sqrt(n) times the dip that uniform samples of these sizes stay below with these probabilities, from
`benches/dip_quantiles.py` (100,000 samples each)."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Values of a sample that lie together."""

    centre: float
    """Their median."""
    share: float
    """Of all values, in (0, 1)."""


@dataclass(frozen=True, slots=True)
class Modes:
    """What the tests for more than one mode say, and the two clusters that they find."""

    dip: float
    p_value: float | None
    """Of the dip test, roughly, between 0.001 and 0.5; None for samples too small to tell."""
    gap: float
    """Width of the widest gap with 4 values or more on either side, in widths of the wider side; infinite where there
    are but two values, 0 for samples too small to tell."""
    clusters: tuple[Cluster, ...]
    """Two, the lower one first, where a test finds more than one mode; else none."""
    size: int


def modes(values: npt.ArrayLike) -> Modes:
    """Test a sample for more than one mode, and say where the two main ones are.

    The dip test finds modes that overlap, and needs many values in each; a gap that is wider than the values on either
    side of it shows clusters that are plainly apart from 4 values each on.

    Guarantee: at most about 1 % of samples from a distribution with a single mode are said to have more. Clusters of
        half and half, 10 standard deviations apart, are found in 9 of 10 samples of 20 values, of four fifths and one
        fifth in 8 of 10 samples of 30.
    Raises:
        InputError: there is no value, or one is not finite.
    Cost: that of `dip`.
    Source: Hartigan and Hartigan, "The dip test of unimodality", Annals of Statistics, 1985, against uniform samples.
        The rule for gaps is sonde's own. Clusters that only the dip test finds are split where the sum of squares
        around their means is least.

    >>> [cluster.share for cluster in modes([1.0, 1.1, 1.2] * 10 + [5.0, 5.1, 5.2] * 10).clusters]
    [0.5, 0.5]
    """
    sample = checked_sample(values)
    n = len(sample)
    depth = dip(sample)
    if n < FEWEST or is_constant(sample):
        return Modes(depth, None, 0.0, (), n)
    ordered = np.sort(sample)
    p = _tail(depth, n)
    gap, split = _widest_gap(ordered)
    if gap > np.interp(n, WIDE_GAP_SIZES, WIDE_GAPS):
        return Modes(depth, p, gap, _clusters(ordered, split), n)
    return Modes(depth, p, gap, _clusters(ordered, _best_split(ordered)) if p <= ALPHA else (), n)


def one_mode(values: npt.ArrayLike) -> Assumption:
    """Whether a sample looks as if it had one mode, as an assumption of those who take a mean for typical.

    >>> one_mode([1.0, 1.1, 1.2] * 10 + [5.0, 5.1, 5.2] * 10).finding
    '50 % of values near 1.1, 50 % near 5.1 (a gap 19 times as wide as either; dip test p <= 0.001, n = 60)'
    """
    found = modes(values)
    if found.p_value is None:
        return Assumption("one mode", None, f"{found.size} values cannot show whether there is one mode")
    tested = f"dip test {_said(found.p_value)}, n = {found.size}"
    if not found.clusters:
        return Assumption("one mode", True, tested)
    low, high = found.clusters
    where = f"{low.share:.0%} of values near {low.centre:.4g}, {high.share:.0%} near {high.centre:.4g}"
    gap = "nothing between" if found.gap == np.inf else f"a gap {found.gap:.2g} times as wide as either"
    apart = f"{gap}; " if found.gap > 1.0 else ""
    return Assumption("one mode", False, f"{where} ({apart}{tested})".replace("%", " %"))


def _tail(depth: float, n: int) -> float:
    """The probability that a uniform sample has a deeper dip, by interpolation in the table."""
    row = [float(np.interp(np.log(n), np.log(SIZES), column)) for column in np.array(DIPS).T]
    tails = [1.0 - probability for probability in PROBABILITIES]
    return float(np.exp(np.interp(np.sqrt(n) * depth, row, np.log(tails))))


def _said(p: float) -> str:
    if p <= 0.001 * (1 + 1e-9):
        return "p <= 0.001"
    return "p >= 0.5" if p >= 0.5 * (1 - 1e-9) else f"p = {p:.2g}"


def _widest_gap(ordered: Sample) -> tuple[float, int]:
    """The widest gap, in widths of what is on its wider side, and how many values are below it."""
    n = len(ordered)
    below = np.arange(FEWEST_IN_CLUSTER, n - FEWEST_IN_CLUSTER + 1)
    gaps = ordered[below] - ordered[below - 1]
    sides = np.maximum(ordered[below - 1] - ordered[0], ordered[-1] - ordered[below])
    # Two values, each many times over, are as far apart as can be.
    widths = np.divide(gaps, sides, out=np.full(len(gaps), np.inf), where=sides > 0.0)
    widest = int(np.argmax(widths))
    return float(widths[widest]), int(below[widest])


def _best_split(ordered: Sample) -> int:
    """How many of the lowest values make the split with the largest sum of squares between its parts."""
    n = len(ordered)
    sums = np.cumsum(ordered - ordered[0])
    counts = np.arange(1, n)
    gained = sums[:-1] ** 2 / counts + (sums[-1] - sums[:-1]) ** 2 / (n - counts)
    return 1 + int(np.argmax(gained))


def _clusters(ordered: Sample, split: int) -> tuple[Cluster, Cluster]:
    low, high = (
        Cluster(float(np.median(part)), len(part) / len(ordered)) for part in (ordered[:split], ordered[split:])
    )
    return low, high
