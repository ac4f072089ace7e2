"""Laws of the views of decisions, for any two runs."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_decisions import decided, made_experiment, made_run, made_unit, root
from report_json import all_rows
from sonde.base.fitted_text import display_width
from sonde.instruments.decisions.analysis import Comparison, compare_runs
from sonde.instruments.decisions.analysis.comparison import EditCounts
from sonde.instruments.decisions.analysis.findings import finding_shares, findings
from sonde.instruments.decisions.experiments import HeatPolicy, create_fragments
from sonde.instruments.decisions.model import CallSite, DecisionRun, Phase, Trees
from sonde.instruments.decisions.options import DiffOptions
from sonde.instruments.decisions.report import comparison_page, comparison_report
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from sonde.report import SideBySide, Table

EDITS = ("same", "deleted", "inserted", "changed")
METHODS = ["a.A.f()", "a.B.g(int, Object)", "C.h()", None]

calls = st.recursive(
    st.builds(
        CallSite,
        st.sampled_from(METHODS),
        st.integers(-1, 4),
        inlined=st.booleans(),
        alive=st.booleans(),
        indirect=st.booleans(),
        reasons=st.lists(st.sampled_from(["trivial", "too big"]), max_size=2).map(tuple),
    ),
    lambda children: st.builds(
        CallSite,
        st.sampled_from(METHODS),
        st.integers(-1, 4),
        inlined=st.just(True),
        children=st.lists(children, max_size=3),
    ),
    max_leaves=8,
)
decisions = st.builds(
    lambda name, event, method, at: decided(name, event, (method, at)),
    st.sampled_from(["Loop", "Read"]),
    st.sampled_from(["Peeling", "Floating"]),
    st.sampled_from(METHODS[:3]),
    st.integers(0, 3),
)
phases = st.recursive(
    st.one_of(decisions, st.builds(Phase, st.sampled_from(["One", "Two"]))),
    lambda children: st.builds(Phase, st.sampled_from(["One", "Two"]), st.lists(children, max_size=3)),
    max_leaves=8,
)


@st.composite
def runs(draw: st.DrawFn) -> DecisionRun:
    units = []
    for number in range(draw(st.integers(1, 3))):
        method = draw(st.sampled_from(METHODS[:3]))
        inlining = root(method, *draw(st.lists(calls, max_size=3)))
        optimizations = Phase("RootPhase", draw(st.lists(phases, max_size=3)))
        trees = Trees(inlining, optimizations)
        units.append(made_unit(number, trees, period=draw(st.integers(0, 300))))
    return made_run(units)


def compared(first: DecisionRun, second: DecisionRun) -> Comparison:
    policy = HeatPolicy(percentile=1.0)
    sides = made_experiment(first, 1, policy), made_experiment(second, 2, policy)
    create_fragments(*sides)
    return compare_runs(*sides, DiffOptions())


@examples(0.6)
@given(runs())
def test_a_run_does_not_differ_from_itself(run: DecisionRun) -> None:
    comparison = compared(run, run)
    assert not comparison.has_differences
    assert findings(comparison) == []


@examples(0.6)
@given(runs(), runs())
def test_findings_are_sorted_by_time(first: DecisionRun, second: DecisionRun) -> None:
    comparison = compared(first, second)
    weights = [
        max(share for share in finding_shares(comparison, finding) if share is not None)
        for finding in findings(comparison)
    ]
    assert weights == sorted(weights, reverse=True)
    if weights:
        assert comparison.has_differences


@examples(0.4)
@given(runs(), runs(), st.sampled_from([20, 60, 80, 120]))
def test_every_line_fits(first: DecisionRun, second: DecisionRun, width: int) -> None:
    text = report_text(comparison_report(compared(first, second)), columns=width)
    assert all(display_width(line) <= width for line in text.splitlines())


@examples(0.4)
@given(runs(), runs())
def test_data_have_every_node(first: DecisionRun, second: DecisionRun) -> None:
    comparison = compared(first, second)
    data = report_data(comparison_report(comparison, whole=True))
    pairs = {(row["method"], row["pair"]): row for row in all_rows(data, "pairs")}
    for place, method in enumerate(comparison.methods):
        for number in range(len(method.units)):
            pair = pairs.pop((place, number))
            counts: Counter[str] = Counter()
            for tree in ("inlining", "optimizations"):
                counts.update(row["edit"] for row in all_rows(data, f"{tree}-{place}-{number}"))
            assert {name: counts[name] for name in EDITS} == {name: pair[name] for name in EDITS}


@examples(0.4)
@given(runs(), runs())
def test_a_page_has_every_node_on_its_side(first: DecisionRun, second: DecisionRun) -> None:
    comparison = compared(first, second)
    blocks = comparison_page(comparison).blocks
    pairs: list[EditCounts] = []
    for method in comparison.methods:
        pairs.extend([units.counts for units in method.units] or [EditCounts()])
    told = [Counter[str]() for _ in pairs]
    for block in blocks:
        if isinstance(block, SideBySide):
            assert block.more_of is not None
            told[block.more_of.row].update(change for change, _, _ in block.lines())
    for counts, lines in zip(pairs, told, strict=True):
        found = (lines[""], lines["first"], lines["second"], lines["notable"])
        assert found == (counts.same, counts.deleted, counts.inserted, counts.changed)
    found_tables = [block for block in blocks if isinstance(block, Table) and block.key == "findings"]
    assert all(row.leads_to is not None for table in found_tables for row in table.rows)
