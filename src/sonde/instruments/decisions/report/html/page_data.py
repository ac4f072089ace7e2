"""Runs and comparisons as the page receives them. The keys are the contract with the scripts in `page/`."""

from collections.abc import Iterable, Sequence
from typing import Any

from sonde.base.errors import InputError
from sonde.instruments.decisions.analysis.chosen_units import chosen_units
from sonde.instruments.decisions.analysis.comparison import ComparedMethod, Comparison
from sonde.instruments.decisions.analysis.elsewhere import whereabouts
from sonde.instruments.decisions.analysis.findings import MOST_PLACES, Finding, finding_shares, findings
from sonde.instruments.decisions.analysis.reasoning import Reasons
from sonde.instruments.decisions.analysis.shares import period_text, share_of_run, total_share
from sonde.instruments.decisions.analysis.tree_items import Node
from sonde.instruments.decisions.analysis.words import COMPILERS
from sonde.instruments.decisions.experiments import (
    Compilation,
    Differences,
    Experiment,
    Fragment,
    TooBig,
    context_tree,
    prepared,
)
from sonde.instruments.decisions.glossary import glossary_of
from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.options import ShowOptions
from sonde.instruments.decisions.report.html.meanings import meanings_as_data
from sonde.instruments.decisions.report.html.source_lines import SourceLines
from sonde.instruments.decisions.report.html.tables import MAX_SAID, Tables, shorten
from sonde.instruments.decisions.report.html.tree_columns import tree_columns, tree_size

DATA_VERSION = 1

MAX_NODES = 400_000
"""Nodes of trees in a page: some 8 MB of it. A pair whose whole trees do not fit has what differs, then nothing."""

MAX_FINDINGS = 500
MAX_DOUBTS = 100

Data = dict[str, Any]


class _Room:
    """How many nodes the page still has room for, and what there was none for."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.pruned = 0
        self.left_out = 0

    def takes(self, nodes: int) -> bool:
        if nodes > self.nodes:
            return False
        self.nodes -= nodes
        return True


def run_page_data(experiment: Experiment, options: ShowOptions, *, title: str) -> Data:
    """One run: its units, and three trees of each."""
    tables, room, lines = Tables(), _Room(MAX_NODES), SourceLines([experiment.run])
    units = []
    for unit in chosen_units(experiment, only_hot=options.only_hot):
        data: Data = {"left": _compilation(experiment, unit, tables), "closest": True}
        try:
            trees = prepared(unit.load(), options.prepare)
        except InputError as error:
            data["failure"] = str(error)
        else:
            whole: list[tuple[str, Node]] = [
                ("inlining", trees.inlining),
                ("optimizations", trees.optimizations),
                ("context", context_tree(trees)),
            ]
            data["trees"] = _columns(whole, [], tables, room, lines)
        units.append(
            {
                "method": tables.text(unit.method),
                "shares": [share_of_run(experiment.run, unit.period)],
                "where": [],
                "pairs": [data],
            }
        )
    return {
        "version": DATA_VERSION,
        "mode": "run",
        "title": shorten(title),
        "runs": [_run(experiment)],
        "methods": units,
        "findings": [],
        **_finished([experiment.run], tables, room, lines),
    }


def comparison_page_data(comparison: Comparison, *, title: str) -> Data:
    """Two runs: each method with its pairs of compilations, and the trees of their differences."""
    runs = [experiment.run for experiment in comparison.experiments()]
    tables, room, lines = Tables(), _Room(MAX_NODES), SourceLines(runs)
    columns = _all_columns(comparison, tables, room, lines)
    found, reasons = findings(comparison), Reasons(comparison)
    return {
        "version": DATA_VERSION,
        "mode": "differences",
        "title": shorten(title),
        "runs": [_run(experiment) for experiment in comparison.experiments()],
        "differs": comparison.has_differences,
        "methods": [_method(comparison, method, columns, tables) for method in comparison.methods],
        "findings": [_finding(comparison, finding, tables, reasons) for finding in found[:MAX_FINDINGS]],
        "more_findings": max(len(found) - MAX_FINDINGS, 0),
        **_finished(runs, tables, room, lines),
    }


def _finished(runs: Sequence[DecisionRun], tables: Tables, room: _Room, lines: SourceLines) -> Data:
    """What is known only when everything else has been numbered."""
    data = tables.as_data()
    sources: dict[str, list[Any]] = {}
    files: dict[str, int] = {}
    for number, text in enumerate(data["strings"]):
        source = lines.source_of(text)
        if source is not None:
            sources[str(number)] = [files.setdefault(shorten(source.file), len(files)), source.first_line]
    listings = lines.as_data(files)
    return {
        **data,
        **listings,
        **meanings_as_data(tables, glossary_of(runs[0].kind)),
        "files": list(files),
        "sources": sources,
        "left_out": {"pruned": room.pruned, "trees": room.left_out},
    }


def _run(experiment: Experiment) -> Data:
    run = experiment.run
    profile = run.profile
    doubts = run.doubts[:MAX_DOUBTS]
    return {
        "name": shorten(run.name),
        "compiler": COMPILERS[run.kind],
        "compilation": run.compilation,
        "offsets": run.offsets,
        "lines_from": run.lines_from,
        "units": len(run.units),
        "hot_units": len(experiment.hot),
        "profile": None if profile is None else [shorten(profile.source), period_text(run, profile.total)],
        "compiled_share": total_share(experiment, only_hot=False),
        "hot_share": total_share(experiment, only_hot=True),
        "doubts": [[doubt.slug, shorten(doubt.text, MAX_SAID), doubt.count] for doubt in doubts],
        "more_doubts": len(run.doubts) - len(doubts),
    }


def _compilation(experiment: Experiment, compilation: Compilation, tables: Tables) -> Data:
    data: Data = {
        "id": shorten(compilation.id, 60),
        "version": compilation.version,
        "variant": compilation.variant,
        "share": share_of_run(experiment.run, compilation.period),
        "period": period_text(experiment.run, compilation.period) if experiment.run.profile is not None else "",
        "hot": experiment.is_hot(compilation),
    }
    if isinstance(compilation, Fragment):
        data["within"] = tables.text(compilation.parent.method)
    return data


def _method(comparison: Comparison, method: ComparedMethod, columns: dict[int, Data], tables: Tables) -> Data:
    sides = comparison.experiments()
    return {
        "method": tables.text(method.method),
        "shares": [share_of_run(side.run, side.total_period(method.method)) for side in sides],
        "where": [shorten(whereabouts(side, method.method)) for side in sides],
        "pairs": [
            {
                "left": _compilation(comparison.first, units.pair.first, tables),
                "right": _compilation(comparison.second, units.pair.second, tables),
                "closest": number in method.closest,
                "another": units.is_another,
                "counts": [units.counts.same, units.counts.deleted, units.counts.inserted, units.counts.changed],
                **({"failure": units.failure} if units.failure else {"trees": columns[id(units)]}),
            }
            for number, units in enumerate(method.units)
        ],
    }


def _all_columns(comparison: Comparison, tables: Tables, room: _Room, lines: SourceLines) -> dict[int, Data]:
    """The trees of every pair, by its `id`; those that matter get the room first."""
    every = [
        (number not in method.closest, place, units)
        for place, method in enumerate(comparison.methods)
        for number, units in enumerate(method.units)
    ]
    every.sort(key=lambda entry: entry[:2])
    return {
        id(units): _columns(_trees(units.whole), _trees(units.pruned), tables, room, lines) for _, _, units in every
    }


def _trees(differences: Differences) -> list[tuple[str, Node | TooBig | None]]:
    return [
        ("inlining", differences.inlining),
        ("optimizations", differences.optimizations),
        ("context", differences.context),
    ]


def _columns(
    whole: Iterable[tuple[str, Node | TooBig | None]],
    pruned: Iterable[tuple[str, Node | TooBig | None]],
    tables: Tables,
    room: _Room,
    lines: SourceLines,
) -> Data:
    """Columns by the names of trees; `"too big"` where they were not compared. Where there is no room for what
    is the same, what differs, or `"the same"`; `"left out"` where there is none for that either."""
    smaller = dict(pruned)
    data: Data = {}
    for name, tree in whole:
        if tree is None:
            continue
        if isinstance(tree, TooBig):
            data[name] = "too big"
            continue
        other = smaller.get(name)
        if room.takes(tree_size(tree)):
            data[name] = tree_columns(tree, tables)
            if name != "context":  # which has the decisions of the others
                lines.want(tree)
        elif other is not None and not isinstance(other, TooBig) and room.takes(tree_size(other)):
            room.pruned += 1
            data[name] = tree_columns(other, tables)
            if name != "context":
                lines.want(other)
        elif name in smaller and other is None:
            room.pruned += 1
            data[name] = "the same"
        else:
            room.left_out += 1
            data[name] = "left out"
    return data


def _finding(comparison: Comparison, finding: Finding, tables: Tables, reasons: Reasons) -> Data:
    return {
        "what": shorten(f"{finding.what}: {finding.detail}" if finding.detail else finding.what),
        "call": finding.is_call,
        "subject": tables.text(finding.subject),
        "places": [[tables.text(caller), at, column] for caller, at, column in finding.places[:MOST_PLACES]],
        "more_places": max(len(finding.places) - MOST_PLACES, 0),
        "has_position": finding.decisions is None or finding.decisions.method is not None,
        "shares": list(finding_shares(comparison, finding)),
        "follows": finding.follows,
        "pairs": [list(pair) for pair in finding.pairs],
        "why": [shorten(line, MAX_SAID) for line in reasons.lines(finding)],
    }
