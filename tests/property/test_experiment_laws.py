"""The guarantees of comparing experiments: heat, order, fragments, context trees, pairs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from made_experiments import Made, experiment
from sonde.instruments.decisions.experiments import (
    DUPLICATE_PATH,
    TITLE,
    CompareOptions,
    Fragment,
    HeatPolicy,
    PathElement,
    TreeOptions,
    UnitPair,
    context_tree,
    create_fragments,
    differences,
    enclosing_path,
    fragment_trees,
    hot_units,
    method_pairs,
    path_to,
    prepared,
)
from sonde.instruments.decisions.experiments.fragment import inlined_calls
from sonde.instruments.decisions.experiments.inlining_path import is_prefix
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase, Place, Trees, Unit

METHODS = ("a()", "b()", "c()")
methods = st.sampled_from(METHODS)
offsets = st.sampled_from((-5, -1, 0, 1, 2))
positions = st.lists(st.builds(Place, methods, offsets), max_size=3).map(tuple)
properties = st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 1) | st.text("ab", max_size=1)), max_size=2).map(
    lambda pairs: tuple(dict(pairs).items())
)
decisions = st.builds(Decision, st.sampled_from("XY"), st.just("E"), positions, properties)
phase_names = st.sampled_from(("LoopPeelingPhase", "CanonicalizerPhase", "FloatingReadPhase", "HighTier"))


def _sites(children: st.SearchStrategy[list[CallSite]]) -> st.SearchStrategy[CallSite]:
    return st.builds(
        CallSite,
        st.none() | methods,
        offsets,
        inlined=st.booleans(),
        alive=st.booleans(),
        indirect=st.sampled_from((False, False, True)),
        reasons=st.sampled_from(((), ("no",), ("no", "yes"))),
        children=children,
    )


sites = st.recursive(_sites(st.builds(list)), lambda inner: _sites(st.lists(inner, max_size=3)), max_leaves=12)
roots = st.builds(
    CallSite, st.just("a()"), inlined=st.just(True), is_root=st.just(True), children=st.lists(sites, max_size=4)
)
phases = st.recursive(
    st.builds(Phase, phase_names, st.lists(decisions, max_size=3)),
    lambda inner: st.builds(Phase, phase_names, st.lists(inner | decisions, max_size=3)),
    max_leaves=8,
)
whole_trees = st.builds(Trees, roots, phases)
tree_options = st.builds(TreeOptions, st.booleans(), st.booleans(), st.booleans())


def every_site(root: CallSite) -> Iterator[tuple[CallSite, ...]]:
    """Ways from the root to all call sites, by recursion."""
    yield (root,)
    for child in root.children:
        for way in every_site(child):
            yield (root, *way)


def every_decision(phase: Phase) -> Iterator[Decision]:
    for child in phase.children:
        if isinstance(child, Decision):
            yield child
        else:
            yield from every_decision(child)


def every_phase(phase: Phase) -> Iterator[str]:
    yield phase.name
    for child in phase.children:
        if isinstance(child, Phase):
            yield from every_phase(child)


def every_node(node: ContextNode) -> Iterator[tuple[ContextNode, ...]]:
    yield (node,)
    for child in node.children:
        for way in every_node(child):
            yield (node, *way)


def never() -> Trees:
    raise AssertionError


@given(
    st.lists(st.integers(0, 30), max_size=15), st.integers(0, 5), st.integers(0, 8), st.sampled_from((0, 0.3, 0.9, 1))
)
def test_hot_units_follow_the_rule_as_it_is_written(periods: list[int], low: int, more: int, share: float) -> None:
    units = [Unit(number, "f()", str(number), never, period=period) for number, period in enumerate(periods)]

    hot = {unit.number for unit in hot_units(units, HeatPolicy(low, low + more, share))}

    ranked = sorted(range(len(periods)), key=lambda number: (-periods[number], number))
    for rank, number in enumerate(ranked):
        left = sum(periods) * share
        for before in ranked[: rank + 1]:
            left -= periods[before]
        assert (number in hot) == (rank < low or (rank < low + more and left >= 0))


@given(whole_trees, tree_options)
def test_preparing_twice_is_preparing_once(trees: Trees, options: TreeOptions) -> None:
    once = prepared(trees, options)
    assert prepared(once, options) == once


@given(whole_trees, tree_options)
def test_preparing_leaves_out_detailed_phases_only_and_changes_nothing_given(
    trees: Trees, options: TreeOptions
) -> None:
    before = repr(trees)

    ready = prepared(trees, options)

    assert repr(trees) == before
    assert Counter(way[-1].at for way in every_site(ready.inlining)) == Counter(
        way[-1].at for way in every_site(trees.inlining)
    )

    def kept(phase: Phase) -> Iterator[Decision]:
        for child in phase.children:
            if isinstance(child, Decision):
                yield child
            elif not (options.remove_detailed_phases and child.name == "CanonicalizerPhase"):
                yield from kept(child)

    assert Counter(every_decision(ready.optimizations)) == Counter(kept(trees.optimizations))


def key(site: CallSite) -> tuple[object, ...]:
    name = (0, "") if site.method is None else (1, site.method)
    return (site.at, name, 0 if site.inlined else 1, 0 if site.alive else 1, -len(site.reasons))


@given(whole_trees)
def test_prepared_calls_are_in_order_and_equal_ones_as_they_were(trees: Trees) -> None:
    ready = prepared(trees, TreeOptions())
    given_children = [way[-1].children for way in every_site(trees.inlining)]
    for way in every_site(ready.inlining):
        keys = [key(site) for site in way[-1].children]
        assert keys == sorted(keys)
    assert [key(site) for site in ready.inlining.children] == sorted(map(key, given_children[0]))


@given(whole_trees)
def test_a_context_tree_has_each_call_once_and_each_decision_where_its_path_leads(trees: Trees) -> None:
    tree = context_tree(trees)

    ways = list(every_node(tree))
    assert tree.content == Note(TITLE)
    found_sites = [way[-1].content for way in ways if isinstance(way[-1].content, CallSite)]
    assert Counter(map(id, found_sites)) == Counter(id(way[-1]) for way in every_site(trees.inlining))
    at: dict[int, list[Decision]] = {}
    for way in ways:
        if isinstance(way[-1].content, Decision):
            at.setdefault(id(way[-2].content), []).append(way[-1].content)
    expected: dict[int, list[Decision]] = {}
    for decision in every_decision(trees.optimizations):
        for place in [id(holder) for holder in holders(trees.inlining, decision)] or [id(tree.content)]:
            expected.setdefault(place, []).append(decision)
    assert {place: Counter(map(id, each)) for place, each in at.items()} == {
        place: Counter(map(id, each)) for place, each in expected.items()
    }


def holders(root: CallSite, decision: Decision) -> list[CallSite]:
    """Where a decision belongs, by trying every beginning of its path on every call site."""
    path = enclosing_path(decision.position)
    for length in range(len(path), 0, -1):
        found = [way[-1] for way in every_site(root) if not way[-1].indirect and matches(way, path[:length])]
        if found:
            return found
    return []


def matches(way: tuple[CallSite, ...], path: tuple[PathElement, ...]) -> bool:
    own = path_to(way)
    return len(own) == len(path) and is_prefix(own, path)


@given(whole_trees)
def test_context_trees_warn_of_inlined_calls_that_share_their_path(trees: Trees) -> None:
    ways = list(every_site(trees.inlining))
    ambiguous = {
        id(way[-1])
        for way in ways
        if way[-1].inlined and sum(not other[-1].indirect and matches(other, path_to(way)) for other in ways) > 1
    }
    for way in every_node(context_tree(trees)):
        notes = [child for child in way[-1].children if child.content == Note(DUPLICATE_PATH)]
        assert len(notes) == (isinstance(way[-1].content, CallSite) and id(way[-1].content) in ambiguous)


@given(whole_trees)
def test_children_in_a_context_tree_are_notes_then_decisions_then_calls(trees: Trees) -> None:
    kinds = (Note, Decision, CallSite)
    for way in every_node(context_tree(trees)):
        order = [kinds.index(type(child.content)) for child in way[-1].children]
        assert order == sorted(order)


@given(whole_trees)
def test_a_fragment_has_the_phases_of_its_parent_and_positions_within_its_method(trees: Trees) -> None:
    for address, way in inlined_calls(trees.inlining, METHODS).ways:
        cut = fragment_trees(trees, address)
        path = path_to(way)

        assert cut.inlining == replace(way[-1], at=-1, reasons=(), is_root=True)
        assert list(every_phase(cut.optimizations)) == list(every_phase(trees.optimizations))
        inside = [
            each for each in every_decision(trees.optimizations) if is_prefix(path, enclosing_path(each.position))
        ]
        expected = [replace(each, position=each.position[: len(each.position) - len(path) + 1]) for each in inside]
        assert list(every_decision(cut.optimizations)) == expected
        if not way[-1].indirect:
            assert all(each.position[-1].method == way[-1].method for each in expected)


@given(roots)
def test_all_inlined_calls_are_found_in_preorder_at_places_equal_to_theirs(root: CallSite) -> None:
    found = inlined_calls(root, METHODS).ways

    expected = [way for way in every_site(root) if len(way) > 1 and way[-1].inlined and way[-1].method is not None]
    assert [list(map(id, way)) for _, way in found] == [list(map(id, way)) for way in expected]
    for address, way in found:
        site = root
        for place, passed in zip(address, way[1:], strict=True):
            firsts = [number for number, child in enumerate(site.children) if child == passed]
            assert place == firsts[0]
            site = site.children[place]


few_calls = st.builds(
    CallSite,
    methods,
    st.just(1),
    inlined=st.booleans(),
    children=st.lists(st.builds(CallSite, methods, st.just(2), inlined=st.booleans()), max_size=2),
)
made_units = st.builds(Made, methods, st.integers(0, 2), st.lists(few_calls, max_size=2))


@given(st.lists(made_units, min_size=1, max_size=3), st.lists(made_units, min_size=1, max_size=3))
def test_there_is_a_fragment_for_each_inlined_call_of_a_hot_method_in_a_hot_unit(
    left: list[Made], right: list[Made]
) -> None:
    first, second = experiment(1, *left), experiment(2, *right)

    create_fragments(first, second)

    hot = {unit.method for side in (first, second) for unit in side.run.units if unit.number in side.hot}
    numbers = []
    for side in (first, second):
        expected = Counter(
            (unit.number, way[-1].method)
            for unit in side.run.units
            if unit.number in side.hot
            for way in every_site(unit.load().inlining)
            if len(way) > 1 and way[-1].inlined and way[-1].method in hot
        )
        fragments = [each for listed in side.fragments.values() for each in listed]
        assert Counter((each.parent.number, each.method) for each in fragments) == expected
        numbers += [each.number for each in fragments]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


@given(st.lists(made_units, min_size=1, max_size=3), st.lists(made_units, min_size=1, max_size=3))
def test_hot_compilations_of_a_method_are_compared_each_with_each_but_no_two_fragments(
    left: list[Made], right: list[Made]
) -> None:
    first, second = experiment(1, *left), experiment(2, *right)
    create_fragments(first, second)

    found = Counter(
        (pair.first.id, pair.second.id) for each in method_pairs(first, second) for pair in each.unit_pairs()
    )

    expected = Counter(
        (one.id, other.id)
        for method in METHODS
        for one in first.hot_compilations(method)
        for other in second.hot_compilations(method)
        if not (isinstance(one, Fragment) and isinstance(other, Fragment))
    )
    assert found == expected
    totals = [each.total_period for each in method_pairs(first, second)]
    assert totals == sorted(totals, reverse=True)


@given(whole_trees, tree_options, st.booleans())
def test_a_compilation_does_not_differ_from_itself(trees: Trees, options: TreeOptions, context: bool) -> None:
    unit = Unit(0, "a()", "1", lambda: trees)
    assert not differences(UnitPair(unit, unit), CompareOptions(options, context=context)).any


@given(roots, st.integers(0, 5))
def test_of_too_many_inlined_calls_those_nearest_to_the_root_are_told_in_the_same_order(
    root: CallSite, most: int
) -> None:
    every, some = inlined_calls(root, METHODS), inlined_calls(root, METHODS, most)

    assert len(some.ways) == min(most, len(every.ways))
    assert some.left_out == len(every.ways) - len(some.ways)
    numbers = [[id(way[-1]) for _, way in every.ways].index(id(way[-1])) for _, way in some.ways]
    assert numbers == sorted(numbers)
    others = [len(address) for number, (address, _) in enumerate(every.ways) if number not in numbers]
    assert not others or not some.ways or max(len(address) for address, _ in some.ways) <= min(others)
