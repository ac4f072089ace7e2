"""Which way is better, as far as a unit tells it: more of a rate, less of everything else."""

import re
from typing import Literal

Direction = Literal["lower", "higher"]

_TIMES = r"(ns|nsec|us|usec|\u03bcs|\u00b5s|ms|msec|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?)"
_PER_TIME = re.compile(rf".*(/ ?|\bper |_per_){_TIMES}", re.IGNORECASE)
"""`ops/s`, `MB/s`, `requests per second`, but not `ns/op`."""
_PREFIXES = "kmgtp"
_RATES = ("hz", "bps", "ops", "iops", "ips", "flops", "fps", "qps", "rps", "tps")
"""Words for a number each second."""
_GRADES = frozenset(("score", "scores", "points"))


def direction_of(unit: str) -> Direction:
    """Which way is better for values in a unit; what is no rate, and no grade, is taken for a cost.

    >>> [direction_of(unit) for unit in ("ops/s", "MB/s", "GFLOPS", "s", "ns/op", "B", "1")]
    ['higher', 'higher', 'higher', 'lower', 'lower', 'lower', 'lower']
    """
    word = unit.strip().lower()
    if _PER_TIME.fullmatch(word) or word in _GRADES:
        return "higher"
    is_rate = word in _RATES or (word[:1] in _PREFIXES and word[1:] in _RATES)
    return "higher" if is_rate else "lower"
