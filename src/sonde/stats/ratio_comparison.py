"""What two samples answer to questions about the ratio of their means."""

import math
from dataclasses import dataclass

from sonde.base.errors import InputError
from sonde.evidence import Interval
from sonde.stats.difference_of_means import Alternative
from sonde.stats.findings import Estimate, Test
from sonde.stats.ratio_statistic import RatioStatistic
from sonde.stats.samples import checked_level

UNBOUNDED = "the mean of the denominator cannot be told from 0, so the ratio may be anything"

WORDS: dict[Alternative, str] = {"two-sided": "is", "less": "is not less than", "greater": "is not greater than"}


@dataclass(frozen=True, slots=True, eq=False)
class RatioComparison:
    """Two samples that were looked at, and can be asked. Made by `compare_means`, which has a doctest."""

    value: float
    """The ratio of the means of the samples; not a number where the second one is 0."""
    sizes: tuple[int, int]
    evidence: RatioStatistic | str
    """Or why there is none."""
    is_positive: bool = False
    """Whether no value is below 0, so that no ratio of means is."""

    def estimate(self, level: float = 0.95) -> Estimate:
        """The ratio, with its interval: `ratio_of_means` says more.

        Raises:
            InputError: the level is not in (0, 1).
        """
        checked_level(level)
        if isinstance(self.evidence, str):
            return Estimate("ratio of means", self.value, None, self.sizes, "none", withheld=self.evidence)
        ends = None if self.evidence.says_nothing_at(level) else self.evidence.ends(level)
        if ends is None:
            found, why = self.evidence.assumptions, self._why_unbounded(self.evidence, level)
            return Estimate("ratio of means", self.value, None, self.sizes, "none", found, why)
        low, high = min(ends[0], self.value), max(ends[1], self.value)
        if self.is_positive:
            low = max(low, 0.0)
        freedom = self.evidence.degrees_of_freedom(self.value)
        return Estimate(
            what="ratio of means",
            value=self.value,
            interval=Interval(low, high, level),
            sizes=self.sizes,
            method=f"{self.evidence.method}, {freedom:.4g} degrees of freedom",
            assumptions=self.evidence.assumptions,
        )

    def _why_unbounded(self, evidence: RatioStatistic, level: float) -> str:
        if evidence.says_nothing_at(level):
            few = f"{self.sizes[0]} rounds" if evidence.paired else f"{self.sizes[0]} and {self.sizes[1]} values"
            return (
                f"{few} are too few for an interval of {level * 100.0:g} % that holds whatever their shape: by chance "
                f"alone the most extreme order has p = {evidence.smallest_p:.2g}"
            )
        return evidence.resemblance or UNBOUNDED

    def test(self, ratio: float = 1.0, alternative: Alternative = "two-sided") -> Test:
        """Whether the ratio is another one: `ratio_test` says more.

        Raises:
            InputError: the ratio is not finite.
        """
        if not math.isfinite(ratio):
            raise InputError(f"cannot test whether a ratio is '{ratio}': it is not a finite number", slug="not-finite")
        hypothesis = f"the ratio of means {WORDS[alternative]} {ratio:g}"
        if isinstance(self.evidence, str):
            return Test(hypothesis, math.nan, math.nan, (), self.sizes, "none", withheld=self.evidence)
        return Test(
            hypothesis=hypothesis,
            statistic=self.evidence.statistic(ratio),
            p_value=self.evidence.p_value(ratio, alternative),
            degrees_of_freedom=(self.evidence.degrees_of_freedom(ratio),),
            sizes=self.sizes,
            method=f"{self.evidence.method.replace('interval', 'test')}, {alternative}",
            assumptions=self.evidence.assumptions,
        )

    def equivalence(self, margin: float = 0.01) -> Test:
        """Whether the ratio is beyond a margin around 1: `equivalence_test` says more.

        Raises:
            InputError: the margin is not a positive number.
        """
        if not (0.0 < margin < math.inf):
            raise InputError(
                f"cannot test equivalence within '{margin}': a margin is a positive share",
                slug="bad-margin",
                hint="0.01",
            )
        above, below = self.test(1.0 / (1.0 + margin), "greater"), self.test(1.0 + margin, "less")
        worse = max(above, below, key=lambda test: test.p_value)
        return Test(
            hypothesis=f"the means differ by {margin * 100.0:g} % or more",
            statistic=worse.statistic,
            p_value=worse.p_value,
            degrees_of_freedom=worse.degrees_of_freedom,
            sizes=worse.sizes,
            method=f"two one-sided tests of the ratio, margin {margin * 100.0:g} %: {worse.method}",
            assumptions=worse.assumptions,
            withheld=worse.withheld,
        )
