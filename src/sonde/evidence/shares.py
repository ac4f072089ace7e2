"""Shares of a whole that samples were taken of."""

from math import sqrt

from sonde.evidence.interval import Interval

_NORMAL_95 = 1.96
"""Of the normal distribution, 95 % is within so many standard deviations."""


def share_interval(part: float, samples: int) -> Interval:
    """The 95 % interval of a share that was found in `part` of so many independent samples; all, if there are none.

    Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).

    >>> around = share_interval(50, 100)
    >>> f"{around.low:.3f} {around.high:.3f}"
    '0.404 0.596'
    >>> share_interval(0, 100).low
    0.0
    """
    if not samples:
        return Interval(0.0, 1.0, 0.95)
    found, square = part / samples, _NORMAL_95**2
    scale = 1 + square / samples
    middle = (found + square / (2 * samples)) / scale
    half = _NORMAL_95 / scale * sqrt(found * (1 - found) / samples + square / (4 * samples**2))
    return Interval(
        max(0.0, middle - half) if part > 0 else 0.0, min(1.0, middle + half) if part < samples else 1.0, 0.95
    )
