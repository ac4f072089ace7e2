"""Durations, shares and ranges as people write them, on the command line and in suites."""

import re

_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "min": 60.0,
    "m": 60.0,
    "h": 3600.0,
}
MOST = 2**31
"""Of whatever is counted; more fits nowhere, and nobody would wait for it."""
MOST_HASH_SEED = 2**32 - 1
"""Python refuses to start with more in `PYTHONHASHSEED`."""
MOST_SEED = 2**63 - 1
_DURATION = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def seconds_of(text: str | float) -> float:
    """Read a duration; a bare number is seconds.

    Raises:
        ValueError: it is no duration, or not above 0; with what to write instead.

    >>> seconds_of("500ms"), seconds_of("2 min"), seconds_of(1.5)
    (0.5, 120.0, 1.5)
    """
    if isinstance(text, str):
        found = _DURATION.fullmatch(text)
        scale = _SECONDS.get(found[2].lower() or "s") if found else None
        value = float(found[1]) * scale if found and scale else 0.0
    else:
        value = _float(text)
    if not 0.0 < value < float("inf"):
        raise ValueError(f"'{text}' is not a duration: write 500ms, 60s, 10min or 2h")
    return value


def share_of(text: str | float) -> float:
    """Read a share above 0 and below 1.

    Raises:
        ValueError: it is none; with what to write instead.

    >>> share_of("1%"), share_of(0.02)
    (0.01, 0.02)
    """
    try:
        if isinstance(text, str) and text.strip().endswith("%"):
            value = float(text.strip()[:-1]) / 100.0
        else:
            value = _float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise ValueError(f"'{text}' is not a share: write 1% or 0.01, above 0% and below 100%")
    return value


def count_of(text: str | float, least: int = 1, most: int = MOST) -> int:
    """Read a whole number.

    Raises:
        ValueError: it is none, below `least`, or above `most`.

    >>> count_of("7"), count_of(0, 0)
    (7, 0)
    """
    try:
        value = None if isinstance(text, bool | float) else int(text)
    except ValueError:
        value = None
    if value is None or value < least:
        raise ValueError(f"'{text}' is not a whole number from {least} on")
    if value > most:
        raise ValueError(f"'{text}' is too large: {most} is the most")
    return value


def _float(text: str | float) -> float:
    try:
        return float(text)
    except OverflowError:
        return float("inf")


def range_of(text: str | float) -> tuple[int, int]:
    """Read the least and the greatest number of something: `10:200`, or one number for both.

    Raises:
        ValueError: it is none.

    >>> range_of("10:200"), range_of(50)
    ((10, 200), (50, 50))
    """
    low, colon, high = str(text).partition(":")
    try:
        least = count_of(low)
        greatest = count_of(high) if colon else least
    except ValueError:
        least, greatest = 1, 0
    if least > greatest:
        raise ValueError(f"'{text}' is not a range: write 10:200, least and greatest, or one number")
    return least, greatest
