"""Two alternatives compared, on a terminal: the ratio, its interval drawn against 1, the verdict and its reasons."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_start, pad, printable
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import Comparison, Verdict
from sonde.instruments.bench.report import failed_in_words, format_change, format_ratio
from sonde.instruments.bench.report.terminal.interval_line import Axis, axis_of_ratios, draw_ratio
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.stats import Estimate

INDENT = "  "

_MARKS: dict[Verdict, str] = {"worse": "▲", "better": "▼", "unclear": "?", "same": "="}

_STYLES: dict[Verdict, tuple[str, ...]] = {"worse": ("red",), "better": ("green",), "unclear": ("yellow",), "same": ()}

_WIDEST_LINE = 48
"""Columns of a drawn interval: more tell nothing more."""


def verdict_mark(comparison: Comparison) -> str:
    """One sign for a verdict, so that colour is not the only one to tell: up where the value goes up."""
    if comparison.verdict in ("worse", "better"):
        if comparison.ratio is not None and comparison.ratio.value > 0.0:
            return "▲" if comparison.ratio.value > 1.0 else "▼"
        if comparison.difference is not None:  # a mean is 0
            return "▲" if comparison.difference.value > 0.0 else "▼"
    return _MARKS[comparison.verdict]


def verdict_styles(verdict: Verdict) -> tuple[str, ...]:
    """How to paint a verdict."""
    return _STYLES[verdict]


def print_comparisons(
    page: Page, comparisons: Sequence[Comparison], names: Sequence[tuple[str, str]], policy: Policy
) -> None:
    """Print a few comparisons, one block each, their intervals on one axis.

    Args:
        names: what to call the first and the second one of each.
    """
    ratios = [comparison.ratio for comparison in comparisons if comparison.ratio is not None]
    texts = [format_ratio(ratio) for ratio in ratios]
    column = max(map(display_width, texts), default=0)
    axis = axis_of_ratios(ratios, max(10, min(_WIDEST_LINE, page.width - len(INDENT) - column - 2)))
    for comparison, (first, second) in zip(comparisons, names, strict=True):
        page.line()
        _print_title(page, first, second)
        if comparison.ratio is not None:
            text = pad(format_ratio(comparison.ratio), column)
            page.line(f"{INDENT}{text}  {_painted_line(page, comparison, comparison.ratio, axis)}")
        sentence = f"{verdict_mark(comparison)} {_sentence(comparison, policy)}"
        say(page, sentence, *verdict_styles(comparison.verdict), indent=INDENT)
        _print_doubts(page, comparison)


def _print_title(page: Page, first: str, second: str) -> None:
    """`second against first`, both cut evenly where they do not fit."""
    between = " against "
    room = page.width - len(between)
    half = max(room // 2, room - display_width(first))
    second = keep_start(second, half)
    first = keep_start(first, room - display_width(second))
    page.line(f"{page.paint(second, 'bold')}{page.paint(between, 'dim')}{page.paint(first, 'bold')}")


def _painted_line(page: Page, comparison: Comparison, ratio: Estimate, axis: Axis) -> str:
    return page.paint(draw_ratio(axis, ratio), *verdict_styles(comparison.verdict))


def _sentence(comparison: Comparison, policy: Policy) -> str:
    """The verdict in words; a difference with its interval in percent, too: many think so."""
    why = printable(comparison.why)
    if comparison.verdict not in ("better", "worse") or comparison.ratio is None:
        return why
    limit = ""
    if comparison.verdict == "worse" and policy.tolerance:
        limit = f", {'beyond' if comparison.is_regression else 'within'} the tolerance of {100.0 * policy.tolerance:g}%"
    change = format_change(comparison.ratio)
    return f"{why}{': ' if change else ''}{change}{limit}"


def _print_doubts(page: Page, comparison: Comparison) -> None:
    if comparison.ratio is None:
        return
    for assumption in comparison.ratio.failed:
        say(page, f"! {failed_in_words(assumption)}", "yellow", indent=INDENT)
    if comparison.paired:
        pairs = comparison.ratio.sizes[0] if comparison.ratio.sizes else 0
        say(page, f"{pairs:,} rounds, in each of which both ran: compared in pairs", "dim", indent=INDENT)
