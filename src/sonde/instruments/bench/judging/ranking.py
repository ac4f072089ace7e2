"""In which order comparisons are read: what got worse first, worst first; what is the same last."""

from collections.abc import Iterable
from dataclasses import dataclass

from sonde.instruments.bench.judging.comparison import Comparison, Verdict

ORDER: tuple[Verdict, ...] = ("worse", "better", "unclear", "same")
"""Bad news first; what could not be told before what needs no attention."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The comparisons of one verdict, the largest change first."""

    verdict: Verdict
    comparisons: tuple[Comparison, ...]


def ranked(comparisons: Iterable[Comparison]) -> tuple[Ranked, ...]:
    """Sort comparisons by verdict, then by how bad they are; verdicts that nobody got are left out.

    Regressions stand before what is worse within the tolerance. What cannot be told is sorted by how bad it may be:
    by the bad end of its interval, and first of all what has none.
    """
    by_verdict: dict[Verdict, list[Comparison]] = {verdict: [] for verdict in ORDER}
    for comparison in comparisons:
        by_verdict[comparison.verdict].append(comparison)
    return tuple(
        Ranked(verdict, tuple(sorted(found, key=_badness, reverse=True)))
        for verdict, found in by_verdict.items()
        if found
    )


def _badness(comparison: Comparison) -> tuple[bool, float]:
    ratio = comparison.ratio
    if ratio is None:
        return True, float("inf")
    is_lower_better = comparison.first.metric.better == "lower"
    if comparison.verdict in ("worse", "better"):
        return comparison.is_regression, max(ratio.value, 1.0 / ratio.value) if ratio.value > 0.0 else float("inf")
    if ratio.interval is None:
        return True, ratio.value if is_lower_better else -ratio.value
    return False, ratio.interval.high if is_lower_better else -ratio.interval.low
