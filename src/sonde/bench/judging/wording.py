"""Verdicts in words."""

from sonde.bench.judging.comparison import Verdict
from sonde.bench.judging.sample import Sample
from sonde.bench.measurements import Metric
from sonde.bench.policy import Policy
from sonde.stats import Estimate

_WORDS = {"s": ("faster", "slower"), "B": ("less memory", "more memory")}
"""Unit -> what less of it is called, and what more."""


def change_in_words(ratio: float, metric: Metric) -> str:
    """How much better or worse, as people say it.

    >>> change_in_words(1.25, Metric("wall", "s"))
    '1.25 times slower'
    >>> change_in_words(1.02, Metric("wall", "s"))
    '2.00% slower'
    >>> change_in_words(0.9, Metric("throughput", "ops/s", "higher"))
    '10.0% lower'
    """
    less, more = _WORDS.get(metric.unit, ("lower", "higher"))
    word = more if ratio > 1.0 else less
    if 0.8 < ratio < 1.2:  # nearer to 1, people think in percent; a cut in time is told as a cut
        return f"{abs(ratio - 1.0):.{_percent_digits(ratio)}%} {word}"
    factor = ratio if ratio > 1.0 else 1.0 / ratio
    return f"{factor:.3g} times {word}"


def verdict_in_words(
    first: Sample,
    second: Sample,
    ratio: Estimate | None,
    verdict: Verdict,
    policy: Policy,
    *,
    p: float | None,
    needed: int | None,
    family: int,
) -> str:
    """Say a verdict in a sentence, with its reason."""
    if ratio is None:
        empty = first if not len(first.values) else second
        return f"cannot say: not one invocation of '{empty.series.alternative}' ended well"
    if ratio.interval is None and verdict == "unclear":
        return f"cannot say: {ratio.withheld}"
    if verdict in ("better", "worse"):
        share = f" of {family} comparisons" if family > 1 else ""
        return f"{change_in_words(ratio.value, first.metric)} (p {_p_value(p)}{share})"
    if verdict == "same":
        return f"no difference beyond {100.0 * policy.equivalent:.3g}%"
    assert ratio.interval is not None  # the case above
    low, high = ratio.interval.low, ratio.interval.high
    span = f"anything from {100.0 * (low - 1.0):+.3g}% to {100.0 * (high - 1.0):+.3g}% would fit"
    advice = f"; {needed:,} invocations of each would probably tell" if needed is not None else ""
    return f"cannot say: {span}{advice}"


def _percent_digits(ratio: float) -> int:
    percent = abs(ratio - 1.0) * 100.0
    return 1 if percent >= 10.0 else 2


def _p_value(p: float | None) -> str:
    if p is None:
        return "unknown"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
