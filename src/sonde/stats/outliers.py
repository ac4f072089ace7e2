"""Values far from the others: counted and shown, never removed."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.stats.samples import checked_sample, is_constant

FEWEST = 4
"""Values below which none can be called far from the others."""

MILD_FENCE, SEVERE_FENCE = 1.5, 3.0
"""Distances from the quartiles, in interquartile ranges (Tukey)."""

FAR_SCORE = 3.5
"""Modified z-score beyond which a value is far from the median (Iglewicz and Hoaglin)."""

NORMAL_QUARTILE = 0.6744897501960817
"""Median absolute deviation of a standard normal variable."""


@dataclass(frozen=True, slots=True)
class Outliers:
    """Which values lie far from the others, by their place in the sample.

    >>> outliers([1.0, 1.1, 1.2, 1.1, 9.0]).severe
    (4,)
    """

    severe: tuple[int, ...]
    """Beyond 3 interquartile ranges from the quartiles."""
    mild: tuple[int, ...]
    """Beyond 1.5, and not severe."""
    far: tuple[int, ...]
    """Modified z-score over 3.5; says it also where half of the values are the same."""
    size: int
    """Values looked at."""
    finding: str
    """In words: `2 of 30 values lie far from the others (1 severely so), all above`."""

    @property
    def count(self) -> int:
        """How many values are mild or severe outliers."""
        return len(self.severe) + len(self.mild)


def outliers(values: npt.ArrayLike) -> Outliers:
    """Find values that lie far from the others.

    Guarantee: the answer does not depend on the unit or the order of the values. Normal samples have about 1 mild
        outlier in 150 values, and 1 severe one in 400,000.
    Raises:
        InputError: there is no value, or one is not finite.
    Cost: O(n log n), about 60 us.
    Source: Tukey, Exploratory Data Analysis, 1977 (fences); Iglewicz and Hoaglin, How to Detect and Handle Outliers,
        1993 (modified z-scores).
    """
    sample = checked_sample(values)
    n = len(sample)
    if n < FEWEST or is_constant(sample):
        return Outliers((), (), (), n, f"none of {n} values can be called far from the others")
    low, middle, high = np.quantile(sample, (0.25, 0.5, 0.75))
    beyond = np.maximum(low - sample, sample - high)
    severe = beyond > SEVERE_FENCE * (high - low)
    mild = ~severe & (beyond > MILD_FENCE * (high - low))
    away = np.abs(sample - middle)
    # Where over half of the values are the same, their median distance is 0; the mean distance then stands for it.
    spread = float(np.median(away)) / NORMAL_QUARTILE or float(np.mean(away)) * 1.2533141373155
    far = away > FAR_SCORE * spread
    severe_at, mild_at, far_at = (tuple(int(i) for i in np.flatnonzero(marks)) for marks in (severe, mild, far))
    above = int(np.count_nonzero((severe | mild) & (sample > middle)))
    return Outliers(severe_at, mild_at, far_at, n, _in_words(len(severe_at), len(mild_at), above, n))


def _in_words(severe: int, mild: int, above: int, n: int) -> str:
    count = severe + mild
    if not count:
        return f"none of {n} values lies far from the others"
    where = {count: "above", 0: "below"}.get(above, f"{above} above")
    lies = "lies" if count == 1 else "lie"
    how = "severely so" if severe == count else f"{severe} severely so" if severe else "none severely so"
    return f"{count} of {n} values {lies} far from the others ({how}), {where}"
