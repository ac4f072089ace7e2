"""What ran in which calling contexts, as a report: the tree, the hottest functions, what was lost."""

from dataclasses import dataclass, replace

from sonde.instruments.contexts.analysis.folded_tree import FoldedTree
from sonde.instruments.contexts.analysis.tree_selection import select_branches
from sonde.instruments.contexts.profile import ContextProfile, FunctionTotals, by_thread, function_totals, keep_heaviest
from sonde.instruments.contexts.report.context_table import context_table
from sonde.instruments.contexts.report.flame_graph import context_graph
from sonde.instruments.contexts.report.function_table import function_table
from sonde.instruments.contexts.report.line_table import line_table
from sonde.instruments.contexts.report.run_blocks import command_text, details, head, losses
from sonde.instruments.contexts.report.thread_table import thread_table
from sonde.instruments.contexts.report.unfolded_table import unfolded_table
from sonde.report import Block, Fact, Facts, Note, Report, Table

_MOST_ON_PAGE = 40_000
"""Contexts: as many as a flame graph shows."""


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """How much of a profile to list."""

    min_share: float = 0.01
    """Contexts with less of the whole are summed up, not listed; 0.01 is 1 %."""
    rows: int = 40
    """Lines of the tree, about; the lines that say what is missing come on top."""
    functions: int = 15
    """Lines of the function table; 0 leaves it out."""


def contexts_report(
    profile: ContextProfile,
    limits: ContextLimits | None = None,
    *,
    functions: FunctionTotals | None = None,
    focus: Fact | None = None,
    with_data: bool = True,
    by_threads: bool = False,
    by_lines: bool = False,
) -> Report:
    """A profile for reading.

    Args:
        functions: own values of whole functions, when `profile` lacks its lightest contexts and they are known.
        focus: what the profile is a part of.
        with_data: whether to make what only programs and pages read, which takes longer than the rest.
        by_threads: begin with what each thread spent; each is a root of the tree.
        by_lines: what each line of source costs, on paper in place of the tree.
    Raises:
        UsageError: `no-threads`, they were not kept apart.
    Cost: O(n) for n contexts in `profile`; read only the heaviest few thousand of a large file.
    """
    limits = limits or ContextLimits()
    totals = functions or function_totals(profile)
    blocks = _head(profile, focus)
    apart = by_thread(profile) if by_threads else None
    if len(profile.contexts):
        if apart is not None:
            blocks.append(thread_table(profile, apart))
        if by_lines:
            blocks.append(line_table(profile, totals, is_printed=True))
        blocks.append(replace(_tree(apart or profile, limits), is_secondary=by_lines))
        if limits.functions:
            is_whole = functions is not None
            blocks.append(function_table(profile, totals, is_whole=is_whole, most=limits.functions))
    else:
        blocks.append(Note("no calls were recorded"))
    blocks.append(losses(profile))
    if with_data:
        blocks += _data(profile, totals, limits, with_lines=not by_lines)
    return Report("contexts", command_text(profile), tuple(blocks), profile.sources)


def contexts_page(
    profile: ContextProfile,
    limits: ContextLimits | None = None,
    focus: Fact | None = None,
    *,
    by_threads: bool = False,
) -> Report:
    """A profile for a page, which has room for a flame graph, and for more of the tree.

    Args:
        profile: whole, so that the sums of functions are.
        limits, focus, by_threads: as for `contexts_report`; the tree has as many rows as have the share.
    Raises:
        UsageError: `no-threads`, they were not kept apart.
    Cost: O(n log n) for n contexts.
    """
    limits = limits or ContextLimits()
    totals = function_totals(profile)
    shown = _fitting_page(profile)
    apart = by_thread(profile) if by_threads else None
    drawn = shown if apart is None else _fitting_page(apart)
    blocks = _head(shown, focus)
    blocks.append(losses(profile))
    if len(profile.contexts):
        blocks += [
            *([] if apart is None else [thread_table(profile, apart)]),
            context_graph(drawn),
            function_table(profile, totals, most=limits.functions),
            _tree(drawn, replace(limits, rows=_MOST_ON_PAGE)),
        ]
    else:
        blocks.append(Note("no calls were recorded"))
    blocks += _data(shown, totals, limits)
    return Report("contexts", command_text(profile), tuple(blocks), profile.sources)


def _fitting_page(profile: ContextProfile) -> ContextProfile:
    # In bounded memory there are few, and what was not kept could not be told from what is left out here.
    return profile if profile.approximation is not None else keep_heaviest(profile, _MOST_ON_PAGE)


def _head(profile: ContextProfile, focus: Fact | None) -> list[Block]:
    return [*head(profile), *([] if focus is None else [Facts((focus,), "focus")])]


def _tree(profile: ContextProfile, limits: ContextLimits) -> Table:
    whole = profile.whole
    least = limits.min_share * whole
    selection = select_branches(FoldedTree(profile), whole=whole, least_weight=least, rows=limits.rows)
    return context_table(profile, selection, whole=whole, least=max(least, 1))


def _data(
    profile: ContextProfile, totals: FunctionTotals, limits: ContextLimits, *, with_lines: bool = True
) -> tuple[Block, ...]:
    """What only programs and pages read."""
    unfolded = unfolded_table(profile, rows=limits.rows, least_weight=limits.min_share * profile.whole)
    return *([line_table(profile, totals)] if with_lines else ()), unfolded, *details(profile)
