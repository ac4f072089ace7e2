"""When to stop repeating: as soon as the interval is narrow, without letting the looking spoil the interval."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from typing import Literal

from sonde.base.errors import UsageError
from sonde.stats.distributions import student_quantile
from sonde.stats.samples import checked_level
from sonde.stats.stopping_coverage import level_to_ask

Why = Literal["precise enough", "budget", "go on", "too few"]

GROWTH = 1.25
"""Each look comes when there are a quarter more values than at the one before: the last look comes at most a quarter
too late, 12 % on average, and few looks cost little coverage."""

_STRICTNESS = 0.5
"""How much narrower than wanted the interval must be at the first look; see `StoppingPlan.narrowness`. From 0.3 on
coverage is even enough for normal data; 0.5 costs two invocations where 10 would do, none where 100 are needed, and
gives up to 1 % more coverage for skewed data (docs/notes/stopping-and-power.md)."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to go on, and how far it probably is."""

    stop: bool
    why: Why
    next_look: int
    """The number of invocations at which to ask again; those there are, when it is time to stop."""
    expected_total: int
    """How many invocations there will be in the end, if the sample goes on to vary as it did."""


@dataclass(frozen=True, slots=True)
class StoppingPlan:
    """Repeat until the half-width of the interval is at most `precision` of the value, or `maximum` is reached.

    At each of the `looks`, compute the interval that is to be reported as if the number of values had been fixed, with
    level `fixed_level`, and ask `decide`. The interval at the moment of stopping then covers with `level`: state it as
    such. At other moments nothing is decided; whether alternatives differ plays no part.

    Guarantee: for normal data, Student's interval at the moment of stopping covers the mean with at least `level`,
        whatever sigma and precision are, so that identical alternatives are found different with at most 1 - `level`;
        from a minimum of 5 on it covers with at most `fixed_level` (0.957 for 0.95 and a minimum of 10). Other shapes:
        the note `stopping-and-power`.
    Source: to stop when Student's interval is narrow is the rule of Anscombe (Journal of the Royal Statistical Society
        B, 1953) and Chow and Robbins (Annals of Mathematical Statistics, 1965), who show that coverage is right in the
        limit of very narrow intervals.
    Differs: looks are few; the first ones are stricter; the level is raised so that coverage is right for any width.

    >>> plan = StoppingPlan(minimum=10, maximum=40, precision=0.01)
    >>> plan.looks
    (10, 13, 17, 22, 28, 35, 40)
    >>> plan.decide(10, half_width_relative=0.02)
    Decision(stop=False, why='go on', next_look=13, expected_total=40)
    >>> plan.decide(35, half_width_relative=0.0095)
    Decision(stop=True, why='precise enough', next_look=35, expected_total=35)
    """

    minimum: int = 10
    maximum: int = 1000
    precision: float = 0.01
    """Half-width of the interval wanted, as a share of the value: 0.01 is 1 %."""
    level: float = 0.95

    def __post_init__(self) -> None:
        checked_level(self.level)
        if self.minimum < 2:
            raise UsageError(
                f"cannot stop after '{self.minimum}' invocations: it takes 2 to see how much they vary",
                slug="bad-stopping",
                hint="give at least 2, better 10",
            )
        if self.maximum < self.minimum:
            raise UsageError(
                f"cannot stop after at most '{self.maximum}' invocations: at least {self.minimum} are asked for",
                slug="bad-stopping",
            )
        if not 0.0 < self.precision < float("inf"):
            raise UsageError(
                f"cannot reach a precision of '{self.precision}': it is a share above 0, such as 0.01",
                slug="bad-stopping",
                hint="0.01, or 1% on the command line",
            )

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of invocations at which to look, from `minimum` to `maximum`, each a quarter more than the last."""
        return _looks(self.minimum, self.maximum)

    @property
    def fixed_level(self) -> float:
        """The level to ask of the usual interval at each look; `level` is what it then covers with."""
        return _fixed_level(self.minimum, self.maximum, self.level)

    def narrowness(self, invocations: int) -> float:
        """The half-width to reach at a look, as a share of the one wanted: a half at the first, soon 1.

        What looking costs is lost at the first looks, where the standard deviation is known worst. To be strict there
        is cheaper than to ask for a higher level everywhere.
        """
        return 1.0 - _STRICTNESS * (self.minimum / invocations) ** 2

    def decide(self, invocations: int, half_width_relative: float | None) -> Decision:
        """What to do with the invocations that there are.

        Args:
            invocations: how many values each sample has (of several alternatives: the fewest).
            half_width_relative: half the width of the interval at level `fixed_level`, as a share of the value; the
                widest, where several comparisons are to become precise; None where there is no interval.
        """
        if invocations >= self.maximum:
            precise = half_width_relative is not None and half_width_relative <= self.precision
            return Decision(True, "precise enough" if precise else "budget", invocations, invocations)
        looks = self.looks
        following = looks[bisect_right(looks, invocations)]
        if invocations < self.minimum:
            return Decision(False, "too few", following, self._expected(invocations, half_width_relative))
        is_look = looks[bisect_left(looks, invocations)] == invocations
        wanted = self.precision * self.narrowness(invocations)
        if is_look and half_width_relative is not None and half_width_relative <= wanted:
            return Decision(True, "precise enough", invocations, invocations)
        return Decision(False, "go on", following, self._expected(invocations, half_width_relative))

    def _expected(self, invocations: int, half_width_relative: float | None) -> int:
        """The first look at which the interval is narrow enough, when the standard deviation stays as it is."""
        looks = self.looks
        to_come = looks[bisect_right(looks, invocations) :]
        if half_width_relative is None or invocations < 2:
            return to_come[0] if invocations < self.minimum else self.maximum
        in_widths = half_width_relative / self._width(invocations)
        for look in to_come:
            if in_widths * self._width(look) <= self.precision * self.narrowness(look):
                return look
        return self.maximum

    def _width(self, invocations: int) -> float:
        """Half-width of Student's interval in standard deviations of the sample."""
        return student_quantile(0.5 + self.level / 2.0, invocations - 1) / sqrt(invocations)


@lru_cache(maxsize=64)
def _looks(minimum: int, maximum: int) -> tuple[int, ...]:
    looks = [minimum]
    while looks[-1] < maximum:
        looks.append(min(maximum, ceil(looks[-1] * GROWTH)))
    return tuple(looks)


@lru_cache(maxsize=64)
def _fixed_level(minimum: int, maximum: int, level: float) -> float:
    looks = _looks(minimum, maximum)
    plan = StoppingPlan(minimum, maximum, level=level)
    return level_to_ask(looks, [plan.narrowness(look) for look in looks], level)
