"""Verdicts in words."""

from dataclasses import dataclass

from sonde.instruments.bench.judging.comparison import Verdict
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.measurements import Metric
from sonde.instruments.bench.policy import Policy
from sonde.stats import Estimate

_WORDS = {"s": ("faster", "slower"), "B": ("less memory", "more memory")}
"""Unit -> what less of it is called, and what more."""


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """What a verdict rests on."""

    benchmark: str
    names: tuple[str, str]
    first: Sample
    second: Sample
    ratio: Estimate | None
    p: float | None
    """Accounted for the other comparisons."""
    family: int
    """How many comparisons there are."""
    needed: int | None
    is_same: bool
    """Whether a difference beyond the margin is excluded."""


def change_in_words(ratio: float, metric: Metric) -> str:
    """How much better or worse, as people say it.

    >>> change_in_words(1.25, Metric("wall", "s"))
    '1.25 times slower'
    >>> change_in_words(1.02, Metric("wall", "s"))
    '2.00% slower'
    >>> change_in_words(0.9, Metric("throughput", "ops/s", "higher"))
    '10.0% lower'
    """
    less, more = words_for(metric)
    word = more if ratio > 1.0 else less
    if 0.8 < ratio < 1.2:  # nearer to 1, people think in percent; a cut in time is told as a cut
        return f"{_percent(abs(ratio - 1.0))} {word}"
    factor = ratio if ratio > 1.0 else 1.0 / ratio
    return f"{factor:.3g} times {word}"


def words_for(metric: Metric) -> tuple[str, str]:
    """What less and more of a metric are called.

    >>> words_for(Metric("wall", "s"))
    ('faster', 'slower')
    """
    return _WORDS.get(metric.unit, ("lower", "higher"))


def verdict_in_words(reasons: Reasons, verdict: Verdict, policy: Policy) -> str:
    """Say a verdict in a sentence, with its reason."""
    ratio, first, second = reasons.ratio, reasons.first, reasons.second
    if ratio is None:
        name, empty = (reasons.names[0], first) if not len(first.values) else (reasons.names[1], second)
        what = f"'{name}' of '{reasons.benchmark}'" if name else f"'{reasons.benchmark}'"
        fact = f"not one of {empty.failed} invocations of {what} ended well" if empty.failed else f"no values of {what}"
        return f"does not work any more: {fact}" if verdict == "worse" else f"cannot say: {fact}"
    if ratio.interval is None and verdict == "unclear":
        return f"cannot say: {ratio.withheld}"
    margin = f"{100.0 * policy.equivalent:.3g}%"
    if verdict in ("better", "worse"):
        within = f", not beyond {margin}" if reasons.is_same else ""
        share = f" of {reasons.family} comparisons" if reasons.family > 1 else ""
        return f"{_change(ratio.value, first, second)}{within} (p {_p_value(reasons.p)}{share})"
    if verdict == "same":
        return f"no difference beyond {margin}"
    assert ratio.interval is not None  # the case above
    low, high = ratio.interval.low, ratio.interval.high
    advice = f"; {reasons.needed:,} invocations of each would probably tell" if reasons.needed is not None else ""
    if not low <= 1.0 <= high:  # a difference by itself, but not among so many
        seen = f"{100.0 * (low - 1.0):+.3g}% to {100.0 * (high - 1.0):+.3g}% by itself"
        chance = f"among {reasons.family:,} comparisons chance does that (p {_p_value(reasons.p)})"
        return f"cannot say: {seen}, but {chance}{advice}"
    span = f"anything from {100.0 * (low - 1.0):+.3g}% to {100.0 * (high - 1.0):+.3g}% would fit"
    return f"cannot say: {span}{advice}"


def _change(ratio: float, first: Sample, second: Sample) -> str:
    if 0.0 < ratio < float("inf"):
        return change_in_words(ratio, first.metric)
    before, after = float(first.values.mean()), float(second.values.mean())  # of which one is 0, or below
    word = words_for(first.metric)[after > before]
    unit = "" if first.metric.unit == "1" else f" {first.metric.unit}"
    return f"{word}: {after:g}{unit} instead of {before:g}{unit}"


def _percent(share: float) -> str:
    percent = 100.0 * share
    if percent >= 9.995:  # which is written as 10
        return f"{percent:.1f}%"
    return f"{percent:.2f}%" if percent >= 0.1 else f"{percent:.1g}%"


def _p_value(p: float | None) -> str:
    if p is None:
        return "unknown"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
