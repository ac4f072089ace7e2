"""How far shares of time can be believed that rest on few samples."""

from sonde.base.units import counted
from sonde.evidence import Doubt, share_interval
from sonde.instruments.decisions.model import TimeProfile

FEW = 100
"""Below, a share of 50 % is uncertain by 10 points or more."""


def few_samples(profile: TimeProfile) -> Doubt | None:
    """The doubt, if there is reason for it.

    >>> few_samples(TimeProfile(18, "samples", (), "a profiler", 18)).detail.partition(":")[2]
    ' where they say 50 %, 29 to 71 % may be true (95 % interval), and what is hot may be chance'
    """
    if profile.samples is None or profile.samples >= FEW:
        return None
    half = 100 * share_interval(profile.samples / 2, profile.samples).half_width
    count = counted(profile.samples, "sample")
    text = (
        f"shares of the time rest on {count}: where they say 50 %, {50 - half:.0f} to {50 + half:.0f} % may be true"
        " (95 % interval), and what is hot may be chance"
    )
    return Doubt("few-samples", text)
