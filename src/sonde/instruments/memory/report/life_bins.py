"""Lifetimes in words: powers of two, as they are counted."""

from sonde.instruments.memory.profile.memory_profile import Lifetimes


def bin_text(number: int) -> str:
    """The accesses below which the lives of a bin end.

    >>> bin_text(0), bin_text(1), bin_text(21)
    ('unused', '<2', '<2^21')
    """
    if number == 0:
        return "unused"
    return f"<2^{number}" if number > 1 else "<2"


def quantile_bin(lifetimes: Lifetimes, share: float) -> int:
    """The first bin that, with those before it, has at least so much of the objects.

    Args:
        lifetimes: of at least one object.
        share: above 0, at most 1.

    >>> quantile_bin(Lifetimes((5, 0, 3, 2), 30), 0.5), quantile_bin(Lifetimes((5, 0, 3, 2), 30), 0.9)
    (0, 3)
    """
    seen, wanted = 0, share * lifetimes.objects
    for number, count in enumerate(lifetimes.counts):
        seen += count
        if count and seen >= wanted:
            return number
    return last_bin(lifetimes)


def last_bin(lifetimes: Lifetimes) -> int:
    """The last bin that has objects."""
    return max((number for number, count in enumerate(lifetimes.counts) if count), default=0)
