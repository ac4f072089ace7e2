"""Miss rates: of the accesses that reach a level, how many miss it."""

from collections.abc import Sequence


def reaching(accesses: int, misses: Sequence[int], level: int) -> int:
    """Accesses that reach a data level: all reach the first one, and what misses one reaches the next.

    >>> reaching(1000, (80, 10), 1)
    80
    """
    return accesses if level == 0 else misses[level - 1]


def rate_text(misses: int, accesses: int) -> str:
    """A miss rate with its percent sign; `-` when nothing reached the level.

    >>> rate_text(123, 1000), rate_text(1, 100_000), rate_text(0, 5), rate_text(0, 0)
    ('12.3%', '<0.1%', '0.0%', '-')
    """
    if accesses == 0:
        return "-"
    if misses and misses / accesses < 0.0005:
        return "<0.1%"
    return f"{100 * misses / accesses:.1f}%"


def times_text(ratio: float) -> str:
    """How many times as large something is.

    >>> times_text(2.345), times_text(12.3)
    ('2.3 times', '12 times')
    """
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"
