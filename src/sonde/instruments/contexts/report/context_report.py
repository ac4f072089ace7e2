"""What ran in which calling contexts, as a report: the tree, the hottest functions, what was lost."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sonde.base.errors import UsageError
from sonde.instruments.contexts.analysis.awaited_places import WaitingGroup, waiting_groups
from sonde.instruments.contexts.analysis.folded_tree import FoldedTree
from sonde.instruments.contexts.analysis.function_groups import GroupedFunctions
from sonde.instruments.contexts.analysis.line_costs import LineCost, line_costs
from sonde.instruments.contexts.analysis.numbered_tasks import numbered_together
from sonde.instruments.contexts.analysis.tree_selection import select_branches
from sonde.instruments.contexts.profile import (
    ContextProfile,
    FunctionTotals,
    TaskTimes,
    by_thread,
    fold_imports,
    function_totals,
    keep_heaviest,
)
from sonde.instruments.contexts.report.context_table import context_table
from sonde.instruments.contexts.report.flame_graph import context_graph
from sonde.instruments.contexts.report.function_table import function_table
from sonde.instruments.contexts.report.headline import headline
from sonde.instruments.contexts.report.line_headline import line_headline
from sonde.instruments.contexts.report.line_table import line_table
from sonde.instruments.contexts.report.run_blocks import command_text, details, doubt, head, means, reservations
from sonde.instruments.contexts.report.shown_part import shown_part
from sonde.instruments.contexts.report.task_table import await_table, is_the_story, task_headline, task_table
from sonde.instruments.contexts.report.thread_table import thread_headline, thread_table
from sonde.instruments.contexts.report.unfolded_table import unfolded_table
from sonde.instruments.contexts.report.unit_headline import unit_headline
from sonde.instruments.contexts.report.waiting_table import waiting_headline, waiting_table
from sonde.instruments.contexts.shown_code import ShownCode
from sonde.report import Block, Note, Report, Table

_MOST_ON_PAGE = 40_000
"""Contexts: as many as a flame graph shows."""
_FEW_ROWS, _MANY_ROWS = 8, 20
"""Lines of the tree, if nobody says how many."""
_ON_PAGE = 10
"""Functions that a page shows at first."""
_MOST_SENTENCES = 3
"""Of a headline."""


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """How much of a profile to list."""

    min_share: float = 0.01
    """Contexts with less of the whole are summed up, not listed; 0.01 is 1 %."""
    rows: int | None = None
    """Lines of the tree, about; the lines that say what is missing come on top. None: `_FEW_ROWS` on paper, where the
    functions tell the rest, and `_MANY_ROWS` for programs."""
    functions: int = 6
    """Lines of the function table; 0 leaves it out."""


def contexts_report(
    profile: ContextProfile,
    limits: ContextLimits | None = None,
    code: ShownCode | None = None,
    *,
    totals_of: Callable[[ContextProfile], FunctionTotals] | None = None,
    with_data: bool = True,
    by_threads: bool = False,
    by_tasks: bool = False,
    by_lines: bool = False,
) -> Report:
    """A profile for reading.

    Args:
        code: what is shown of it; imports are folded if nothing else is said.
        totals_of: sums up by function what is shown, where `profile` lacks its lightest contexts and they are known.
        with_data: whether to make what only programs and pages read, which takes longer than the rest.
        by_threads: begin with what each thread spent; each is a root of the tree.
        by_tasks: begin with what tasks awaited.
        by_lines: what each line of source costs, on paper in place of the tree.
    Raises:
        UsageError: `no-such-function`, `no-code-left`; `no-threads`, they were not kept apart;
            `no-tasks`, there were none.
    Cost: O(n) for n contexts in `profile`; read only the heaviest few thousand of a large file.
    """
    limits, code = limits or ContextLimits(), code or ShownCode()
    limits = replace(limits, rows=limits.rows or (_MANY_ROWS if with_data else _FEW_ROWS))
    part = shown_part(profile, code)
    shown = part.shown
    sums = totals_of or function_totals
    groups = GroupedFunctions(shown, sums(shown))
    tasks = _shown_tasks(profile)
    is_of_tasks, waiting = _waiting(profile, code)
    printed = _tasks(profile, tasks, is_printed=by_tasks and not is_of_tasks)
    blocks: list[Block] = [head(part.counted), *part.facts, *printed]
    apart = by_thread(profile) if by_threads and not is_of_tasks else None
    costs: list[LineCost] = []
    if len(shown.contexts):
        if apart is not None:
            blocks.append(thread_table(profile, _folded(apart, code)))
        if waiting:
            blocks.append(waiting_table(profile, waiting))
        if by_lines:
            costs = line_costs(part.folded, sums(part.folded), code.selection)
            blocks.append(line_table(part.folded, costs, is_printed=True, is_part=code.from_ is not None))
        drawn = shown if apart is None else shown_part(apart, code).shown
        blocks.append(replace(_tree(drawn, limits), is_secondary=by_lines))
        if limits.functions:
            is_whole = totals_of is not None
            blocks.append(function_table(shown, groups, is_whole=is_whole, most=limits.functions, imports=part.imports))
    else:
        blocks.append(Note("no calls were recorded"))
    blocks += [doubt(part.counted, part.shown), *means(part.counted), reservations(profile, _hottest(groups))]
    if with_data:
        blocks += _data(part.counted, sums(part.counted), limits, with_lines=not by_lines)
    of_lines = () if shown.has_units else line_headline(shown, costs, shown.whole - groups.covered)
    of_waiting = waiting_headline(profile, waiting)
    said = (*of_waiting, *of_lines, *_headline(profile, apart, shown, groups, tasks, by_tasks=by_tasks))[
        :_MOST_SENTENCES
    ]
    return Report("contexts", command_text(profile), tuple(blocks), profile.sources, headline=said)


def contexts_page(
    profile: ContextProfile,
    limits: ContextLimits | None = None,
    code: ShownCode | None = None,
    *,
    by_threads: bool = False,
    by_tasks: bool = False,
) -> Report:
    """A profile for a page, which has room for a flame graph, and for more of the tree.

    Args:
        profile: whole, so that the sums of functions are.
        limits, code, by_threads, by_tasks: as for `contexts_report`; the tree has as many rows as have the share. The
            flame graph has what ran in imports, too, if all code is shown.
    Raises:
        UsageError: `no-such-function`, `no-code-left`, `no-threads`, `no-tasks`.
    Cost: O(n log n) for n contexts.
    """
    limits, code = limits or ContextLimits(), code or ShownCode()
    part = shown_part(profile, code)
    groups = GroupedFunctions(part.shown, function_totals(part.shown))
    tasks = _shown_tasks(profile)
    blocks: list[Block] = [
        head(part.counted),
        *part.facts,
        *means(part.counted),
        reservations(profile, _hottest(groups)),
    ]
    is_of_tasks, waiting = _waiting(profile, code)
    apart = by_thread(profile) if by_threads and not is_of_tasks else None
    if len(part.shown.contexts):
        drawn = part if apart is None else shown_part(apart, code)
        blocks += [
            *([] if apart is None else [thread_table(profile, _folded(apart, code))]),
            *([waiting_table(profile, waiting)] if waiting else []),
            *_tasks(profile, tasks, is_printed=by_tasks and not is_of_tasks),
            context_graph(_fitting(drawn.shown if drawn.is_selected else drawn.counted)),
            function_table(
                part.shown, groups, most=limits.functions and max(limits.functions, _ON_PAGE), imports=part.imports
            ),
            _tree(_fitting(drawn.shown), replace(limits, rows=_MOST_ON_PAGE)),
        ]
    else:
        blocks.append(Note("no calls were recorded"))
    blocks += _data(_fitting(part.counted), function_totals(part.counted), limits)
    of_tasks = waiting_headline(profile, waiting)
    said = (*of_tasks, *_headline(profile, apart, part.shown, groups, tasks, by_tasks=by_tasks))[:_MOST_SENTENCES]
    return Report("contexts", command_text(profile), tuple(blocks), profile.sources, headline=said)


def _hottest(groups: GroupedFunctions) -> int:
    return max((group.own for group in groups.work), default=0)


def _headline(
    profile: ContextProfile,
    apart: ContextProfile | None,
    shown: ContextProfile,
    groups: GroupedFunctions,
    tasks: TaskTimes | None,
    *,
    by_tasks: bool,
) -> tuple[str, ...]:
    """Threads first where they are asked for, then tasks, likewise or where these mostly wait."""
    if shown.has_units:
        return unit_headline(shown)
    threads = () if apart is None else thread_headline(profile, apart)
    is_told = tasks is not None and (by_tasks or is_the_story(tasks))
    of_tasks = task_headline(profile, tasks) if tasks is not None and is_told else ()
    return (*threads, *of_tasks, *headline(shown, groups))[:_MOST_SENTENCES]


def _waiting(profile: ContextProfile, code: ShownCode) -> tuple[bool, list[WaitingGroup]]:
    """Whether it is a profile of tasks; and their groups, where all is shown."""
    is_of_tasks = profile.run.time_kind == "tasks"
    return is_of_tasks, waiting_groups(profile) if is_of_tasks and code.from_ is None else []


def _shown_tasks(profile: ContextProfile) -> TaskTimes | None:
    return None if profile.tasks is None else numbered_together(profile.tasks, len(profile.functions))


def _tasks(profile: ContextProfile, tasks: TaskTimes | None, *, is_printed: bool) -> list[Table]:
    if tasks is not None:
        first = replace(task_table(profile, tasks), is_secondary=not is_printed)
        return [first, await_table(profile, tasks)]
    if is_printed:
        raise UsageError(
            "cannot tell of tasks: this profile has none of asyncio",
            slug="no-tasks",
            hint="record a program that uses asyncio, with this version of sonde; without --tasks all else is told",
        )
    return []


def _folded(profile: ContextProfile, code: ShownCode) -> ContextProfile:
    return profile if code.imports else fold_imports(profile)


def _fitting(profile: ContextProfile) -> ContextProfile:
    # In bounded memory there are few, and what was not kept could not be told from what is left out here.
    return profile if profile.approximation is not None else keep_heaviest(profile, _MOST_ON_PAGE)


def _tree(profile: ContextProfile, limits: ContextLimits) -> Table:
    whole = profile.whole
    least = limits.min_share * whole
    rows = limits.rows or _MANY_ROWS
    selection = select_branches(FoldedTree(profile), whole=whole, least_weight=least, rows=rows)
    return context_table(profile, selection, whole=whole, least=max(least, 1))


def _data(
    profile: ContextProfile, totals: FunctionTotals, limits: ContextLimits, *, with_lines: bool = True
) -> tuple[Block, ...]:
    """What only programs and pages read: of the contexts as they were counted."""
    unfolded = unfolded_table(profile, rows=limits.rows or _MANY_ROWS, least_weight=limits.min_share * profile.whole)
    return *([line_table(profile, line_costs(profile, totals))] if with_lines else ()), unfolded, *details(profile)
