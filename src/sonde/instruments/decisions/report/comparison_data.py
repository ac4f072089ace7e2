"""Two runs compared, for programs: everything, with whole trees."""

from collections.abc import Iterator
from typing import Any

from sonde.instruments.decisions.analysis.comparison import ComparedMethod, ComparedUnits, Comparison
from sonde.instruments.decisions.analysis.elsewhere import whereabouts
from sonde.instruments.decisions.analysis.scope import Scope
from sonde.instruments.decisions.analysis.shares import (
    SIDES,
    share_of_run,
)
from sonde.instruments.decisions.experiments import Compilation, Experiment, Fragment, TooBig
from sonde.instruments.decisions.report.cells import method_cell
from sonde.instruments.decisions.report.compared_cells import SHARE_COLUMNS, method_shares, trees_of
from sonde.instruments.decisions.report.run_report import TREE_TITLES
from sonde.instruments.decisions.report.tree_data import tree_data_table
from sonde.report import (
    Block,
    Column,
    Fact,
    Facts,
    Record,
    Row,
    Table,
    Values,
)


def comparison_data(comparison: Comparison, scope: Scope) -> Iterator[Block]:
    """What was compared; all methods, all pairs, and the trees of these, with their places in `methods` and in the
    pairs of that."""
    yield _scope_facts(comparison, scope)
    sides = comparison.experiments()
    methods = [
        Row(
            (
                *method_shares(method),
                method_cell(comparison.first.run, method.method),
                method.pair.is_hot_in(1),
                method.pair.is_hot_in(2),
                *(whereabouts(experiment, method.method) for experiment in sides),
            )
        )
        for method in comparison.methods
    ]
    columns = (
        *SHARE_COLUMNS,
        Column("method", "method", "name"),
        Column("hot_a", "hot in A", "number"),
        Column("hot_b", "hot in B", "number"),
        Column("where_a", "in A"),
        Column("where_b", "in B"),
    )
    yield Table("methods", "methods", columns, methods, noun="method", is_secondary=True)
    every = [
        (place, number, method, units)
        for place, method in enumerate(comparison.methods)
        for number, units in enumerate(method.units)
    ]
    pairs = [_pair_row(comparison, *each) for each in every]
    pair_columns = (
        Column("method", "method", "number"),
        Column("pair", "pair", "number"),
        Column("first", SIDES[0]),
        Column("second", SIDES[1]),
        Column("closest", "closest", "number"),
        *(Column(name, name, "count") for name in ("same", "deleted", "inserted", "changed")),
        Column("too_big", "too big"),
        Column("failure", "failure"),
    )
    yield Table("pairs", "pairs of compilations", pair_columns, pairs, noun="pair", is_secondary=True)
    for place, number, method, units in every:
        for name, tree in trees_of(units, pruned=False):
            if not isinstance(tree, TooBig):
                yield tree_data_table(f"{name}-{place}-{number}", f"{TREE_TITLES[name]} of {method.method}", tree)


def _scope_facts(comparison: Comparison, scope: Scope) -> Facts:
    facts = [
        Fact("units", scope.which),
        Fact("methods", scope.methods, "count"),
        Fact("decisions_left_out", comparison.left_out, "count"),
    ]
    for side, key in enumerate(("first", "second")):
        facts += [
            Fact(f"{key}_units", scope.units[side], "count"),
            Fact(f"{key}_share", scope.shares[side], "share"),
            Fact(f"{key}_units_left_out", scope.cold[side], "count"),
            Fact(f"{key}_fragments_left_out", scope.fragments[side], "count"),
        ]
    return Facts(tuple(facts), "scope", is_secondary=True)


def _pair_row(comparison: Comparison, place: int, number: int, method: ComparedMethod, units: ComparedUnits) -> Row:
    counts = units.counts
    too_big = [name for name, tree in trees_of(units, pruned=False) if isinstance(tree, TooBig)]
    return Row(
        (
            place,
            number,
            Record(_compilation_data(comparison.first, units.pair.first)),
            Record(_compilation_data(comparison.second, units.pair.second)),
            number in method.closest,
            counts.same,
            counts.deleted,
            counts.inserted,
            counts.changed,
            Values(too_big) if too_big else None,
            units.failure or None,
        )
    )


def _compilation_data(experiment: Experiment, compilation: Compilation) -> dict[str, Any]:
    """A unit or a fragment, without its trees."""
    data: dict[str, Any] = {
        "method": compilation.method,
        "id": compilation.id,
        "variant": compilation.variant,
        "version": compilation.version,
        "period": compilation.period,
        "share": share_of_run(experiment.run, compilation.period),
        "hot": experiment.is_hot(compilation),
    }
    if isinstance(compilation, Fragment):
        data["fragment_of"] = compilation.parent.method
        data["path"] = [{"method": site.method, "at": site.at} for site in compilation.path]
    source = experiment.run.sources.get(compilation.method)
    if source is not None:
        data["source"] = {"file": source.file, "first_line": source.first_line}
    return data
