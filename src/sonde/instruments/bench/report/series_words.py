"""What is said of a series besides its numbers: its size, and where its variance comes from."""

from sonde.base.units import counted
from sonde.instruments.bench.judging import STEADY_STATE, Sample
from sonde.render.quantity import format_percent
from sonde.stats import Assumption, VarianceSplit


def failed_in_words(assumption: Assumption) -> str:
    """What the data say against an assumption.

    >>> failed_in_words(Assumption("normality", False, "skewness 4.32, p < 0.001, n = 30"))
    'normality does not hold: skewness 4.32, p < 0.001, n = 30'
    """
    if assumption.name == STEADY_STATE:
        return f"no steady state: {assumption.finding}"
    return f"{assumption.name} does not hold: {assumption.finding}"


def sample_size(sample: Sample) -> str:
    """How many invocations there were, and what became of them."""
    n = len(sample.values)
    parts = [counted(n, "invocation")]
    if not sample.series.separate:
        total = sum(len(sample.series.invocations[i].values) for i in dict.fromkeys(sample.counted))
        parts = [f"{total:,} values, of which process is not known"]
    elif sample.series.mode == "steady" and n:
        lengths = [len(sample.series.invocations[i].values) for i in sample.counted]
        parts.append(f"{_span(lengths)} iterations each")
    if sample.warm_up_rounds:
        parts.append(f"{sample.warm_up_rounds:,} to warm up")
    if sample.failed:
        parts.append(f"{sample.failed:,} failed")
    return ", ".join(parts)


def _span(lengths: list[int]) -> str:
    low, high = min(lengths), max(lengths)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def split_in_words(split: VarianceSplit) -> str:
    """How much processes differ, and how much the iterations of one process do."""
    between, within, correlation = split.between_variation, split.within_variation, split.intraclass_correlation
    if between is None or within is None or correlation is None:
        return "variation between invocations and between iterations cannot be told apart"
    if split.is_truncated:
        return (
            f"variation: {format_percent(within)} between iterations; invocations differ no more than that makes them"
        )
    return (
        f"variation: {format_percent(between)} between invocations, {format_percent(within)} between iterations of one;"
        f" {format_percent(correlation)} of the variance is between invocations"
    )
