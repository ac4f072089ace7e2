"""The optimization-context tree: where each decision goes."""

from textwrap import dedent

from decision_texts import text_of
from sonde.instruments.decisions.experiments import context_tree
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place, Trees

WARNING = "Warning: Optimizations cannot be unambiguously attributed (duplicate path)"


def inlined(method: str, at: int, *children: CallSite) -> CallSite:
    return CallSite(method, at, inlined=True, children=list(children))


def root(*children: CallSite) -> CallSite:
    return CallSite("a()", inlined=True, is_root=True, children=list(children))


def at(name: str, *places: tuple[str, int]) -> Decision:
    return Decision(name, "E", tuple(Place(*place) for place in places))


def shown(tree: CallSite, *decisions: Phase | Decision) -> str:
    return text_of(context_tree(Trees(tree, Phase("RootPhase", list(decisions)))))


def expect(text: str, **names: str) -> str:
    return dedent(text).format(**names).rstrip()


def test_decisions_go_to_the_method_that_their_position_is_in() -> None:
    tree = root(inlined("b()", 1, inlined("d()", 3)), inlined("c()", 2))
    found = shown(
        tree,
        at("D", ("d()", 6), ("b()", 3), ("a()", 1)),
        Phase("P", [at("A", ("a()", 3)), at("C", ("c()", 5), ("a()", 2))]),
        at("B", ("b()", 4), ("a()", 1)),
    )
    assert found == expect("""\
        Optimization-context tree
          (root) a()
            A line 3
            (inlined) b() line 1
              B line 4
              (inlined) d() line 3
                D line 6
            (inlined) c() line 2
              C line 5
        """)


def test_decisions_without_position_or_of_another_method_go_below_the_title() -> None:
    assert shown(root(), at("N"), at("M", ("z()", 1))) == expect("""\
        Optimization-context tree
          M line 1
          N
          (root) a()
        """)


def test_decisions_in_methods_that_are_not_in_the_tree_go_to_the_nearest_that_is() -> None:
    assert shown(root(inlined("b()", 1)), at("X", ("z()", 9), ("c()", 2), ("b()", 3), ("a()", 1))) == expect("""\
        Optimization-context tree
          (root) a()
            (inlined) b() line 1
              X line 9
        """)


def test_indirect_calls_are_looked_through() -> None:
    switch = CallSite("I.b()", 1, indirect=True, children=[inlined("B.b()", 1)])
    assert shown(root(switch), at("X", ("B.b()", 4), ("a()", 1))) == expect("""\
        Optimization-context tree
          (root) a()
            (devirtualized) I.b() line 1
              (inlined) B.b() line 1
                X line 4
        """)


def test_methods_that_were_not_inlined_get_decisions_too() -> None:
    assert shown(root(CallSite("b()", 1, alive=True)), at("X", ("b()", 4), ("a()", 1))) == expect("""\
        Optimization-context tree
          (root) a()
            (direct) b() line 1
              X line 4
        """)


def test_inlined_methods_of_one_path_are_warned_of_and_all_get_the_decisions() -> None:
    tree = root(
        inlined("b()", 1, inlined("d()", 3)), CallSite("b()", 1, alive=True), inlined("b()", 1, inlined("d()", 3))
    )
    found = shown(tree, at("X", ("d()", 6), ("b()", 3), ("a()", 1)), at("W", ("b()", 2), ("a()", 1)))
    assert found == expect(
        """\
        Optimization-context tree
          (root) a()
            (inlined) b() line 1
              {w}
              W line 2
              (inlined) d() line 3
                {w}
                X line 6
            (inlined) b() line 1
              {w}
              W line 2
              (inlined) d() line 3
                {w}
                X line 6
            (direct) b() line 1
              W line 2
        """,
        w=WARNING,
    )


def test_a_call_at_minus_one_shares_the_path_of_all_calls_of_its_method() -> None:
    tree = root(inlined("b()", -1), inlined("b()", 3))
    assert shown(tree, at("X", ("b()", 4), ("a()", 3))) == expect(
        """\
        Optimization-context tree
          (root) a()
            (inlined) b()
              {w}
              X line 4
            (inlined) b() line 3
              {w}
              X line 4
        """,
        w=WARNING,
    )


def test_children_are_sorted_even_if_the_inlining_tree_is_not() -> None:
    tree = root(CallSite("z()", 5), CallSite("b()", 1))
    assert shown(tree, at("Z", ("a()", 1)), at("A", ("a()", 9)), at("A", ("a()", 2))) == expect("""\
        Optimization-context tree
          (root) a()
            A line 2
            A line 9
            Z line 1
            (deleted) b() line 1
            (deleted) z() line 5
        """)


def test_trees_of_ten_thousand_levels() -> None:
    top = site = root()
    for _ in range(10_000):
        site.children.append(site := inlined("a()", 1))
    position = (Place("a()", 7), *[Place("a()", 1)] * 10_000)

    found = context_tree(Trees(top, Phase("RootPhase", [Decision("X", "Y", position)])))

    levels = 0
    while found.children:
        found, levels = found.children[-1], levels + 1
    assert levels == 10_002
    assert isinstance(found.content, Decision)
