"""Counts of executions, measured or estimated."""

from sonde.base.units import format_count


def count_text(count: float) -> str:
    """Write a count: whole ones with thousands separated, estimated small ones with two digits.

    >>> count_text(12345.0), count_text(0.25), count_text(99.6)
    ('12,345', '0.25', '100')
    """
    if count == int(count) or count >= 10:
        return format_count(round(count))
    return f"{count:.2g}"
