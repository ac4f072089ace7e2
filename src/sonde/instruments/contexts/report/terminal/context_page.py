"""A profile on a terminal: what ran, the calling context tree, the hottest functions, what was lost."""

from dataclasses import dataclass
from typing import TextIO

from sonde.base.fitted_text import keep_start, printable
from sonde.base.units import counted, format_count, format_duration, format_share
from sonde.instruments.contexts.profile import (
    ContextProfile,
    FunctionTotals,
    MeasuredProcess,
    function_totals,
    watching_cost_text,
)
from sonde.instruments.contexts.report.exactness import deviations_of_functions, exactness, metric_amount
from sonde.instruments.contexts.report.terminal.context_tree import print_context_tree
from sonde.instruments.contexts.report.terminal.folded_tree import FoldedTree
from sonde.instruments.contexts.report.terminal.function_table import hottest_functions, print_function_table
from sonde.instruments.contexts.report.terminal.tree_selection import Selection, select_branches
from sonde.render.terminal.page import Page


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """How much of a profile to print."""

    min_share: float = 0.01
    """Contexts with less of the whole are summed up, not listed; 0.01 is 1 %."""
    rows: int = 40
    """Lines of the tree, about; the lines that say what is missing come on top."""
    functions: int = 15
    """Lines of the function table; 0 leaves it out."""


def print_contexts(
    profile: ContextProfile,
    stream: TextIO,
    *,
    limits: ContextLimits | None = None,
    functions: FunctionTotals | None = None,
    note: str = "",
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print a profile for reading.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        functions: own values of whole functions, when `profile` lacks its lightest contexts and they are known.
        note: a line after the header, what the profile is a part of for instance.
        width, colour: override what the stream and the environment say.
    Cost: O(n) for n contexts in `profile`; read only the heaviest few thousand of a large file.
    """
    limits = limits or ContextLimits()
    page = Page(stream, width=width, colour=colour)
    print_header(page, profile)
    if note:
        page.flow(printable(note).split(" "), between=" ")
    whole = profile.total_ns if profile.has_time else profile.total_calls
    if not len(profile.contexts):
        page.line()
        page.line("no calls were recorded")
    else:
        _print_tree(page, profile, limits, whole)
        _print_functions(page, profile, functions, limits, whole)
    print_losses(page, profile)


def print_header(page: Page, profile: ContextProfile) -> None:
    """Print what was run, how long, how much, by which means, and how far that can be trusted."""
    run = profile.run
    command = printable(" ".join(run.command)) or "(command not recorded)"
    page.line(page.paint(keep_start(command, page.width), "bold"))
    page.flow(_facts(profile))
    page.flow(_means(profile), "dim")
    page.flow(watching_cost_text(profile).split(" "), "dim", between=" ")
    page.flow(exactness(profile), *(() if profile.left_something_out or profile.sampling else ("dim",)))


def print_losses(page: Page, profile: ContextProfile) -> None:
    """Print what the profile does not hold, as warnings."""
    warnings = [f"{loss.detail} ({printable(loss.kind)}: {format_count(loss.amount)})" for loss in profile.losses]
    if not profile.run.complete:
        warnings.insert(0, "the run was cut off; this is what could be recovered")
    if warnings:
        page.line()
    for warning in warnings:
        page.flow(["!", *printable(warning).split(" ")], "yellow", between=" ")


def _facts(profile: ContextProfile) -> list[str]:
    run = profile.run
    stored = len(profile.contexts) + profile.pruned_contexts
    facts = []
    if run.duration_ns:
        facts.append(f"{format_duration(run.duration_ns)} elapsed")
    if profile.has_time:
        facts.append(f"{format_duration(profile.total_ns)} in threads")
    facts.append(counted(profile.total_calls, "call"))
    facts.append(counted(stored, "context"))
    if run.ended:
        facts.append(printable(run.ended))
    return facts


def _means(profile: ContextProfile) -> list[str]:
    processes = profile.processes
    means = []
    if processes:
        means.append(counted(len(processes), "process", "processes"))
        means.append(counted(sum(process.threads for process in processes), "thread"))
        means.extend(_interpreters(processes))
    means.append("calls only, no times" if not profile.has_time else f"clock {profile.run.clock}")
    if profile.run.started_at:
        means.append(profile.run.started_at)
    return [printable(part) for part in means]


def _interpreters(processes: tuple[MeasuredProcess, ...]) -> list[str]:
    """Each different interpreter and mechanism, once."""
    return list(dict.fromkeys(f"Python {process.python}, {process.mechanism}" for process in processes))


def _print_tree(page: Page, profile: ContextProfile, limits: ContextLimits, whole: int) -> None:
    tree = FoldedTree(profile)
    least = limits.min_share * whole
    selection = select_branches(tree, whole=whole, least_weight=least, rows=limits.rows)
    shown = "calls below" if not profile.has_time else "time"
    page.heading("calling contexts", f"by {shown}, heaviest first")
    print_context_tree(page, profile, selection, whole=whole, least=max(least, 1))
    _print_remainder(page, profile, selection, whole)


def _print_remainder(page: Page, profile: ContextProfile, selection: Selection, whole: int) -> None:
    """Say what no line of the tree stands for, and what was not kept, below contexts that are listed or not."""
    contexts = selection.all_hidden_contexts + profile.pruned_contexts
    hidden, not_kept = selection.all_hidden_weight, selection.all_not_kept
    what = counted(contexts, "context")
    if profile.pruned_contexts and not_kept:
        # The weight of contexts that were not read cannot be told from that of those not kept.
        _print_held(page, profile, f"not listed: {what}, and those not kept,", hidden + not_kept, whole)
        return
    if contexts:
        _print_held(page, profile, f"not listed: {what},", hidden, whole)
    bounds = profile.approximation
    if not_kept and bounds is not None:
        most = metric_amount(bounds.metric, bounds.floor)
        _print_held(page, profile, f"not kept: contexts of at most {most} each,", not_kept, whole)


def _print_held(page: Page, profile: ContextProfile, what: str, weight: int, whole: int) -> None:
    metric = "time" if profile.has_time else "calls"
    page.flow(f"{what} which hold {format_share(weight, whole)} of the {metric}".split(" "), "dim", between=" ")


def _print_functions(
    page: Page, profile: ContextProfile, known: FunctionTotals | None, limits: ContextLimits, whole: int
) -> None:
    if not limits.functions:
        return
    totals = known or function_totals(profile)
    own = totals.self_ns if profile.has_time else totals.calls
    ids = hottest_functions(profile, totals, limits.functions)
    if not ids:
        return
    covered = sum(own)
    page.heading(
        "hottest functions",
        f"by {'self time' if profile.has_time else 'calls'}, recursion counted once in total",
    )
    for said in _what_is_summed(profile, covered, whole, is_whole=known is not None):
        page.flow(said.split(" "), "dim", between=" ")
    tree = profile.contexts
    # Of contexts that were not read, nobody knows them.
    known_deviations = (
        () if profile.pruned_contexts else tree.ns_deviation if profile.has_time else tree.calls_deviation
    )
    deviations = deviations_of_functions(profile, known_deviations)
    print_function_table(page, profile, totals, ids, whole=whole, deviations=deviations)
    rest = sum(1 for weight in own if weight) - len(ids)
    if rest > 0:
        left = covered - sum(own[i] for i in ids)
        page.line(page.paint(f"… {counted(rest, 'more function')}, {format_share(left, whole)}", "dim"))


def _what_is_summed(profile: ContextProfile, covered: int, whole: int, *, is_whole: bool) -> list[str]:
    """Sentences about what the sums over contexts lack."""
    said = []
    what = "self time" if profile.has_time else "calls"
    if profile.pruned_contexts:
        read = counted(len(profile.contexts), "heaviest context")
        if is_whole:
            inclusive = "total" if profile.has_time else "calls below"
            said.append(f"from all contexts; '{inclusive}' from the {read}: it is at least this")
        else:
            said.append(f"from the {read} alone, which hold {format_share(covered, whole)} of the {what}")
    missing = whole - covered
    if profile.left_something_out and missing > 0 and (is_whole or not profile.pruned_contexts):
        said.append(
            f"all of these are lower bounds: {format_share(missing, whole)} of the {what} is in contexts not kept,"
            " whose functions are not known"
        )
    return said
