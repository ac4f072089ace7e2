"""Trees made ready: each rule of order, and what is left out."""

from dataclasses import replace

import pytest

from sonde.instruments.decisions.experiments import TreeOptions, decision_count, prepared
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place, Trees, Value

NOTHING = TreeOptions(sort_inlining_tree=False, sort_unordered_phases=False, remove_detailed_phases=False)
ROOT = CallSite("m()", inlined=True, is_root=True)


def calls(*sites: CallSite, options: TreeOptions | None = None) -> list[CallSite]:
    given = Trees(replace(ROOT, children=list(sites)), Phase("RootPhase"))
    return prepared(given, options or TreeOptions()).inlining.children


def phases(*children: Phase | Decision, options: TreeOptions | None = None) -> list[Phase | Decision]:
    return prepared(Trees(ROOT, Phase("RootPhase", list(children))), options or TreeOptions()).optimizations.children


@pytest.mark.parametrize(
    "ordered",
    [
        [CallSite("z()", -5), CallSite("z()", -1), CallSite("z()", 0), CallSite("a()", 7), CallSite("a()", 10)],
        [CallSite(None, 1), CallSite("", 1), CallSite("A()", 1), CallSite("a()", 1), CallSite("b()", 1)],
        [CallSite("\U0001f600", 1), CallSite("\uffee", 1)],
        [CallSite("f()", 1, inlined=True), CallSite("f()", 1, alive=True), CallSite("f()", 1)],
        [CallSite("f()", 1, reasons=("a", "b")), CallSite("f()", 1, reasons=("z",)), CallSite("f()", 1)],
    ],
)
def test_calls_stand_by_place_name_kind_and_number_of_reasons(ordered: list[CallSite]) -> None:
    assert calls(*reversed(ordered)) == ordered


def test_calls_that_do_not_differ_in_order_stay_as_they_were() -> None:
    sites = [CallSite("f()", 1, reasons=("b",)), CallSite("f()", 1, reasons=("a",), indirect=True)]
    assert calls(*sites) == sites
    assert calls(*reversed(sites)) == sites[::-1]


def test_calls_are_sorted_at_every_level_or_not_at_all() -> None:
    site = CallSite("f()", 1, children=[CallSite("b()", 2), CallSite("a()", 1)])
    assert [each.method for each in calls(site)[0].children] == ["a()", "b()"]
    assert [each.method for each in calls(site, options=NOTHING)[0].children] == ["b()", "a()"]


def decision(
    name: str = "X", event: str = "Y", *places: tuple[str, int], properties: tuple[tuple[str, Value], ...] = ()
) -> Decision:
    return Decision(name, event, tuple(Place(*place) for place in places), properties)


@pytest.mark.parametrize(
    "ordered",
    [
        [decision("B"), Phase("A"), Phase("B")],
        [decision("A", "Z"), decision("B", "Y"), decision("B", "Z")],
        [decision(), decision("X", "Y", ("a()", 1)), decision("X", "Y", ("a()", 2)), decision("X", "Y", ("b()", 1))],
        [  # outermost first; a beginning of another position stands before it
            decision("X", "Y", ("a()", 1)),
            decision("X", "Y", ("c()", 1), ("a()", 1)),
            decision("X", "Y", ("b()", 1), ("a()", 2)),
        ],
        [decision("X", "Y", ("a()", -6)), decision("X", "Y", ("a()", -1)), decision("X", "Y", ("a()", 10))],
        [
            decision(),
            decision(properties=(("a", 1),)),
            decision(properties=(("a", 10),)),  # values as text: 10 stands before 2
            decision(properties=(("a", 2),)),
            decision(properties=(("a", None),)),
            decision(properties=(("a", "x"),)),
            decision(properties=(("a", "x"), ("b", 1))),
            decision(properties=(("b", 0),)),
        ],
    ],
)
def test_what_is_in_phases_without_order_is_sorted(ordered: list[Phase | Decision]) -> None:
    (found,) = phases(Phase("ConditionalEliminationPhase", ordered[::-1]))
    assert isinstance(found, Phase)
    assert found.children == ordered


@pytest.mark.parametrize(
    "name",
    [
        "PartialEscapePhase",
        "FloatingReadPhase",
        "UseTrappingNullChecksPhase",
        "ReassociationPhase",
        "ConvertDeoptimizeToGuardPhase",
        "ConditionalEliminationPhase",
        "IterativeConditionalEliminationPhase",
    ],
)
def test_phases_without_order_are_told_by_the_end_of_their_name(name: str) -> None:
    children: list[Phase | Decision] = [decision("B"), decision("A", properties=(("k", 1),))]
    assert phases(Phase(name, list(children))) == [Phase(name, children[::-1])]
    assert phases(Phase(name + "X", list(children))) == [Phase(name + "X", children)]
    assert phases(Phase(name, list(children)), options=NOTHING) == [Phase(name, children)]


def test_only_what_is_directly_in_a_phase_without_order_is_sorted() -> None:
    inner = Phase("LoopPeelingPhase", [decision("B"), decision("A")])
    assert phases(Phase("FloatingReadPhase", [inner])) == [Phase("FloatingReadPhase", [inner])]


@pytest.mark.parametrize(
    "name",
    ["CanonicalizerPhase", "IncrementalCanonicalizerPhase", "FinalCanonicalizerPhase", "DeadCodeEliminationPhase"],
)
def test_detailed_phases_are_left_out_with_all_that_is_in_them(name: str) -> None:
    inner = Phase(name, [decision(), Phase("LoopPeelingPhase", [decision()])])
    outer = Phase("HighTier", [inner, decision("kept")])

    assert phases(outer, inner) == [Phase("HighTier", [decision("kept")])]
    assert phases(outer, inner, options=NOTHING) == [outer, inner]


@pytest.mark.parametrize("name", ["asm-printer", "prologepilog", "regalloc", "stack-frame-layout", "size-info"])
def test_what_llvm_says_of_finished_code_is_left_out(name: str) -> None:
    given = Phase(name, [decision()]), Phase("gvn", [decision("kept")])

    assert phases(*given) == [Phase("gvn", [decision("kept")])]
    assert phases(*given, options=NOTHING) == list(given)


def test_decisions_are_counted_at_every_level() -> None:
    assert decision_count(Phase("Root", [decision(), Phase("gvn", [decision(), Phase("licm", [decision()])])])) == 3


def test_a_detailed_root_stays() -> None:
    given = Trees(ROOT, Phase("CanonicalizerPhase", [decision()]))
    assert prepared(given, TreeOptions()).optimizations == given.optimizations


def test_detailed_phases_are_gone_before_sorting_so_a_sorted_one_needs_to_be_kept() -> None:
    (found,) = phases(
        Phase("CanonicalizerPhase", [decision("B"), decision("A")]), options=TreeOptions(remove_detailed_phases=False)
    )
    assert found == Phase("CanonicalizerPhase", [decision("A"), decision("B")])


def test_the_trees_given_are_not_changed() -> None:
    site = CallSite("f()", 1, children=[CallSite("b()", 2), CallSite("a()", 1)])
    given = Trees(replace(ROOT, children=[site]), Phase("RootPhase", [Phase("CanonicalizerPhase")]))

    ready = prepared(given, TreeOptions())

    assert [each.method for each in site.children] == ["b()", "a()"]
    assert given.optimizations == Phase("RootPhase", [Phase("CanonicalizerPhase")])
    assert ready.inlining.children[0] is not site


def test_trees_of_ten_thousand_levels_are_made_ready() -> None:
    calls_now, phases_now = CallSite("m()", inlined=True, is_root=True), Phase("RootPhase")
    given = Trees(calls_now, phases_now)
    for _ in range(10_000):
        calls_now.children.append(calls_now := CallSite("m()", 1, inlined=True))
        phases_now.children.append(phases_now := Phase("P"))

    site, levels = prepared(given, TreeOptions()).inlining, 0
    while site.children:
        site, levels = site.children[0], levels + 1
    assert levels == 10_000
