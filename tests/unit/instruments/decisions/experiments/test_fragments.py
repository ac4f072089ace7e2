"""Fragments: which there are, and what is in them."""

from decision_texts import text_of
from made_experiments import Made, experiment, inlined
from sonde.instruments.decisions.experiments import Experiment, Fragment, create_fragments, fragment_trees
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place, ReceiverProfile, Trees


def made(side: Experiment) -> list[str]:
    return [f"{each.id} {each.method}" for fragments in side.fragments.values() for each in fragments]


def test_each_inlined_call_of_a_hot_method_in_a_hot_unit_is_a_fragment() -> None:
    first = experiment(1, Made("a()", 9, [inlined("b()", 1, inlined("c()", 2)), inlined("x()", 3, inlined("b()", 4))]))
    second = experiment(2, Made("b()", 5))

    create_fragments(first, second)

    assert made(first) == ["100#1 b()", "100#2 b()"]
    assert made(second) == []


def test_calls_that_were_not_inlined_unknown_ones_and_the_root_are_none() -> None:
    unknown = CallSite(None, 1, inlined=True)
    first = experiment(1, Made("a()", 9, [CallSite("a()", 1, alive=True), unknown, inlined("a()", 7)]))
    second = experiment(2, Made("a()", 9))

    create_fragments(first, second)

    assert made(first) == ["100#1 a()"]


def test_cold_units_have_none_and_cold_methods_are_none() -> None:
    first = experiment(1, Made("a()", 0, [inlined("b()", 1)]), Made("d()", 4, [inlined("c()", 1), inlined("a()", 2)]))
    second = experiment(2, Made("b()", 5), Made("c()", 0))

    create_fragments(first, second)

    assert made(first) == []


def test_numbers_run_through_methods_then_sides_then_units_in_log_order() -> None:
    calls = [inlined("b()", 1), inlined("a()", 2)]
    first = experiment(1, Made("b()", 1, calls), Made("a()", 2, calls), Made("b()", 9, calls))
    second = experiment(2, Made("c()", 3, calls), Made("a()", 4, calls))

    create_fragments(first, second)

    # methods: b, a (as the first has them), then c; of each the first side, then the second
    assert sorted(made(first) + made(second), key=lambda each: int(each.split("#")[1].split()[0])) == [
        "100#1 b()",
        "100#2 a()",
        "102#3 b()",
        "102#4 a()",
        "101#5 b()",
        "101#6 a()",
        "201#7 b()",
        "201#8 a()",
        "200#9 b()",
        "200#10 a()",
    ]


def test_creating_them_again_gives_the_same() -> None:
    first = experiment(1, Made("a()", 9, [inlined("b()", 1)]))
    second = experiment(2, Made("b()", 5))
    create_fragments(first, second)
    before = made(first)
    create_fragments(first, second)
    assert made(first) == before == ["100#1 b()"]


def test_a_fragment_is_as_hot_and_as_long_as_its_parent_but_adds_no_time() -> None:
    first = experiment(1, Made("a()", 9, [inlined("b()", 1)]), Made("b()", 3))
    second = experiment(2, Made("b()", 5))

    create_fragments(first, second)

    (fragment,) = first.fragments["b()"]
    assert (fragment.period, first.is_hot(fragment), fragment.variant) == (9, True, None)
    assert first.total_period("b()") == 3
    assert [each.id for each in first.compilations("b()")] == ["100#1", "101"]


def test_the_path_for_people_leaves_out_indirect_calls() -> None:
    switch = CallSite("I.b()", 4, indirect=True, children=[inlined("b()", 4)])
    first = experiment(1, Made("a()", 9, [inlined("x()", 2, switch)]))

    create_fragments(first, experiment(2, Made("b()", 5)))

    (fragment,) = first.fragments["b()"]
    assert [(site.method, site.at) for site in fragment.path] == [("a()", -1), ("x()", 2), ("b()", 4)]
    assert fragment.address == (0, 0, 0)


def test_a_call_that_equals_one_before_it_has_the_others_place() -> None:
    equal = [inlined("b()", 1, CallSite("c()", 1, alive=True)) for _ in range(2)]
    other = inlined("b()", 1, CallSite("c()", 1))
    first = experiment(1, Made("a()", 9, [equal[0], other, equal[1]]))

    create_fragments(first, experiment(2, Made("b()", 5)))

    assert [each.address for each in first.fragments["b()"]] == [(0,), (1,), (0,)]


def test_a_fragment_is_the_subtree_with_a_root_of_its_own() -> None:
    inner = CallSite("c()", 3, alive=True, reasons=("no",))
    profile = ReceiverProfile(True, ())
    cut = CallSite("b()", 1, inlined=True, reasons=("yes",), receivers=profile, children=[inner])
    given = Trees(CallSite("a()", inlined=True, is_root=True, children=[cut]), Phase("RootPhase"))

    trees = fragment_trees(given, (0,))

    assert trees.inlining == CallSite("b()", inlined=True, is_root=True, receivers=profile, children=[inner])
    assert (cut.at, cut.reasons, cut.is_root) == (1, ("yes",), False)


def at(name: str, *places: tuple[str, int]) -> Decision:
    return Decision(name, "E", tuple(Place(*place) for place in places))


def test_a_fragment_has_all_phases_and_the_decisions_in_its_method_with_positions_that_end_in_it() -> None:
    cut = inlined("b()", 2, inlined("c()", 3))
    given = Trees(
        CallSite("a()", inlined=True, is_root=True, children=[cut]),
        Phase(
            "RootPhase",
            [
                Phase("P", [at("In", ("b()", 7), ("a()", 2)), at("Out", ("a()", 2)), at("None")]),
                Phase("Q", [Phase("R", [at("Deep", ("c()", 8), ("b()", 3), ("a()", 2))])]),
                at("Elsewhere", ("b()", 7), ("a()", 4)),
                at("Unknown place", ("b()", 7), ("a()", -1)),
            ],
        ),
    )

    trees = fragment_trees(given, (0,))

    assert trees.optimizations == Phase(
        "RootPhase",
        [
            Phase("P", [at("In", ("b()", 7))]),
            Phase("Q", [Phase("R", [at("Deep", ("c()", 8), ("b()", 3))])]),
            at("Unknown place", ("b()", 7)),
        ],
    )
    assert text_of(given.optimizations).count("\n") == 9, "what was given is not changed"


def test_a_fragment_loads_from_its_parent_each_time() -> None:
    first = experiment(1, Made("a()", 9, [inlined("b()", 1, CallSite("c()", 2))]))
    create_fragments(first, experiment(2, Made("b()", 5)))
    fragment: Fragment = first.fragments["b()"][0]
    assert text_of(fragment.load().inlining) == "(root) b()\n  (deleted) c() line 2"
    assert fragment.load().inlining is not fragment.load().inlining


def test_chains_of_ten_thousand_inlined_calls() -> None:
    site = top = inlined("x()", 1)
    for _ in range(10_000):
        site.children.append(site := inlined("x()", 1))
    site.children.append(inlined("b()", 1))
    first = experiment(1, Made("a()", 9, [top]))

    create_fragments(first, experiment(2, Made("b()", 5)))

    (fragment,) = first.fragments["b()"]
    assert len(fragment.address) == 10_002
    assert fragment.load().inlining.method == "b()"


def test_of_a_unit_with_too_many_the_outermost_are_cut_out_and_the_others_counted() -> None:
    chain = top = inlined("b()", 1)
    for _ in range(1_000):
        chain.children.append(chain := inlined("b()", 1))
    first, second = experiment(1, Made("a()", 9, [top, inlined("b()", 7)])), experiment(2, Made("b()", 5))

    create_fragments(first, second, most=4)

    addresses = [fragment.address for fragment in first.fragments["b()"]]
    assert addresses == [(0,), (0, 0), (0, 0, 0), (1,)]
    assert [fragment.number for fragment in first.fragments["b()"]] == [1, 2, 3, 4]
    assert (first.fragments_left_out, second.fragments_left_out) == (1_002 - 4, 0)

    create_fragments(first, second)
    assert (len(first.fragments["b()"]), first.fragments_left_out) == (1_002, 0)
