"""What a live view shows: a few lines of a profile that fit a part of a terminal, or one line for a log."""

from collections.abc import Callable
from dataclasses import replace
from io import StringIO

from sonde.base.fitted_text import keep_start, printable
from sonde.base.units import counted, format_count, format_duration, format_share
from sonde.instruments.contexts.analysis.folded_tree import FoldedTree
from sonde.instruments.contexts.analysis.function_groups import GroupedFunctions
from sonde.instruments.contexts.analysis.tree_selection import select_branches
from sonde.instruments.contexts.profile import ContextProfile, fold_imports, function_totals
from sonde.instruments.contexts.report.context_table import context_table
from sonde.instruments.contexts.report.exactness import exactness
from sonde.instruments.contexts.report.function_table import function_table
from sonde.instruments.contexts.report.node_label import place_of
from sonde.render.place_text import short_place
from sonde.render.terminal.page import Page
from sonde.render.terminal.table_text import print_table
from sonde.report import Table

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
    whole = profile.whole
    profile = fold_imports(profile)
    if not whole:
        return [*lines, "nothing was seen yet"][:height]
    functions = min(_MOST_FUNCTIONS, (height - len(lines)) // 3 - 1)
    below: list[str] = []
    if functions > 0:
        table = function_table(profile, GroupedFunctions(profile, function_totals(profile)), most=functions)
        below = written(lambda page: print_table(page, replace(_bare(table), rows=table.rows[:functions])))
    lines += _fitting_tree(profile, whole, height - len(lines) - len(below), written)
    return [*lines, *below][:height]


def live_summary(profile: ContextProfile, elapsed_ns: int) -> str:
    """Write a profile in one line: time, calls, and the hottest function."""
    said = [f"{format_duration(elapsed_ns)} elapsed", counted(profile.total_calls, "call")]
    folded = fold_imports(profile)
    groups = GroupedFunctions(folded, function_totals(folded))
    for group in groups.work[:1]:
        function = groups.functions[group.function]
        share = format_share(group.own, profile.whole)
        said.append(f"hottest {printable(function.label)} ({short_place(place_of(function))}) {share}")
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
        table = context_table(profile, selection, whole=whole, least=max(least, 1))
        return written(lambda page: print_table(page, _bare(table)))

    rows = max(1, room - 1)
    lines = printed(rows)
    while len(lines) > room and rows > 1:
        rows -= 1
        lines = printed(rows)
    return lines[: max(0, room)]


def _bare(table: Table) -> Table:
    """The rows alone: lines are few."""
    return replace(table, title="", notes=(), legend="")
