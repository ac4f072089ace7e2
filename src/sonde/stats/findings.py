"""What statistics say: estimates, intervals and tests that carry their method, sample sizes and assumptions."""

from dataclasses import dataclass, replace

from sonde.base.errors import InternalError
from sonde.evidence import Interval


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that a method takes for granted, and what the data say about it.

    >>> Assumption("independence", None, "5 values are too few to check").failed
    False
    """

    name: str
    """What is assumed, as a noun: `normality`, `independence`, `equal variances`, `a steady state`."""
    holds: bool | None
    """Whether the data agree; None where they cannot tell, or were not asked."""
    finding: str
    """What was looked at and found, to be put in a paper: `lag-1 autocorrelation 0.61, p < 0.001, n = 40`."""

    @property
    def failed(self) -> bool:
        """Whether the data speak against it."""
        return self.holds is False


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number learnt from a sample, and how far it may be from the truth."""

    what: str
    """What is estimated: `mean`, `median`, `ratio of means`."""
    value: float
    interval: Interval | None
    """None where the data cannot support one; `withheld` then says why."""
    sizes: tuple[int, ...]
    """Number of independent values, of each sample."""
    method: str
    """How the interval was made, in words for a paper: `Student t, 11 degrees of freedom`."""
    assumptions: tuple[Assumption, ...] = ()
    withheld: str = ""
    """Why there is no interval; empty where there is one."""

    def __post_init__(self) -> None:
        if (self.interval is None) != bool(self.withheld):
            raise InternalError(f"cannot state {self!r}: an interval, or why not", slug="bug")

    def without_interval(self, why: str) -> "Estimate":
        """The same number, with its interval withheld for a reason."""
        return replace(self, interval=None, withheld=why)

    @property
    def failed(self) -> tuple[Assumption, ...]:
        """The assumptions that the data speak against."""
        return tuple(assumption for assumption in self.assumptions if assumption.failed)


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a hypothesis."""

    __test__ = False  # pytest collects what is called Test

    hypothesis: str
    """What a small p-value speaks against: `the means are equal`."""
    statistic: float
    p_value: float
    degrees_of_freedom: tuple[float, ...]
    """Of the distribution of the statistic; empty where it has none."""
    sizes: tuple[int, ...]
    method: str
    """In words for a paper: `Welch's t test, two-sided`."""
    assumptions: tuple[Assumption, ...] = ()
    withheld: str = ""
    """Why there is no p-value, which then is not a number; empty where there is one."""
