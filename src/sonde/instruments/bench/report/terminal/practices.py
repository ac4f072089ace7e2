"""What usual practices would have said, on a terminal, beside what is established."""

from collections import Counter
from collections.abc import Sequence
from typing import TextIO

import numpy as np

from sonde.base.fitted_text import printable
from sonde.base.units import format_count
from sonde.instruments.bench.practices import PRACTICES, Claim, Kind, Lint, LintedComparison, LintedSeries
from sonde.instruments.bench.report import common_scale, format_ratio, scale_for
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import print_table

_BLOCKS = 4
"""Up to so many comparisons, or series, are told practice by practice; more are counted."""
_KINDS: tuple[Kind, ...] = ("right", "indicative", "misleading", "incorrect")
_STYLES: dict[Kind, str] = {"right": "green", "indicative": "dim", "misleading": "yellow", "incorrect": "red"}
_EXPLAINED = {
    "right": "it says what is established",
    "indicative": "nothing established contradicts it, but it is not established itself, in size or at all",
    "misleading": "it claims a difference that is not established, or misses one that is",
    "incorrect": "the opposite is established",
}


def print_lint(lint: Lint, stream: TextIO, *, width: int | None = None, colour: bool | None = None) -> None:
    """Print claims of comparisons; and what is reported of series, where there is nothing to compare.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        width, colour: override what the stream and the environment say.
    """
    page = Page(stream, width=width, colour=colour)
    if lint.comparisons:
        if len(lint.comparisons) <= _BLOCKS:
            for comparison in lint.comparisons:
                _print_comparison(page, comparison, lint)
        else:
            _print_counts(page, lint)
        _explain(page, lint)
        return
    for series in lint.series[:_BLOCKS]:
        _print_series(page, series)
    if len(lint.series) > _BLOCKS:
        page.line()
        page.line(f"and {format_count(len(lint.series) - _BLOCKS)} more: --json has all of them")
    page.line()
    say(
        page,
        f"'again' is what 95% of {format_count(lint.resamples)} repetitions of the experiment would report, with"
        " invocations drawn anew from these.",
        "dim",
    )


def _print_comparison(page: Page, linted: LintedComparison, lint: Lint) -> None:
    comparison = linted.comparison
    page.heading(
        printable(comparison.benchmark), printable(f"{comparison.second_name} against {comparison.first_name}")
    )
    say(page, f"established: {comparison.why}")
    if comparison.ratio is not None and comparison.ratio.interval is not None:
        page.line(f"ratio of means {format_ratio(comparison.ratio)}")
    if not linted.claims:
        return
    page.line()
    above = f"beyond {100.0 * lint.ignore_below:g}%"
    header = ("practice", "says", "which is", "changes", "flips", above)
    rows = [
        (
            claim.practice.name,
            _said(claim),
            claim.kind,
            f"{100.0 * claim.otherwise:.0f}%",
            f"{100.0 * claim.opposite:.0f}%",
            other.kind if other.kind != claim.kind else "",
        )
        for claim, other in zip(linted.claims, linted.claims_above, strict=True)
    ]
    print_table(page, header, rows, left=(0, 1, 2, 5))


def _said(claim: Claim) -> str:
    if claim.says == "same":
        return "no difference"
    factor = claim.ratio
    if not np.isfinite(factor) or factor <= 0.0:
        return claim.says
    change = 100.0 * (factor - 1.0)
    size = f"{change:+.1f}%" if abs(change) < 100.0 else f"{factor:.2f}x"
    return f"{claim.says}, {size}"


def _print_counts(page: Page, lint: Lint) -> None:
    """How often each practice is right, over all comparisons."""
    count = len(lint.comparisons)
    verdicts = Counter(linted.comparison.verdict for linted in lint.comparisons)
    told = ", ".join(f"{format_count(number)} {verdict}" for verdict, number in verdicts.most_common())
    page.heading(f"{format_count(count)} comparisons", f"established: {told}")
    page.line()
    header = ("practice", *_KINDS, "changes")
    print_table(page, header, [_counts(name, lint, above=False) for name in _names(lint)], left=(0,))
    page.heading("the same", f"differences below {100.0 * lint.ignore_below:g}% ignored")
    print_table(page, header, [_counts(name, lint, above=True) for name in _names(lint)], left=(0,))


def _names(lint: Lint) -> Sequence[str]:
    used = {claim.practice.name for linted in lint.comparisons for claim in linted.claims}
    return [practice.name for practice in PRACTICES if practice.name in used]


def _counts(name: str, lint: Lint, *, above: bool) -> tuple[str, ...]:
    claims = [
        claim
        for linted in lint.comparisons
        for claim in (linted.claims_above if above else linted.claims)
        if claim.practice.name == name
    ]
    kinds = Counter(claim.kind for claim in claims)
    otherwise = sum(claim.otherwise for claim in claims) / len(claims)
    return (name, *(format_count(kinds[kind]) for kind in _KINDS), f"{100.0 * otherwise:.0f}%")


def _explain(page: Page, lint: Lint) -> None:
    page.line()
    shown = {claim.kind for linted in lint.comparisons for claim in (*linted.claims, *linted.claims_above)}
    for kind in _KINDS:
        if kind in shown:
            say(page, f"{kind}: {_EXPLAINED[kind]}", "dim")
    say(
        page,
        f"changes, flips: in how many of {format_count(lint.resamples)} repetitions of the experiment, with invocations"
        " drawn anew from these, the same practice says something else, or the opposite",
        "dim",
    )


def _print_series(page: Page, linted: LintedSeries) -> None:
    summary = linted.summary
    sample, mean = summary.sample, summary.mean
    scale = common_scale([sample])[id(sample)]
    page.heading(printable(sample.series.benchmark), printable(sample.series.alternative))
    if mean is None:
        say(page, "established: nothing, no invocation ended well")
        return
    if mean.interval is None:
        say(page, f"established: mean {scale.text(mean.value)}, no interval: {mean.withheld}")
    else:
        low, high = scale.text(mean.interval.low), scale.text(mean.interval.high)
        page.line(
            f"established: mean {scale.text(mean.value)}, {100.0 * mean.interval.level:g}% interval {low} to {high}"
        )
    if not linted.reports:
        return
    page.line()
    scale = scale_for(sample.metric.unit, [report.value for report in linted.reports])
    rows = [
        (
            report.practice.name,
            scale.text(report.value),
            scale.text(report.low),
            scale.text(report.high),
            {True: "inside", False: "outside", None: ""}[report.inside],
        )
        for report in linted.reports
    ]
    print_table(page, ("practice", "reports", "again from", "to", "of the interval"), rows, left=(0, 4))
