"""One run: its units, and what was decided in each."""

from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import replace

from sonde.base.errors import InputError
from sonde.base.units import counted, format_count
from sonde.evidence import Loss, Remark, Reservation
from sonde.instruments.decisions.analysis.chosen_units import chosen_units
from sonde.instruments.decisions.analysis.shares import compilation_name, share_of_run, share_text
from sonde.instruments.decisions.analysis.tree_items import Node
from sonde.instruments.decisions.analysis.words import KIND_MEANING, call_counts
from sonde.instruments.decisions.experiments import Experiment, context_tree, decision_count, prepared
from sonde.instruments.decisions.model import CallKind, Decision, DecisionRun, Phase, Trees, Unit
from sonde.instruments.decisions.options import ShowOptions, TreeName
from sonde.instruments.decisions.report.cells import method_cell, period_part
from sonde.instruments.decisions.report.run_facts import doubt_blocks, notices_last, period_unit, run_facts
from sonde.instruments.decisions.report.run_headline import run_headline
from sonde.instruments.decisions.report.source_listing import source_listings
from sonde.instruments.decisions.report.tree_data import tree_data_table
from sonde.instruments.decisions.report.tree_rows import tree_table
from sonde.render.name_text import short_name, whole_name
from sonde.report import Block, Column, Note, Notices, Report, Row, Table

TREE_TITLES: dict[TreeName, str] = {
    "inlining": "inlining",
    "optimizations": "optimizations",
    "context": "optimizations in context",
}

_LEAST_UNITS = 2
"""Units whose trees are printed however few rows are wanted."""

_FEWEST_LINES = 6
"""Of a tree: the first one has as many as are wanted, each further one, of the unit or of the next, half as many as the
one before; by default those of the first unit are printed, with -v those of some more."""

_NAME_IN_TITLE = 60
"""Columns of a method's name."""

_LEGEND = (CallKind.INLINED, CallKind.DIRECT, CallKind.INDIRECT, CallKind.DEVIRTUALIZED, CallKind.DELETED)


def run_report(experiment: Experiment, options: ShowOptions | None = None, *, whole: bool = False) -> Report:
    """What a compiler decided in a run.

    Args:
        experiment: a run with its hot units marked.
        whole: with all units and all nodes of their trees, for programs; else with as much as people read.
    Cost: reads the trees of the units that are told, one after the other.
    """
    options = options or ShowOptions()
    run = experiment.run
    units = chosen_units(experiment, only_hot=options.only_hot, of=options.filter)
    blocks: list[Block] = [*run_facts(experiment, "run"), *doubt_blocks([experiment], [""])]
    if units:
        blocks.append(unit_table(experiment, units, options))
    else:
        blocks.append(Note("no units to show"))
    if whole:
        blocks.extend(_whole(experiment, units, options))
    else:
        blocks.extend(_told(experiment, units, options))
    if whole or options.source:
        blocks.extend(source_listings(run, [*_readable(units, options)], most=options.rows))
    return Report("decisions", run.name, notices_last(blocks), headline=run_headline(experiment, units))


def _readable(units: Sequence[Unit], options: ShowOptions) -> Iterator[Trees]:
    for unit in units:
        with suppress(InputError):  # it is told where its trees would be
            yield prepared(unit.load(), options.prepare)


def title_name(method: str | None, *, wide: bool) -> str:
    """A method in a title."""
    return whole_name(method) if wide else short_name(method, _NAME_IN_TITLE)


def kinds_notice(kinds: Set[CallKind]) -> Reservation:
    """What became of calls, in words."""
    return Remark("", "; ".join(f"{kind.value}: {KIND_MEANING[kind]}" for kind in _LEGEND if kind in kinds))


def unit_table(experiment: Experiment, units: Sequence[Unit], options: ShowOptions) -> Table:
    """Units, with the time in each."""
    run = experiment.run
    is_hot = options.only_hot and run.profile is not None
    return Table(
        "units",
        "hot compilation units" if is_hot else "compilation units",
        _unit_columns(run),
        [_unit_row(experiment, unit) for unit in units],
        (f"{format_count(len(units))} of {format_count(len(run.units))}",),
        "unit",
        options.rows,
    )


def _unit_columns(run: DecisionRun) -> tuple[Column, ...]:
    profile = run.profile
    unit = "count" if profile is None else period_unit(profile)
    return (
        Column("period", "time" if profile is None or unit == "duration" else profile.unit, unit),
        Column("method", "method", "name"),
        Column("id", "unit"),
        Column("version", "version"),
        Column("variant", "variant", shown="data"),
        Column("hot", "hot", "number", shown="data"),
    )


def _unit_row(experiment: Experiment, unit: Unit) -> Row:
    run = experiment.run
    is_hot = experiment.is_hot(unit)
    return Row(
        (
            period_part(run, unit.period),
            method_cell(run, unit.method, unit.variant),
            None if unit.id == unit.method else unit.id,
            unit.version,
            unit.variant,
            is_hot,
        ),
        tone="" if is_hot else "faint",
    )


def _whole(experiment: Experiment, units: Sequence[Unit], options: ShowOptions) -> Iterator[Block]:
    """Units that are not told, and all trees of those that are; keys end with the unit's place in `units`."""
    told = {unit.number for unit in units}
    others = sorted((unit for unit in experiment.run.units if unit.number not in told), key=lambda unit: -unit.period)
    if others:
        rows = [_unit_row(experiment, unit) for unit in others]
        columns = _unit_columns(experiment.run)
        yield Table("other-units", "other compilation units", columns, rows, noun="unit", is_secondary=True)
    for place, unit in enumerate(units):
        try:
            trees = prepared(unit.load(), options.prepare)
        except InputError as error:
            yield Notices((Loss("", 0, str(error)),))
            continue
        for tree in options.trees:
            yield tree_data_table(f"{tree}-{place}", f"{TREE_TITLES[tree]} of {unit.method}", tree_root(trees, tree))


def _told(experiment: Experiment, units: Sequence[Unit], options: ShowOptions) -> Iterator[Block]:
    shown = units[: max(_LEAST_UNITS, options.rows // 10)]
    kinds: set[CallKind] = set()
    is_another = False
    for place, unit in enumerate(shown):
        try:
            whole = unit.load()
            trees = prepared(whole, options.prepare)
        except InputError as error:
            told = f"{_unit_title(unit, options)}: {str(error).partition(chr(10))[0]}"
            yield Notices((Loss("", 0, told),))
            continue
        counts = call_counts(trees.inlining)
        if options.trees != ("optimizations",):
            kinds |= set(counts)
        for tree in options.trees:
            is_first = tree == options.trees[0]
            rows = max(options.rows >> (place if is_first else place + 1), min(options.rows, _FEWEST_LINES))
            table = _tree(experiment, unit, trees, tree, counts, replace(options, rows=rows), f"{tree}-{place}")
            has_lines = any(row.below or row.left_out for row in table.rows)
            yield replace(table, is_detail=is_another or not has_lines)
        is_another = True
        if left := decision_count(whole.optimizations) - decision_count(trees.optimizations):
            words = f"{counted(left, 'decision')} of detailed phases left out: --no-remove-detailed-phases"
            yield Notices((Remark("", words),))
    remarks: list[Reservation] = []
    if len(units) > len(shown):
        left = len(units) - len(shown)
        words = f"trees of {counted(left, 'more unit')}: more --rows, --html or --json show them"
        remarks.append(Remark("", f"… {words}"))
    if kinds:
        remarks.append(kinds_notice(kinds))
    if remarks:
        yield Notices(tuple(remarks))


def _unit_title(unit: Unit, options: ShowOptions) -> str:
    name = title_name(unit.method, wide=options.wide)
    return name if unit.id == unit.method else f"{compilation_name(unit)} {name}"


def _tree(
    experiment: Experiment,
    unit: Unit,
    trees: Trees,
    tree: TreeName,
    counts: dict[CallKind, int],
    options: ShowOptions,
    key: str,
) -> Table:
    run = experiment.run
    calls = ", ".join(f"{format_count(counts[kind])} {kind.value}" for kind in _LEGEND if kind in counts) or "no calls"
    phases, decisions = _phases_and_decisions(trees.optimizations)
    told = {
        "inlining": calls,
        "optimizations": f"{counted(decisions, 'decision')} in {counted(phases, 'phase')}",
        "context": f"{counted(decisions, 'decision')}; {calls}",
    }[tree]
    time = "" if run.profile is None else f"{share_text(share_of_run(run, unit.period))} of the time"
    title = f"{TREE_TITLES[tree]} of {_unit_title(unit, options)}"
    notes = (time if tree == options.trees[0] else "", told)
    return tree_table(
        key, title, tree_root(trees, tree), [run], unit.method, rows=options.rows, wide=options.wide, notes=notes
    )


def tree_root(trees: Trees, tree: TreeName) -> Node:
    """One of the trees of a unit."""
    if tree == "inlining":
        return trees.inlining
    return trees.optimizations if tree == "optimizations" else context_tree(trees)


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
