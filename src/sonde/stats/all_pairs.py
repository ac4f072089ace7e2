"""Which of several alternatives differ: all pairs at once, with intervals that hold together."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError
from sonde.evidence import Interval
from sonde.stats import studentized_range
from sonde.stats.comparison_assumptions import assumptions_of
from sonde.stats.complete_blocks import check_rounds, complete_blocks
from sonde.stats.findings import Assumption
from sonde.stats.samples import Sample, checked_level, checked_sample


@dataclass(frozen=True, slots=True)
class PairwiseDifference:
    """The difference of two of several means."""

    first: str
    second: str
    difference: float
    """Mean of the second group less that of the first, in the unit of the values."""
    interval: Interval | None
    """Simultaneous: all intervals of the family cover their differences with this level. None where `withheld`."""
    p_value: float
    """Adjusted for all pairs; not a number where `withheld`."""
    sizes: tuple[int, int]
    method: str
    """In words for a paper; the same for all pairs of a family."""
    assumptions: tuple[Assumption, ...] = ()
    withheld: str = ""
    """Why nothing can be said; empty where it can."""
    degrees_of_freedom: float = float("nan")
    """Of the error of this difference; with unequal variances each pair has its own."""


def all_pairs(
    groups: Mapping[str, npt.ArrayLike],
    level: float = 0.95,
    *,
    equal_variances: bool = True,
    blocked: bool = False,
) -> tuple[PairwiseDifference, ...]:
    """The differences of all pairs of means, with simultaneous intervals.

    Args:
        groups: name -> sample, two or more of two or more values each.
        level: with this probability *all* intervals cover.
        equal_variances: whether all groups are taken to vary equally (Tukey and Kramer), or not (Games and Howell).
        blocked: whether groups took turns: they are of equal length, and values with the same index are of one round.
            Differences are then judged by what varies within rounds.
    Returns:
        Each pair once, in the order of the mapping.
    Raises:
        InputError: fewer than two groups, one has fewer than two values, or one that is not finite; a bad level; of
            groups that took turns: they have different numbers of values.
        UsageError: both rounds and unequal variances were asked for.
    Guarantee: with independent normal values, the probability of any false report among all pairs is at most
        1 - level: exactly that for equal sizes and variances, less for unequal sizes (Hayter, Annals of Statistics
        12, 1984), and approximately so for unequal variances. In rounds: exactly, whatever rounds have in common,
        if that adds the same to all values of a round.
    Cost: one point of the studentized range, some 5 ms, or one for each pair with unequal variances; O(n).
    Source: Tukey's honestly significant difference; Kramer, Biometrics 12, 1956; Games and Howell, Journal of
        Educational Statistics 1, 1976. Advocated by Georges, Buytaert and Eeckhout, OOPSLA 2007.

    >>> [pair] = all_pairs({"a": [1.0, 2.0, 3.0], "b": [5.0, 6.0, 7.0]})
    >>> pair.difference, round(pair.p_value, 4)
    (4.0, 0.008)
    """
    checked_level(level)
    samples = {name: checked_sample(values, minimum=2) for name, values in groups.items()}
    if len(samples) < 2:
        raise InputError(f"cannot compare {len(samples)} group: at least 2 are to be compared", slug="no-values")
    means = {name: float(np.mean(sample)) for name, sample in samples.items()}
    if blocked:
        check_rounds(equal_variances)
        blocks = complete_blocks(list(samples.values()))
        error = float(np.sqrt(2.0 * blocks.mean_square / blocks.rounds)) if blocks.varies else 0.0
        errors = dict.fromkeys(combinations(samples, 2), (error, blocks.degrees_of_freedom))
        assumptions = blocks.assumptions()
    else:
        errors = _pooled(samples) if equal_variances else _separate(samples)
        assumptions = assumptions_of(list(samples.values()), equal_variances=equal_variances)
    how = "Tukey-Kramer" if equal_variances else "Games-Howell"
    family = f"{how} interval, simultaneous for all pairs of {len(samples)} groups"
    if blocked:
        family = f"Tukey interval within rounds, simultaneous for all pairs of {len(samples)} groups"
    return tuple(
        _pair(pair, samples, means, *errors[pair], level, family, assumptions) for pair in combinations(samples, 2)
    )


def _pair(
    pair: tuple[str, str],
    samples: Mapping[str, Sample],
    means: Mapping[str, float],
    error: float,
    freedom: float,
    level: float,
    family: str,
    assumptions: tuple[Assumption, ...],
) -> PairwiseDifference:
    first, second = pair
    sizes = (len(samples[first]), len(samples[second]))
    difference, count = means[second] - means[first], len(samples)
    if not error > 0.0:
        why = "the values do not vary" + (" within rounds" if "rounds" in family else "")
        return PairwiseDifference(
            first, second, difference, None, float("nan"), sizes, family, assumptions, why, freedom
        )
    # The studentized range counts in standard errors of one mean; a difference has sqrt(2) times that.
    reach = studentized_range.quantile(level, count, freedom) * error / np.sqrt(2.0)
    p_value = float(studentized_range.tail([abs(difference) / error * np.sqrt(2.0)], count, freedom)[0])
    interval = Interval(float(difference - reach), float(difference + reach), level)
    return PairwiseDifference(first, second, difference, interval, p_value, sizes, family, assumptions, "", freedom)


def _pooled(samples: Mapping[str, Sample]) -> dict[tuple[str, str], tuple[float, float]]:
    freedom = float(sum(len(sample) - 1 for sample in samples.values()))
    pooled = sum(float(np.var(sample)) * len(sample) for sample in samples.values()) / freedom
    return {
        (a, b): (float(np.sqrt(pooled * (1.0 / len(samples[a]) + 1.0 / len(samples[b])))), freedom)
        for a, b in combinations(samples, 2)
    }


def _separate(samples: Mapping[str, Sample]) -> dict[tuple[str, str], tuple[float, float]]:
    found = {}
    variance = {name: float(np.var(sample, ddof=1)) / len(sample) for name, sample in samples.items()}
    for a, b in combinations(samples, 2):
        together = variance[a] + variance[b]
        freedom = 1.0
        if together > 0.0:
            freedom = together**2 / (
                variance[a] ** 2 / (len(samples[a]) - 1) + variance[b] ** 2 / (len(samples[b]) - 1)
            )
        found[a, b] = (float(np.sqrt(together)), freedom)
    return found
