"""What a live view shows: a few lines of a profile that fit a part of a terminal, or one line for a log."""

from collections.abc import Callable
from io import StringIO

from sonde.base.fitted_text import keep_start, printable
from sonde.base.units import counted, format_count, format_duration, format_share
from sonde.instruments.contexts.profile import ContextProfile, function_totals
from sonde.instruments.contexts.report.exactness import deviations_of_functions, exactness
from sonde.instruments.contexts.report.terminal.context_tree import print_context_tree
from sonde.instruments.contexts.report.terminal.folded_tree import FoldedTree
from sonde.instruments.contexts.report.terminal.function_table import hottest_functions, print_function_table
from sonde.instruments.contexts.report.terminal.tree_selection import select_branches
from sonde.render.terminal.page import Page
from sonde.render.terminal.place import short_place

_LEAST_SHARE = 0.01
"""Contexts with less of the whole are summed up: lines are few."""

_MOST_FUNCTIONS = 8

_Write = Callable[[Page], None]


def live_lines(
    profile: ContextProfile, elapsed_ns: int, *, width: int, height: int, colour: bool = False, encoding: str = "utf-8"
) -> list[str]:
    """Write a profile in at most `height` lines: totals, the tree, the hottest functions.

    Args:
        elapsed_ns: since the program was started.
        width: of the lines; at least 60 (`sonde.render.terminal.page.NARROWEST`).
        height: at least 1.
    Cost: O(n) for n contexts, a few microseconds each.
    """

    def written(write: _Write) -> list[str]:
        text = StringIO()
        write(Page(text, width=width, colour=colour, encoding=encoding))
        return text.getvalue().splitlines()

    lines = written(lambda page: _print_head(page, profile, elapsed_ns))
    whole = _whole(profile)
    if not whole:
        return [*lines, "nothing was seen yet"][:height]
    functions = min(_MOST_FUNCTIONS, (height - len(lines)) // 3 - 1)
    table = written(lambda page: _print_functions(page, profile, whole, functions)) if functions > 0 else []
    lines += _fitting_tree(profile, whole, height - len(lines) - len(table), written)
    return [*lines, *table][:height]


def live_summary(profile: ContextProfile, elapsed_ns: int) -> str:
    """Write a profile in one line: time, calls, and the hottest function."""
    said = [f"{format_duration(elapsed_ns)} elapsed", counted(profile.total_calls, "call")]
    totals = function_totals(profile)
    for i in hottest_functions(profile, totals, 1):
        own = totals.self_ns if profile.has_time else totals.calls
        function = profile.functions[i]
        share = format_share(own[i], _whole(profile))
        said.append(f"hottest {printable(function.label)} ({short_place(function)}) {share}")
    return ", ".join(said)


def _print_head(page: Page, profile: ContextProfile, elapsed_ns: int) -> None:
    facts = [f"{format_duration(elapsed_ns)} elapsed"]
    if profile.has_time:
        facts.append(f"{format_duration(profile.total_ns)} in threads")
    facts += [
        counted(profile.total_calls, "call"),
        f"{format_count(len(profile.contexts) + profile.pruned_contexts)} contexts",
    ]
    if len(profile.processes) > 1:
        facts.append(f"{format_count(len(profile.processes))} processes")
    page.line(page.paint(keep_start(" · ".join(facts), page.width), "bold"))
    if profile.sampling is not None or profile.left_something_out:
        page.line(page.paint(keep_start(" · ".join(exactness(profile)), page.width), "dim"))


def _fitting_tree(profile: ContextProfile, whole: int, room: int, written: Callable[[_Write], list[str]]) -> list[str]:
    """As much of the tree as has room, with the lines that say what is missing."""
    tree = FoldedTree(profile)
    least = _LEAST_SHARE * whole

    def printed(rows: int) -> list[str]:
        selection = select_branches(tree, whole=whole, least_weight=least, rows=rows)
        return written(
            lambda page: print_context_tree(
                page, profile, selection, whole=whole, least=max(least, 1), with_legend=False
            )
        )

    rows = max(1, room - 1)
    lines = printed(rows)
    while len(lines) > room and rows > 1:
        rows -= 1
        lines = printed(rows)
    return lines[: max(0, room)]


def _print_functions(page: Page, profile: ContextProfile, whole: int, count: int) -> None:
    totals = function_totals(profile)
    ids = hottest_functions(profile, totals, count)
    deviation = profile.contexts.ns_deviation if profile.has_time else profile.contexts.calls_deviation
    deviations = deviations_of_functions(profile, deviation)
    if ids:
        print_function_table(page, profile, totals, ids, whole=whole, deviations=deviations)


def _whole(profile: ContextProfile) -> int:
    return profile.total_ns if profile.has_time else profile.total_calls
