"""How far shares of time can be believed that rest on few samples."""

from math import sqrt

from sonde.base.units import counted
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import TimeProfile

FEW = 100
"""Below, a share of 50 % is uncertain by 10 points or more."""
_NORMAL_95 = 1.96
"""Of the normal distribution, 95 % is within so many standard deviations."""


def few_samples(profile: TimeProfile) -> Doubt | None:
    """The doubt, if there is reason for it.

    >>> few_samples(TimeProfile(18, "samples", (), "a profiler", 18)).detail.partition(":")[2]
    ' where they say 50 %, 29 to 71 % may be true (95 % interval), and what is hot may be chance'
    """
    if profile.samples is None or profile.samples >= FEW:
        return None
    half = 100 * half_width(profile.samples)
    count = counted(profile.samples, "sample")
    text = (
        f"shares of the time rest on {count}: where they say 50 %, {50 - half:.0f} to {50 + half:.0f} % may be true"
        " (95 % interval), and what is hot may be chance"
    )
    return Doubt("few-samples", text)


def half_width(samples: int) -> float:
    """Half of the 95 % interval of a share of one half that was found in so many independent samples.

    Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927), whose
        interval for p = 1/2 is 1/2 -+ z / (2 sqrt(n + z^2)).
    """
    return _NORMAL_95 / (2 * sqrt(samples + _NORMAL_95**2))
