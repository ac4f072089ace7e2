"""One run on a terminal: its hot units, and what was decided in each."""

from collections.abc import Sequence
from typing import TextIO

from sonde.base.errors import InputError
from sonde.base.fitted_text import display_width, printable
from sonde.base.units import counted, format_count
from sonde.instruments.decisions.experiments import Experiment, context_tree, decision_count, prepared
from sonde.instruments.decisions.model import CallKind, CallSite, ContextNode, Decision, Phase, Trees, Unit
from sonde.instruments.decisions.report.chosen_units import chosen_units
from sonde.instruments.decisions.report.options import ShowOptions, TreeName
from sonde.instruments.decisions.report.shares import compilation_name, period_text, share_of_run, share_text
from sonde.instruments.decisions.report.terminal.name_table import LEAST_NAME, NamedRow, print_name_table
from sonde.instruments.decisions.report.terminal.run_head import print_doubts, print_run_head
from sonde.instruments.decisions.report.terminal.trees import print_title, print_tree
from sonde.instruments.decisions.report.words import KIND_MEANING, call_counts
from sonde.render.name_text import short_name, whole_name
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

_LEAST_UNITS = 10
"""Units whose trees are printed however few rows are wanted: as many as are hot if nobody says otherwise."""

_LEGEND = (CallKind.INLINED, CallKind.DIRECT, CallKind.INDIRECT, CallKind.DEVIRTUALIZED, CallKind.DELETED)


def print_run(
    experiment: Experiment,
    stream: TextIO,
    options: ShowOptions | None = None,
    *,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print what a compiler decided in a run.

    Args:
        experiment: a run with its hot units marked.
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        width, colour: override what the stream and the environment say.
    Cost: reads the trees of the units that are shown, one after the other.
    """
    options = options or ShowOptions()
    page = Page(stream, width=width, colour=colour)
    units = chosen_units(experiment, only_hot=options.only_hot)
    print_run_head(page, experiment)
    print_doubts(page, [experiment], [""])
    if not units:
        page.line()
        page.line("no units to show")
        return
    _print_units(page, experiment, units, options)
    shown = units[: max(_LEAST_UNITS, options.rows // 4)]
    kinds: set[CallKind] = set()
    for unit in shown:
        kinds |= _print_unit(page, experiment, unit, options)
    if len(units) > len(shown):
        page.line()
        left = format_count(len(units) - len(shown))
        page.line(page.paint(f"… trees of {left} more units: more --rows, --html or --json show them", "dim"))
    if kinds:
        page.line()
        say(page, "; ".join(f"{kind.value}: {KIND_MEANING[kind]}" for kind in _LEGEND if kind in kinds), "dim")


def _print_units(page: Page, experiment: Experiment, units: Sequence[Unit], options: ShowOptions) -> None:
    run = experiment.run
    is_hot = options.only_hot and run.profile is not None
    note = f"{format_count(len(units))} of {format_count(len(run.units))}"
    page.heading("hot compilation units" if is_hot else "compilation units", note)
    shown = units[: options.rows]
    with_ids = any(unit.id != unit.method for unit in shown)
    with_time, with_version = run.profile is not None, any(unit.version for unit in shown)
    header = (
        *(("time", "") if with_time else ()),
        *(("unit",) if with_ids else ()),
        *(("version",) if with_version else ()),
    )
    rows = [
        NamedRow(
            (
                *((share_text(share_of_run(run, unit.period)), period_text(run, unit.period)) if with_time else ()),
                *((unit.id,) if with_ids else ()),
                *((unit.version or "-",) if with_version else ()),
            ),
            unit.method,
            f" [{unit.variant}]" if unit.variant else "",
            () if unit.number in experiment.hot else ("dim",),
        )
        for unit in shown
    ]
    print_name_table(page, header, "method", rows, wide=options.wide)
    if len(units) > len(shown):
        page.line(page.paint(f"… {format_count(len(units) - len(shown))} more units", "dim"))


def _print_unit(page: Page, experiment: Experiment, unit: Unit, options: ShowOptions) -> set[CallKind]:
    """Print the trees of a unit, and tell which kinds of calls were in them."""
    run = experiment.run
    note = "" if run.profile is None else f"  {share_text(share_of_run(run, unit.period))} of the time"
    title = f"{printable(compilation_name(unit))}  " if unit.id != unit.method else ""
    room = max(page.width - display_width(title) - len(note), LEAST_NAME)
    name = whole_name(unit.method) if options.wide else short_name(unit.method, room)
    page.line()
    page.line(page.paint(title + name, "bold", "cyan") + page.paint(note, "dim"))
    try:
        whole = unit.load()
        trees = prepared(whole, options.prepare)
    except InputError as error:
        say(page, f"! {str(error).partition(chr(10))[0]}", "yellow")
        return set()
    counts = call_counts(trees.inlining)
    for tree in options.trees:
        _print_tree(page, experiment, unit, trees, tree, counts, options)
    if left := decision_count(whole.optimizations) - decision_count(trees.optimizations):
        words = f"{counted(left, 'decision')} of detailed phases left out: --no-remove-detailed-phases"
        say(page, f"… {words}", "dim", indent="  ")
    return set(counts) if options.trees != ("optimizations",) else set()


def _print_tree(
    page: Page,
    experiment: Experiment,
    unit: Unit,
    trees: Trees,
    tree: TreeName,
    counts: dict[CallKind, int],
    options: ShowOptions,
) -> None:
    calls = ", ".join(f"{format_count(counts[kind])} {kind.value}" for kind in _LEGEND if kind in counts)
    root: CallSite | Phase | ContextNode
    if tree == "inlining":
        print_title(page, "inlining", calls or "no calls")
        root = trees.inlining
    elif tree == "optimizations":
        phases, decisions = _phases_and_decisions(trees.optimizations)
        told = f"{counted(decisions, 'decision')} in {counted(phases, 'phase')}"
        print_title(page, "optimizations", told)
        root = trees.optimizations
    else:
        _, decisions = _phases_and_decisions(trees.optimizations)
        told = f"{counted(decisions, 'decision')}; {calls or 'no calls'}"
        print_title(page, "optimizations in context", told)
        root = context_tree(trees)
    print_tree(page, root, [experiment.run], unit.method, rows=options.rows, wide=options.wide)


def _phases_and_decisions(root: Phase) -> tuple[int, int]:
    phases = decisions = 0
    pending: list[Phase | Decision] = [*root.children]
    while pending:
        node = pending.pop()
        if isinstance(node, Decision):
            decisions += 1
        else:
            phases += 1
            pending.extend(node.children)
    return phases, decisions
