"""One series on a terminal: where it is, how it spreads, and what to know before believing it."""

from sonde.base.fitted_text import display_width, keep_start, printable
from sonde.instruments.bench.judging import Sample, Summary
from sonde.instruments.bench.report import (
    STEADY_STATE,
    Scale,
    failed_in_words,
    format_percent,
    sample_size,
    scale_beside,
    split_in_words,
)
from sonde.instruments.bench.report.terminal.density_strip import beyond, density_strip
from sonde.instruments.bench.report.terminal.interval_line import Axis, draw_interval
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.stats import Estimate

INDENT = "  "

_EXAMPLES = 3
"""Failures told one by one; the rest is counted, and is in `--json`."""


def print_series(page: Page, name: str, summary: Summary, scale: Scale, axis: Axis) -> None:
    """Print what can be said of one series.

    Args:
        axis: on which its values are drawn; its width is that of the drawing.
    """
    sample = summary.sample
    size = sample_size(sample)
    room = page.width - display_width(size) - 2
    page.line(f"{page.paint(keep_start(name, room), 'bold')}  {page.paint(size, 'dim')}")
    if summary.mean is None:
        page.line(f"{INDENT}nothing can be said: not one invocation ended well")
    else:
        _print_numbers(page, summary, summary.mean, scale)
        if len(sample.values) > 1:
            _print_drawing(page, summary.mean, sample, scale, axis)
        _print_notes(page, summary)
    _print_failures(page, sample)


def _print_numbers(page: Page, summary: Summary, mean: Estimate, scale: Scale) -> None:
    decimals = scale.decimals_for(mean.value, mean.interval)
    left = [f"mean    {scale.estimate(mean)}"]
    right = []
    if summary.median is not None and len(summary.sample.values) > 1:
        right.append(f"median  {scale.estimate(summary.median)}")
    if summary.deviation is not None:
        sample_unit = summary.sample.metric.unit
        share = f" ({format_percent(summary.deviation / abs(mean.value))})" if mean.value else ""
        left.append(f"spread  {scale_beside(scale, sample_unit, summary.deviation).text(summary.deviation)}{share}")
    if summary.least is not None and summary.greatest is not None and len(summary.sample.values) > 1:
        ends = f"{scale.number(summary.least, decimals)} to {scale.text(summary.greatest, decimals)}"
        right.append(f"range   {ends}")
    column = max(map(display_width, left)) + 3
    for number in range(max(len(left), len(right))):
        first = left[number] if number < len(left) else ""
        second = right[number] if number < len(right) else ""
        if column + display_width(second) + len(INDENT) <= page.width:
            page.line(f"{INDENT}{first}{' ' * (column - display_width(first))}{second}")
        else:
            page.line(f"{INDENT}{first}")
            page.line(f"{INDENT}{second}")
    if mean.withheld:
        say(page, f"no interval: {mean.withheld}", "yellow", indent=INDENT)


def _print_drawing(page: Page, mean: Estimate, sample: Sample, scale: Scale, axis: Axis) -> None:
    """Two lines on one axis: how many values lie where, and the interval of the mean below them."""
    decimals = scale.decimals_between(axis.low, axis.high)
    low, high = scale.number(axis.low, decimals), scale.text(axis.high, decimals)
    more = beyond(sample.values, axis)
    page.line(f"{INDENT}{density_strip(sample.values, axis)}{f'  {more}' if more else ''}")
    ends = (mean.value, mean.value) if mean.interval is None else (mean.interval.low, mean.interval.high)
    drawn = draw_interval(axis, mean.value, *ends)
    # The ends of the axis are written into the line of the interval where it leaves room for them.
    at_left, at_right = drawn[: len(low) + 1], drawn[-len(high) - 1 :]
    if not at_left.strip():
        drawn = f"{page.paint(low, 'dim')}{drawn[len(low) :]}"
    if not at_right.strip():
        drawn = f"{drawn[: len(drawn) - len(high)]}{page.paint(high, 'dim')}"
    page.line(f"{INDENT}{drawn}")


def _print_notes(page: Page, summary: Summary) -> None:
    if summary.outliers is not None and summary.outliers.count:
        say(page, f"outliers: {summary.outliers.finding}; none was removed", indent=INDENT)
    for assumption in summary.assumptions:
        if assumption.failed:
            say(page, f"! {failed_in_words(assumption)}", "yellow", indent=INDENT)
        elif assumption.name == STEADY_STATE:
            say(page, f"steady state: {assumption.finding}", indent=INDENT)
    if summary.split is not None:
        say(page, split_in_words(summary.split), indent=INDENT)
    if summary.design is not None:
        say(page, f"cheapest repetition: {summary.design}", "dim", indent=INDENT)


def _print_failures(page: Page, sample: Sample) -> None:
    details: dict[str, int] = {}
    for invocation in sample.series.invocations:
        if invocation.outcome != "ok":
            text = printable(invocation.detail) or invocation.outcome
            details[text] = details.get(text, 0) + 1
    total = len(sample.series.invocations)
    for text, count in list(details.items())[:_EXAMPLES]:
        say(page, f"! {count:,} of {total:,} invocations failed: {text}", "red", indent=INDENT)
    if len(details) > _EXAMPLES:
        rest = sum(list(details.values())[_EXAMPLES:])
        say(page, f"! {rest:,} more failed in {len(details) - _EXAMPLES:,} other ways", "red", indent=INDENT)
