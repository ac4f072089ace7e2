"""Two runs compared, as a page: what differs most, each pair of compilations, and both trees of it side by side."""

from collections.abc import Iterator

from sonde.instruments.decisions.analysis.comparison import ComparedMethod, ComparedUnits, Comparison
from sonde.instruments.decisions.analysis.elsewhere import whereabouts
from sonde.instruments.decisions.analysis.finding import Finding
from sonde.instruments.decisions.analysis.findings import findings
from sonde.instruments.decisions.analysis.scope import scope_of
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.deltas import DeltaNode
from sonde.instruments.decisions.experiments import TooBig
from sonde.instruments.decisions.model import CallKind
from sonde.instruments.decisions.options import TREES
from sonde.instruments.decisions.report.aligned_trees import contents_of, id_of
from sonde.instruments.decisions.report.cells import method_cell
from sonde.instruments.decisions.report.compared_cells import SHARE_COLUMNS, compilation_text, method_shares
from sonde.instruments.decisions.report.comparison_headline import comparison_headline
from sonde.instruments.decisions.report.comparison_report import (
    comparison_title,
    rest_notices,
    run_blocks,
    without_findings,
)
from sonde.instruments.decisions.report.finding_table import finding_table, following_table
from sonde.instruments.decisions.report.page_trees import PageTrees
from sonde.instruments.decisions.report.run_facts import page_blocks
from sonde.instruments.decisions.report.run_report import TREE_TITLES, kinds_notice
from sonde.report import Block, Column, MoreOf, Notices, Report, Row, SideBySide, Table

_MAX_FINDINGS = 500

_COLUMNS = (
    *SHARE_COLUMNS,
    Column("differ", "differ", "count", meaning="nodes of both trees that are not the same"),
    Column("method", "method", "name"),
    Column("first", f"compiled in {SIDES[0]}", priority=1),
    Column("second", f"compiled in {SIDES[1]}", priority=1),
    Column("remark", "", priority=2),
    Column("same", "same", "count", shown="data"),
    Column("where_a", f"in {SIDES[0]}", shown="data"),
    Column("where_b", f"in {SIDES[1]}", shown="data"),
)

_Pair = tuple[ComparedMethod, ComparedUnits | None, bool]
"""A pair of compilations, None where a method has no partner; and whether no other is more alike."""


def comparison_page(comparison: Comparison) -> Report:
    """What differs between two runs, to be looked through.

    Cost: at most `page_trees.MAX_NODES` nodes are in the page; what is most alike, or has most time, comes first.
    """
    runs = (comparison.first.run, comparison.second.run)
    trees = PageTrees(runs)
    pairs = [*_pairs(comparison)]
    # Those that matter get the room first; on the page they stand in the order of the rows.
    order = sorted(range(len(pairs)), key=lambda place: (not pairs[place][2], place))
    told = {place: [*_trees(trees, pairs[place], place)] for place in order}
    found = findings(comparison)
    sources = trees.sources()
    head = [*run_blocks(comparison)]
    blocks: list[Block] = [*(block for block in head if not isinstance(block, Table)), *trees.remarks(sources)]
    if found:
        lines = {id(finding): line for finding in found if (line := _line_of(trees, finding)) is not None}
        told_first = found[:_MAX_FINDINGS]
        blocks.append(finding_table(comparison, told_first, len(found), comparison.options, whole=True, lines=lines))
        if (table := following_table(comparison, told_first, comparison.options)) is not None:
            blocks.append(table)
    scope = scope_of(comparison)
    blocks.extend(without_findings(comparison, scope, has_findings=bool(found)))
    if pairs:
        rows = [_row(comparison, pair) for pair in pairs]
        notes = ("by their share of time", "a row for each pair of compilations")
        blocks.append(Table("compared", "compared methods", _COLUMNS, rows, notes, "pair"))
    blocks.extend(block for place in range(len(pairs)) for block in told[place])
    blocks.extend(trees.words())
    blocks.extend(block for block in head if isinstance(block, Table))
    blocks.extend(rest_notices(comparison, scope))
    blocks.append(Notices((kinds_notice(set(CallKind)),)))
    title = comparison_title(comparison)
    return Report(
        "decisions-diff",
        title,
        page_blocks(blocks),
        sources.texts,
        comparison.has_differences,
        headline=comparison_headline(comparison, found, scope),
    )


def _pairs(comparison: Comparison) -> Iterator[_Pair]:
    for method in comparison.methods:
        if not method.units:
            yield method, None, True
        for number, units in enumerate(method.units):
            yield method, units, number in method.closest


def _row(comparison: Comparison, pair: _Pair) -> Row:
    method, units, is_closest = pair
    where = (whereabouts(experiment, method.method) for experiment in comparison.experiments())
    name = method_cell(comparison.first.run, method.method)
    if units is None:
        remark = "hot in one run only: there is nothing to compare it with"
        return Row((*method_shares(method), None, name, None, None, remark, None, *where), tone="faint")
    remarks = [
        units.failure,
        "trees too big to be compared" if units.is_too_big else "",
        "different compilations" if units.is_another else "",
        "" if is_closest else "less alike than another pair",
    ]
    edits = units.counts.edits
    first, second = (
        compilation_text(experiment, compilation)
        for experiment, compilation in zip(comparison.experiments(), (units.pair.first, units.pair.second), strict=True)
    )
    told = "; ".join(filter(None, remarks)) or (None if edits else "the same")
    return Row(
        (*method_shares(method), edits or None, name, first, second, told, units.counts.same, *where),
        tone="" if edits and is_closest else "faint",
    )


def _trees(trees: PageTrees, pair: _Pair, place: int) -> Iterator[SideBySide]:
    method, units, _ = pair
    if units is None:
        return
    for name in TREES:
        whole, pruned = (getattr(differences, name) for differences in (units.whole, units.pruned))
        if not isinstance(whole, DeltaNode):
            continue
        made = trees.of_two(
            f"{name}-{place}",
            f"{TREE_TITLES[name]} of {method.method}",
            whole,
            None if isinstance(pruned, TooBig) else pruned,
            method.method,
            MoreOf("compared", place, TREE_TITLES[name]),
        )
        if made is not None:
            yield made


def _line_of(trees: PageTrees, finding: Finding) -> tuple[str, int] | None:
    """Where an example of a difference is; None: there was no room for it."""
    if finding.call is not None:
        return trees.lines.get(id_of(contents_of(finding.call.node)))
    return trees.lines.get(id_of(contents_of(finding.decisions.nodes[0]))) if finding.decisions is not None else None
