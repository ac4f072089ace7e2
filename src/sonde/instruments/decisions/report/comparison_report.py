"""Two runs compared: what differs most, what is hot in one only, and each pair of compilations."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sonde.base.units import counted, format_count
from sonde.evidence import Doubt, Loss, Remark
from sonde.instruments.decisions.analysis.comparison import ComparedMethod, ComparedUnits, Comparison
from sonde.instruments.decisions.analysis.elsewhere import whereabouts
from sonde.instruments.decisions.analysis.findings import findings, spread
from sonde.instruments.decisions.analysis.scope import Scope, scope_of, scope_text
from sonde.instruments.decisions.analysis.shares import (
    SIDES,
    share_of_run,
    share_text,
)
from sonde.instruments.decisions.experiments import MOST_FRAGMENTS, Fragment, TooBig
from sonde.instruments.decisions.options import DiffOptions
from sonde.instruments.decisions.report.cells import method_cell
from sonde.instruments.decisions.report.compared_cells import SHARE_COLUMNS, compilation_text, method_shares, trees_of
from sonde.instruments.decisions.report.comparison_data import comparison_data
from sonde.instruments.decisions.report.comparison_headline import comparison_headline
from sonde.instruments.decisions.report.finding_table import finding_table, following_table, told_findings
from sonde.instruments.decisions.report.headline_words import run_names
from sonde.instruments.decisions.report.run_facts import doubt_blocks, notices_last, run_facts
from sonde.instruments.decisions.report.run_report import TREE_TITLES, title_name
from sonde.instruments.decisions.report.source_listing import differing_listings
from sonde.instruments.decisions.report.tree_rows import tree_table
from sonde.render.name_text import short_name
from sonde.report import (
    Block,
    Column,
    Findings,
    Note,
    Notices,
    Report,
    Row,
    Table,
    Values,
)

_FEWEST_LINES = 6
"""Of a tree: the first method has half as many as are wanted, each further one half as many as the one before."""

_MOST_METHODS = 2
"""Methods whose trees are told; the rest is named."""

_NAMED = 5
"""Methods that are named where only their number matters."""


def comparison_report(comparison: Comparison, options: DiffOptions | None = None, *, whole: bool = False) -> Report:
    """What differs between two runs, most important first.

    Args:
        options: those of the comparison if not given.
        whole: with every difference, every pair and all nodes of their trees, for programs; else with as much as
            people read.
    """
    options = options or comparison.options
    blocks: list[Block] = [*run_blocks(comparison)]
    scope = scope_of(comparison)
    found = findings(comparison)
    if found or whole:
        told = found if whole else spread(found, told_findings(options))
        blocks.append(finding_table(comparison, told, len(found), options, whole=whole))
        if (table := following_table(comparison, told, options)) is not None:
            blocks.append(table)
    blocks.extend(without_findings(comparison, scope, has_findings=bool(found)))
    if whole:
        blocks.extend(comparison_data(comparison, scope))
    else:
        blocks.extend(_one_sided(comparison, options))
        for block in _method_blocks(comparison, options):
            # Where nothing was decided otherwise trees are all there is to see.
            blocks.append(replace(block, is_detail=bool(found)) if isinstance(block, Table | Note) else block)
        blocks.extend(rest_notices(comparison, scope))
    if whole or options.source:
        blocks.extend(differing_listings(comparison, found, most=options.rows))
    return Report(
        "decisions-diff",
        comparison_title(comparison),
        notices_last(blocks),
        changed=comparison.has_differences,
        headline=comparison_headline(comparison, found, scope),
    )


def comparison_title(comparison: Comparison) -> str:
    """The names of both runs, and what they are called."""
    names = run_names(comparison)
    if names == SIDES:
        first, second = (side.run.name.replace("\\", "/").rpartition("/")[2] for side in comparison.experiments())
        names = first, second
    return " and ".join(f"{name} ({side})" for name, side in zip(names, SIDES, strict=True))


def run_blocks(comparison: Comparison) -> Iterator[Block]:
    """What both runs are, and what is doubtful."""
    sides = comparison.experiments()
    for experiment, side, key in zip(sides, SIDES, ("first", "second"), strict=True):
        yield from run_facts(experiment, key, side=side)
    yield from doubt_blocks(sides, SIDES)


def without_findings(comparison: Comparison, scope: Scope, *, has_findings: bool) -> Iterator[Block]:
    """What is to be said where little or nothing differs."""
    if not comparison.methods:
        yield Note("nothing to compare: no method is hot in either run")
    elif not comparison.has_differences:
        yield Findings((f"no differences in what was compared: {scope_text(scope)}",), "same")
        if any(scope.cold):
            cold = " and ".join(format_count(count) for count in scope.cold)
            words = f"{cold} units are not hot, and were not compared: without --hot they are"
            yield Notices((Doubt("", words),))
    elif not has_findings and any(units.differs for method in comparison.methods for units in method.told):
        yield Findings(("other phases ran, but they decided the same",), "same")


def _one_sided(comparison: Comparison, options: DiffOptions) -> Iterator[Table]:
    """Methods that are hot, or were compiled at all, in one run only, and what became of them in the other."""
    hot, others = [], []
    sides = comparison.experiments()
    for method in comparison.methods:
        on_sides = _sides_by_itself(method)
        if on_sides[0] != on_sides[1]:
            hot.append((method, on_sides))
        elif method.is_missing:
            others.append((method, (method.method in sides[0].methods(), method.method in sides[1].methods())))
    columns = (*SHARE_COLUMNS, Column("method", "method", "name"), Column("where", "", shown="below"))
    for key, title, of_one in (
        ("hot-in-one", "hot in one run only", hot),
        ("compiled-in-one", "compiled in one run only", others),
    ):
        if of_one:
            told = of_one[: told_findings(options)]
            rows = [_one_sided_row(comparison, method, on_sides) for method, on_sides in told]
            notes = ("where the code is in the other",)
            yield Table(key, title, columns, rows, notes, "method", left_out=len(of_one) - len(rows))


def _one_sided_row(comparison: Comparison, method: ComparedMethod, on_sides: tuple[bool, bool]) -> Row:
    where = [
        f"in {side}: {whereabouts(experiment, method.method)}"
        for experiment, side, is_there in zip(comparison.experiments(), SIDES, on_sides, strict=True)
        if not is_there
    ]
    return Row((*method_shares(method), method_cell(method.pair.first.run, method.method), Values(where)))


def _sides_by_itself(method: ComparedMethod) -> tuple[bool, bool]:
    """On which sides the method has a hot compilation of its own."""
    first, second = (
        any(not isinstance(one, Fragment) for one in experiment.hot_compilations(method.method))
        for experiment in (method.pair.first, method.pair.second)
    )
    return first, second


def _share_words(method: ComparedMethod) -> str:
    shares = []
    for experiment, side in ((method.pair.first, SIDES[0]), (method.pair.second, SIDES[1])):
        share = share_of_run(experiment.run, experiment.total_period(method.method))
        if share is not None:
            shares.append(f"{share_text(share)} in {side}")
    return ", ".join(shares)


def _method_blocks(comparison: Comparison, options: DiffOptions) -> Iterator[Block]:
    different = [
        (place, method)
        for place, method in enumerate(comparison.methods)
        if any(_is_told(units) for units in method.told)
    ]
    rows = max(options.rows // 2, _FEWEST_LINES)
    for place, method in different[:_MOST_METHODS]:
        yield from _method(comparison, method, place, options, rows)
        rows = max(rows // 2, _FEWEST_LINES)
    left = [method for _, method in different[_MOST_METHODS:]]
    if left:
        yield Note(f"… {counted(len(left), 'more method')} with differences: {_names(left)}", "more-methods")


def _is_told(units: ComparedUnits) -> bool:
    return units.differs or units.is_too_big or bool(units.failure)


def _method(
    comparison: Comparison, method: ComparedMethod, place: int, options: DiffOptions, rows: int
) -> Iterator[Block]:
    """The trees of a method; the first one has its shares of time."""
    name, notes = title_name(method.method, wide=options.wide), [_share_words(method)]
    for number, units in enumerate(method.units):
        if number in method.closest and _is_told(units):
            for block in _units(comparison, method, units, f"{place}-{number}", options, rows):
                if notes and isinstance(block, Table):
                    block = replace(block, notes=(*notes, *block.notes))
                    notes = []
                yield block
    remarks = []
    if same := sum(not _is_told(units) for units in method.told):
        remarks.append(f"{counted(same, 'pair')} of the compilations of {name} without differences")
    if others := len(method.units) - len(method.closest):
        words = f"{counted(others, 'more pair')} of the compilations of {name}, each less like the other than these"
        remarks.append(f"… {words}: --html and --json have them")
    if remarks:
        yield _remarks(remarks)


def _units(
    comparison: Comparison, method: ComparedMethod, units: ComparedUnits, key: str, options: DiffOptions, rows: int
) -> Iterator[Block]:
    pair = units.pair
    name = title_name(method.method, wide=options.wide)
    against = " against ".join(
        f"{side} {compilation_text(experiment, compilation)}"
        for experiment, compilation, side in zip(
            comparison.experiments(), (pair.first, pair.second), SIDES, strict=True
        )
    )
    if units.failure:
        yield Notices((Loss("", 0, f"{name}: {against} not compared: {units.failure}"),))
        return
    notes = [against]
    if units.is_another:
        nodes = units.counts.same + units.counts.edits
        share = share_text(units.counts.same / nodes)
        notes.append(f"different compilations: only {share} of {format_count(nodes)} nodes are the same")
        rows = min(rows, _FEWEST_LINES)
    runs = [experiment.run for experiment in comparison.experiments()]
    for tree_name, tree in trees_of(units, pruned=True):
        if isinstance(tree, TooBig):
            told = f"{TREE_TITLES[tree_name]} of {name}: the trees are too big to be compared"
            yield Notices((Loss("", 0, told),))
            continue
        yield tree_table(
            f"{tree_name}-{key}",
            f"{TREE_TITLES[tree_name]} of {name}",
            tree,
            runs,
            method.method,
            rows=rows,
            wide=options.wide,
            notes=tuple(notes),
        )
        notes = []


def rest_notices(comparison: Comparison, scope: Scope) -> Iterator[Notices]:
    """What did not differ, and how to read the signs."""
    remarks = []
    if comparison.left_out:
        left = counted(comparison.left_out, "decision")
        remarks.append(f"{left} of detailed phases not compared: --no-remove-detailed-phases")
    if fragments := sum(scope.fragments):
        left = counted(fragments, "fragment")
        remarks.append(f"{left} left out: of each unit the {MOST_FRAGMENTS} outermost are compared")
    if unmeasured := sum(method.is_of_one_run and not method.is_missing for method in comparison.methods):
        verb = "was" if unmeasured == 1 else "were"
        remarks.append(f"{counted(unmeasured, 'method')} without measured time {verb} compiled in one run only")
    if comparison.has_differences:
        same = [
            method
            for method in comparison.methods
            if method.units and not any(_is_told(units) for units in method.told)
        ]
        if same:
            remarks.append(f"{counted(len(same), 'method')} without differences: {_names(same)}")
        rest = "; the rest: --all" if any(scope.cold) else ""
        remarks += [f"compared: {scope_text(scope)}{rest}", "- only in A, + only in B, * changed"]
    if remarks:
        yield _remarks(remarks)


def _remarks(texts: Sequence[str]) -> Notices:
    return Notices(tuple(Remark("", text) for text in texts))


def _names(methods: Sequence[ComparedMethod]) -> str:
    names = [short_name(method.method, 40) for method in methods[:_NAMED]]
    return ", ".join(names) + (f", … {format_count(len(methods) - _NAMED)} more" if len(methods) > _NAMED else "")
