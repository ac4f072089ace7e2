"""Confidence intervals: where a value lies, with a stated probability of being right."""

from dataclasses import dataclass

from sonde.base.errors import InternalError


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; either end may be infinite, as one-sided ones are.

    >>> str(Interval(0.5, 1.5, 0.95))
    '[0.5, 1.5]'
    >>> 1.0 in Interval(0.5, 1.5, 0.95)
    True
    """

    low: float
    high: float
    level: float
    """The confidence stated, such as 0.95."""

    def __post_init__(self) -> None:
        if not (0.0 < self.level < 1.0 and self.low <= self.high):
            raise InternalError(f"cannot state {self!r}: it is not an interval", slug="bug")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"[{self.low:g}, {self.high:g}]"

    @property
    def half_width(self) -> float:
        """Half the distance of its ends."""
        return (self.high - self.low) / 2.0

    def reach_from(self, value: float) -> float:
        """How far the farther end is from a value.

        >>> Interval(0.5, 1.5, 0.95).reach_from(0.75)
        0.75
        """
        return max(value - self.low, self.high - value)
