"""How accurate an approximate profile is, on a terminal: the hot tree's nodes, the measures, the curves."""

from collections.abc import Sequence
from functools import partial
from typing import TextIO

from sonde.base.fitted_text import keep_end, printable
from sonde.base.units import format_count, format_duration, format_share, short_count
from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.profile.comparison import Accuracy
from sonde.instruments.contexts.report.exactness import metric_amount
from sonde.render.terminal.page import Page
from sonde.render.terminal.text_table import print_table

_DIGITS = 3
"""Significant digits of a small share: hotness of what is not covered is often a thousandth of a percent."""


def print_accuracy(
    judged: Accuracy,
    curve: Sequence[Accuracy],
    stream: TextIO,
    *,
    approximate: ContextProfile,
    names: tuple[str, str] = ("exact", "approximate"),
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print how well an approximate profile does.

    Args:
        judged: at the phi of interest.
        curve: at others; empty: no table over phi.
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        approximate: what was judged, for its parameters and losses.
        names: what to call the exact and the approximate profile.
        width, colour: override what the stream and the environment say.
    """
    page = Page(stream, width=width, colour=colour)
    _print_profiles(page, judged, approximate, names)
    _print_tree(page, judged)
    _print_measures(page, judged)
    _print_coverage(page, judged)
    if curve:
        _print_curve(page, curve, approximate)
    _print_doubts(page, judged, approximate)


def _print_profiles(page: Page, judged: Accuracy, approximate: ContextProfile, names: tuple[str, str]) -> None:
    amount = partial(metric_amount, judged.metric)
    room = page.width - len("approximate  ")
    for label, name in zip(("exact", "approximate"), names, strict=True):
        page.line(f"{label:<11}  {page.paint(keep_end(printable(name), room), 'bold')}")
    bounds, sampling = approximate.approximation, approximate.sampling
    made_with = ["no bound on memory"]
    if bounds is not None:
        made_with = [
            f"phi {bounds.phi:g}",
            f"epsilon {bounds.epsilon:g}",
            f"{format_count(bounds.counters)} counters",
            f"floor {amount(bounds.floor)}",
        ]
    if sampling is not None:
        bursts = f"{format_duration(sampling.interval_ns)}/{format_duration(sampling.burst_ns)}"
        made_with.append(f"{format_count(sampling.bursts)} bursts {bursts}, {_share(sampling.fraction)} of the run")
    page.flow([f"made with {made_with[0]}", *made_with[1:]], "dim")
    page.flow(
        [
            f"phi {judged.phi:g} of {amount(judged.total)}: hot from {amount(judged.threshold)}",
            f"the hottest context has {amount(judged.heaviest)}",
        ]
    )


def _print_tree(page: Page, judged: Accuracy) -> None:
    page.heading("contexts", "the hot tree: what is said to be hot, and what leads there")
    rows = [
        ("exact tree", format_count(judged.exact_contexts), ""),
        ("  hot", format_count(judged.hot_contexts), _part(judged.hot_contexts, judged.exact_contexts)),
        ("hot tree", format_count(judged.tree_contexts), _part(judged.tree_contexts, judged.exact_contexts)),
        ("  hot, found", format_count(judged.found_contexts), _part(judged.found_contexts, judged.tree_contexts)),
        ("  false positives", format_count(judged.false_positives), _share(judged.false_positive_share)),
        ("  cold, on the way", format_count(judged.cold_contexts), _part(judged.cold_contexts, judged.tree_contexts)),
        ("hot, missed", format_count(judged.missed_contexts), _part(judged.missed_contexts, judged.hot_contexts)),
    ]
    print_table(page, ("", "contexts", "share"), rows, left=(0,))


def _print_measures(page: Page, judged: Accuracy) -> None:
    page.heading("accuracy")
    what = "time" if judged.metric == "time" else "calls"
    broken = "-" if judged.violations is None else format_count(judged.violations)
    rows = [
        ("degree of overlap", _share(judged.overlap), f"of all {what}, in the hot tree"),
        ("uncovered, hottest", _share(judged.max_uncovered), "of the hottest context"),
        ("uncovered, average", _share(judged.average_uncovered), "of the hottest context"),
        ("counter error, largest", _share(judged.max_error), "of the true value, over hot contexts found"),
        ("counter error, average", _share(judged.average_error), "of the true value, over hot contexts found"),
        ("bounds broken", broken, "contexts, of all that are listed or not"),
    ]
    print_table(page, ("measure", "value", ""), rows, left=(0, 2))


def _print_coverage(page: Page, judged: Accuracy) -> None:
    page.heading("hot edge coverage", "of contexts with at least tau of the hottest one's weight")
    taus = [f"{tau:g}" for tau, _ in judged.coverage]
    cells = [_rounded_down(share) for _, share in judged.coverage]
    print_table(page, ("tau", *taus), [("covered", *cells)], left=(0,))
    if judged.full_coverage_tau is None:
        page.line("the hottest context itself is not covered")
        return
    twice = "all is" if judged.is_covered_at_twice else "not all is"
    page.flow(
        [
            f"100% from tau {judged.full_coverage_tau:.3g}",
            f"phi stands for tau {judged.guaranteed_tau:.3g}",
            f"{twice} covered from twice that",
        ]
    )


def _print_curve(page: Page, curve: Sequence[Accuracy], approximate: ContextProfile) -> None:
    page.heading("over phi", "down to 5 epsilon" if approximate.approximation is not None else "")
    header = ("phi", "hot", "missed", "tree", "false+", "overlap", "100% from", "uncov.", "avg err", "max err")
    rows = [
        (
            f"{point.phi:g}",
            short_count(point.hot_contexts),
            short_count(point.missed_contexts),
            short_count(point.tree_contexts),
            _share(point.false_positive_share),
            _share(point.overlap),
            "-" if point.full_coverage_tau is None else f"{point.full_coverage_tau:.2g}",
            _share(point.max_uncovered),
            _share(point.average_error),
            _share(point.max_error),
        )
        for point in curve
    ]
    print_table(page, header, rows, left=(0,))


def _print_doubts(page: Page, judged: Accuracy, approximate: ContextProfile) -> None:
    doubts = [f"the approximate profile: {loss.detail}: {format_count(loss.amount)}" for loss in approximate.losses]
    bounds = approximate.approximation
    if judged.violations:
        doubts.append("bounds are broken: the profiles are not of the same calls, or this is a bug in sonde")
    if bounds is not None and judged.phi <= bounds.epsilon:
        doubts.append("phi is not more than epsilon: hot contexts may be missed")
    if judged.violations is None:
        doubts.append("sampled: values are estimates of the whole run, no bounds are stated that could be checked")
    if doubts:
        page.line()
    for doubt in doubts:
        page.flow(["!", *printable(doubt).split(" ")], "yellow", between=" ")


def _part(part: int, whole: int) -> str:
    return _share(part / whole) if whole else "-"


def _share(share: float) -> str:
    """A share in percent, also a very small one: `91.2%`, `0.0031%`."""
    percent = 100 * share
    if percent == 0 or percent >= 1:
        return format_share(share, 1.0) if percent else "0%"
    return f"{percent:.{_DIGITS - 1}g}%" if percent >= 1e-4 else "<0.0001%"


def _rounded_down(share: float) -> str:
    """Coverage: 100% only if nothing is missing."""
    return "100%" if share == 1.0 else f"{min(99.9, 100 * share):.1f}%"
