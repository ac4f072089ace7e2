"""Proven bounds: how far a value may be from the truth at most, with certainty."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """The truth is no less than a value, and at most so much more.

    Guarantee: as that of the analysis that gives it; no probability is involved, so bounds of sums are sums of bounds.
    """

    above: int | float
    """In the unit of the value."""
    may_cross: bool = False
    """Whether so much more would put it over a threshold that it seems to be below."""
