"""What differs most between two runs: said once, by time, with what follows from it folded under it."""

from dataclasses import replace

import pytest

from made_decisions import (
    GET,
    HASH,
    WORK,
    called,
    decided,
    graal_run,
    hotspot_run,
    inlined,
    llvm_run,
    made_experiment,
    made_run,
    made_sides,
    made_unit,
    root,
    work_trees,
)
from sonde.instruments.decisions.analysis import Comparison, compare_runs
from sonde.instruments.decisions.analysis.elsewhere import whereabouts
from sonde.instruments.decisions.analysis.finding import Finding
from sonde.instruments.decisions.analysis.findings import finding_shares, findings
from sonde.instruments.decisions.experiments import CompareOptions, HeatPolicy
from sonde.instruments.decisions.model import Decision, DecisionRun, Phase, Trees
from sonde.instruments.decisions.options import DiffOptions

ALL_HOT = HeatPolicy(percentile=1.0)


def compared(first: DecisionRun, second: DecisionRun, options: DiffOptions | None = None) -> Comparison:
    return compare_runs(*made_sides(first, second, ALL_HOT), options)


def told(first: DecisionRun, second: DecisionRun, options: DiffOptions | None = None) -> list[Finding]:
    return findings(compared(first, second, options))


def only(trees: Trees, period: int = 900) -> DecisionRun:
    return made_run([made_unit(0, trees, period=period)])


def test_a_call_that_is_no_longer_inlined_comes_first_and_what_it_brought_follows() -> None:
    first = told(graal_run(), graal_run(is_fast=False))[0]
    assert (first.what, first.subject, first.caller, first.at) == ("inlined in A, direct in B", GET, WORK, 5)
    # hash and hashCode below it, and the allocation spared in the code of hash.
    assert first.follows == 3


def test_a_decision_elsewhere_does_not_follow() -> None:
    peeling = told(graal_run(), graal_run(is_fast=False))[1]
    assert (peeling.what, peeling.subject, peeling.at) == ("LoopPeeling only in A", "LoopTransformations", 30)


def test_what_was_done_here_and_missed_there_is_one_difference() -> None:
    (found,) = told(llvm_run(), llvm_run(is_fast=False))
    # The call that stayed is why.
    assert (found.subject, found.what) == ("scale", "inlined in A, direct in B")
    assert [each.what for each in found.with_it] == ["Vectorized in A, CantVectorizeCall missed in B"]


def test_another_method_in_the_same_place_is_one_difference() -> None:
    first = only(Trees(root(WORK, inlined("a.X.run()", 5)), Phase("R")))
    second = only(Trees(root(WORK, inlined("a.Y.run()", 5)), Phase("R")))
    found = told(first, second)
    assert [finding.what for finding in found] == ["inlined in A; in B inlined: a.Y.run()"]


def test_calls_in_one_run_only_are_told() -> None:
    first = only(Trees(root(WORK, called("a.X.run()", 5)), Phase("R")))
    second = only(Trees(root(WORK), Phase("R")))
    assert [finding.what for finding in told(first, second)] == ["direct in A, no such call in B"]
    assert [finding.what for finding in told(second, first)] == ["direct in B, no such call in A"]


def test_the_code_with_most_time_comes_first() -> None:
    def run(with_call: bool) -> DecisionRun:
        def trees(method: str) -> Trees:
            return Trees(root(method, *([inlined("a.X.run()", 5)] if with_call else [])), Phase("R"))

        return made_run(
            [made_unit(0, trees("a.Small.run()"), period=100), made_unit(1, trees("a.Large.run()"), period=700)]
        )

    found = told(run(True), run(False))
    assert [finding.caller for finding in found] == ["a.Large.run()", "a.Small.run()"]
    assert finding_shares(compared(run(True), run(False)), found[0]) == (0.7, 0.7)


def test_the_same_difference_in_two_units_is_told_once_with_the_time_of_both() -> None:
    """`get` in `work`, and `work` inlined into another hot method."""

    def run(is_fast: bool) -> DecisionRun:
        work = work_trees(is_fast=is_fast)
        calls = inlined(WORK, 3, *work.inlining.children)
        main = Trees(root("a.Main.main()", calls), Phase("RootPhase"))
        return made_run([made_unit(0, work, period=300), made_unit(1, main, period=400)])

    found = told(run(True), run(False))
    of_get = [finding for finding in found if finding.subject == GET]
    assert len(of_get) == 1
    assert finding_shares(compared(run(True), run(False)), of_get[0]) == (0.7, 0.7)


def test_a_run_compared_with_itself_has_no_findings() -> None:
    for run in (graal_run(), hotspot_run(), llvm_run()):
        comparison = compared(run, run)
        assert findings(comparison) == []
        assert not comparison.has_differences


def test_both_ways_of_comparing_find_the_call() -> None:
    options = DiffOptions(compare=CompareOptions(context=True))
    found = told(graal_run(), graal_run(is_fast=False), options)
    assert ("inlined in A, direct in B", GET) in [(finding.what, finding.subject) for finding in found]


def test_an_osr_compilation_is_not_told_against_a_whole_one() -> None:
    comparison = compared(hotspot_run(), hotspot_run(is_fast=False))
    pairs = [(units.pair.first.id, units.pair.second.id) for units in comparison.methods[0].told]
    assert pairs == [("33", "33"), ("34%", "34%")]
    assert len(comparison.methods[0].units) == 4


@pytest.mark.parametrize(
    ("ours", "theirs", "told"),
    [
        (("C1 level 3", "C2"), ("C2", "C1 level 3"), [("0", "1"), ("1", "0")]),
        (("C1 level 3", "C2"), ("C2", "C2"), [("1", "0"), ("1", "1")]),
        (("C2", "C2"), ("C1 level 3", "C2 OSR @ 4"), [("1", "1")]),
        (("C1 level 3",), ("C2",), [("0", "0")]),
    ],
)
def test_units_of_one_tier_are_partners_even_if_others_differ_less(
    ours: tuple[str, ...], theirs: tuple[str, ...], told: list[tuple[str, str]]
) -> None:
    def run(versions: tuple[str, ...]) -> DecisionRun:
        # Every other unit is the same on both sides, whatever compiled it.
        return made_run(
            [
                replace(made_unit(number, work_trees(is_fast=number == 0), period=500), version=version, id=str(number))
                for number, version in enumerate(versions)
            ]
        )

    comparison = compared(run(ours), run(theirs))
    pairs = [(units.pair.first.id, units.pair.second.id) for units in comparison.methods[0].told]
    assert sorted(pairs) == told


def test_a_method_that_is_cold_on_one_side_is_compared_all_the_same() -> None:
    def run(is_fast: bool) -> DecisionRun:
        other = Trees(root("a.Other.run()"), Phase("R"))
        periods = (100, 800) if is_fast else (800, 100)
        return made_run(
            [made_unit(0, work_trees(is_fast=is_fast), period=periods[0]), made_unit(1, other, period=periods[1])]
        )

    comparison = compare_runs(*made_sides(run(True), run(False)))
    assert findings(comparison)[0].what == "inlined in A, direct in B"


def test_a_fragment_is_told_only_where_there_is_no_unit() -> None:
    """`work` is inlined into `main` and compiled by itself, in both runs: nothing differs."""

    def run() -> DecisionRun:
        work = work_trees()
        fewer = inlined(WORK, 3, *work.inlining.children[:1])
        return made_run(
            [
                made_unit(0, work, period=300),
                made_unit(1, Trees(root("a.Main.main()", fewer), Phase("RootPhase")), period=400),
            ]
        )

    comparison = compared(run(), run())
    assert any(units.differs for method in comparison.methods for units in method.units)
    assert not comparison.has_differences


def test_where_a_method_is() -> None:
    first, _ = made_sides(graal_run(), graal_run(is_fast=False))
    assert whereabouts(first, WORK) == "compiled by itself (60.0%)"
    assert whereabouts(first, "nowhere()") == "not compiled, and not inlined into a hot unit"
    assert "cold" in whereabouts(made_experiment(graal_run()), "app.Hot.start(String[])")


def test_progress_is_told_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    sides = made_sides(hotspot_run(), hotspot_run(is_fast=False), ALL_HOT)
    compare_runs(*sides, None, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_decisions_of_one_method_are_gathered() -> None:
    decisions = [decided("Reading", "Floated", (HASH, at), (GET, 2)) for at in (1, 2, 3)]
    first = only(Trees(root(WORK), Phase("R", [*decisions])))
    found = told(first, only(Trees(root(WORK), Phase("R"))))
    assert [(finding.what, finding.caller, finding.at) for finding in found] == [
        ("Floated \N{MULTIPLICATION SIGN}3 only in A", HASH, -1)
    ]


def test_decisions_that_are_called_the_same_say_in_what_they_differ() -> None:
    def told_of(left: Decision, right: Decision) -> list[str]:
        first, second = (only(Trees(root(WORK), Phase("R", [decision]))) for decision in (left, right))
        return [finding.what for finding in told(first, second)]

    here, there = decided("Read", "Floated", (HASH, 1), (WORK, 2)), decided("Read", "Floated", (HASH, 3), (WORK, 2))
    through = decided("Read", "Floated", (HASH, 1), (WORK, 9))
    more = decided("Read", "Floated", (HASH, 1), (WORK, 2), depth=3)
    assert told_of(here, there) == ["Floated in other places"]
    assert told_of(here, through) == ["Floated inlined through other calls"]
    assert told_of(here, more) == ["Floated with other properties"]


def test_an_example_tells_how_either_side_is() -> None:
    def detail_of(left: list[Decision], right: list[Decision]) -> tuple[str, str]:
        first, second = (only(Trees(root(WORK), Phase("R", [*decisions]))) for decisions in (left, right))
        finding = told(first, second)[0]
        return finding.what, finding.detail

    here, through = (decided("Read", "Floated", (HASH, 1), (WORK, at)) for at in (2, 9))
    two, three = (decided("Read", "Floated", (HASH, 1), (WORK, 2), depth=depth, kind="k") for depth in (2, 3))
    assert detail_of([here], [through])[1] == "through bci 2 in Hot.work(int) in A; through bci 9 in Hot.work(int) in B"
    assert detail_of([two], [three])[1] == "depth 2 in A; depth 3 in B"
    assert detail_of([two], [here])[1] == "depth 2, kind k in A; depth -, kind - in B"


def test_what_is_only_in_another_order_is_called_so() -> None:
    first, second = (decided("Read", "Floated", (HASH, at), (WORK, at)) for at in (1, 2))
    one, other = (only(Trees(root(WORK), Phase("R", [*order]))) for order in ([first, second], [second, first]))
    # What moved is deleted here and inserted there.
    assert [finding.what for finding in told(one, other)] == ["Floated in another order"]


PEELED = Phase("R", [decided("Loop", "Peeling", (GET, 4), (WORK, 5))])
"""`get`, inlined into `work`, has a loop that is peeled."""


def ceased(
    kind: str, *, at: tuple[int, ...] = (5,), get_period: int = 800, reasons: tuple[str, ...] = ("too big",)
) -> DecisionRun:
    """`work` calls `get` at some places, inlined; or direct, so that `get` is a unit of its own, and hot."""
    if kind == "inlined":
        return made_run([made_unit(0, Trees(root(WORK, *(inlined(GET, each) for each in at)), PEELED), period=900)])
    calls = [called(GET, each, reasons=[reason]) for each, reason in zip(at, reasons * len(at), strict=False)]
    unit_of_get = Trees(root(GET, called("a.X.grow()", 7)), Phase("R", [decided("Loop", "Unrolling", (GET, 4))]))
    units = [
        made_unit(0, Trees(root(WORK, *calls), Phase("R")), period=100),
        made_unit(1, unit_of_get, period=get_period),
    ]
    return made_run(units)


def test_what_is_in_a_method_that_appears_since_it_is_not_inlined_follows_from_the_call() -> None:
    for is_reversed in (False, True):
        runs = ceased("inlined"), ceased("direct")
        first, second = reversed(runs) if is_reversed else runs
        comparison = compared(first, second)
        # That no loop is peeled in `work`; in `get` the call of `grow`, and what became of its loop.
        assert [(finding.subject, finding.follows) for finding in findings(comparison)] == [(GET, 3)]
        shares = finding_shares(comparison, findings(comparison)[0])
        assert sorted(share for share in shares if share is not None) == [0.9, 0.9]  # work, and get beside it


def test_what_differs_in_a_method_that_both_runs_compile_by_itself_does_not_follow() -> None:
    def run(kind: str) -> DecisionRun:
        run = ceased(kind)
        event = "Peeling" if kind == "inlined" else "Unrolling"
        other = Trees(root(GET), Phase("R", [decided("Loop", event, (GET, 4))]))
        return made_run([run.units[0], made_unit(1, other, period=50)])

    assert [finding.subject for finding in told(run("inlined"), run("direct"))] == [GET, "Loop"]


def test_methods_that_are_inlined_into_one_another_do_not_follow_from_each_other() -> None:
    """Each run compiles another one of two methods that call each other."""

    def run(outer: str, inner: str, *names: str) -> DecisionRun:
        phases = Phase("R", [decided("Loop", name, (inner, 4), (outer, 5)) for name in names])
        return made_run([made_unit(0, Trees(root(outer, inlined(inner, 5, called(outer, 5))), phases), period=900)])

    assert told(run("a()", "b()", "Peeling"), run("b()", "a()", "Unrolling"))


def test_one_cause_at_several_call_sites_is_one_difference_with_several_places() -> None:
    numbers = tuple(f"too big: {size} nodes, relevance={size / 7}" for size in (612, 615, 630, 1))
    found = told(ceased("inlined", at=(5, 9, 12, 20)), ceased("direct", at=(5, 9, 12, 20), reasons=numbers))
    assert [(finding.subject, finding.places) for finding in found] == [(GET, [(WORK, at, 0) for at in (5, 9, 12, 20)])]
    assert found[0].caller == WORK and found[0].at == 5
    assert found[0].pairs == [(0, 0)]


def test_other_reasons_are_other_causes() -> None:
    found = told(ceased("inlined", at=(5, 9)), ceased("direct", at=(5, 9), reasons=("too big", "recursive")))
    assert sorted(finding.at for finding in found) == [5, 9]


def test_calls_that_are_in_one_run_only_have_no_cause_in_common() -> None:
    def run(*calls: int) -> DecisionRun:
        return only(Trees(root(WORK, *(called("a.X.run()", at) for at in calls)), Phase("R")))

    assert len(told(run(5, 9), run())) == 2
