"""Programs that were compiled twice, with new names for their lambdas and lines that moved: nothing differs."""

import random
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_decisions import called, decided, inlined, root
from sonde.instruments.decisions.alignment import align, aligned_trees
from sonde.instruments.decisions.deltas import CONTEXT, INLINING, OPTIMIZATIONS, difference, pruned
from sonde.instruments.decisions.experiments import TreeOptions, context_tree, prepared
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place, Trees

Body = dict[int, str]
PLAIN, LAMBDAS = 6, 4


class Program:
    """Methods that call one another. Each calls some that nothing else calls, and no two of one name, so that there is
    no doubt which is which."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        addresses = draw.sample(range(2**16), LAMBDAS)
        self.plain = [f"m{number}" for number in range(PLAIN)]
        self.lambdas = [f"a.B$$Lambda/0x{address:016x}.run()" for address in addresses]
        self.bodies: dict[str, Body] = {}
        self.decisions: dict[str, Body] = {}
        methods = [*self.plain, *self.lambdas]
        for number, method in enumerate(methods):
            later = draw.sample(methods[number + 1 :], min(len(methods) - number - 1, draw.randint(0, 3)))
            callees = [*later, *(f"leaf{number}_{each}" for each in range(3))]
            draw.shuffle(callees)
            places = sorted(draw.sample(range(2, 90), len(callees)))
            self.bodies[method] = dict(zip(places, callees, strict=True))
            self.decisions[method] = dict.fromkeys(draw.sample(range(90), draw.randint(0, 3)), f"Peel{number}")
        self.draw = draw

    def compiled(self, method: str) -> Trees:
        phases = Phase("all", [Phase("first"), Phase("second")])
        return Trees(root(method, *self._calls(method, (), phases)), phases)

    def _calls(self, method: str, position: tuple[tuple[str, int], ...], phases: Phase) -> list[CallSite]:
        for at, name in self.decisions[method].items():
            phase = phases.children[at % 2]
            assert isinstance(phase, Phase)
            phase.children.append(decided(name, "Event", (method, at), *position))
        found = []
        for at, callee in self.bodies[method].items():
            if callee in self.bodies:
                found.append(inlined(callee, at, *self._calls(callee, ((method, at), *position), phases)))
            else:
                found.append(called(callee, at))
        return found

    def everything(self) -> list[Trees]:
        return [self.compiled(method) for method in self.plain]


def changed(trees: Trees, names: dict[str, str], moves: dict[str, int]) -> Trees:
    """Told by hand: no part of what is tested."""

    def call(site: CallSite, caller: str | None) -> CallSite:
        move = moves.get(caller or "", 0)
        assert site.method is not None
        below = [call(child, site.method) for child in site.children]
        at = site.at if caller is None else site.at + move
        return replace(site, method=names.get(site.method, site.method), at=at, children=below)

    def phase(node: Phase | Decision) -> Phase | Decision:
        if isinstance(node, Phase):
            return Phase(node.name, [phase(child) for child in node.children])
        places = (
            Place(names.get(place.method, place.method), place.at + moves.get(place.method, 0))
            for place in node.position
        )
        return replace(node, position=tuple(places))

    phases = phase(trees.optimizations)
    assert isinstance(phases, Phase)
    return Trees(call(trees.inlining, None), phases)


def differs(first: Trees, second: Trees) -> bool:
    first, second = (prepared(trees, TreeOptions()) for trees in (first, second))
    calls = difference(first.inlining, second.inlining, INLINING)
    phases = difference(first.optimizations, second.optimizations, OPTIMIZATIONS)
    contexts = difference(context_tree(first), context_tree(second), CONTEXT)
    assert calls is not None and phases is not None and contexts is not None
    return pruned(calls) is not None or pruned(phases) is not None or pruned(contexts) is not None


@given(st.integers(0, 2**32))
@examples(0.6)
def test_a_run_is_aligned_with_itself_as_it_is(seed: int) -> None:
    run = Program(seed).everything()
    assert align(run, run).is_identity


@given(st.integers(0, 2**32))
@examples(1)
def test_new_names_and_moved_lines_are_no_differences(seed: int) -> None:
    program = Program(seed)
    first = program.everything()
    fresh = program.draw.sample(range(2**20, 2**21), LAMBDAS)
    names = {name: f"a.B$$Lambda/0x{address:016x}.run()" for name, address in zip(program.lambdas, fresh, strict=True)}
    moves = {method: program.draw.choice([0, 0, 1, 2, 7, 40]) for method in program.bodies}
    second = [changed(trees, names, moves) for trees in first]
    found = align(first, second)
    for one, other in zip(first, second, strict=True):
        assert not differs(one, aligned_trees(other, found))
    occurring = {name for trees in first for name in methods_in(trees.inlining)}
    assert found.names == {names[name]: name for name in program.lambdas if name in occurring}
    assert {method: set(places) for method, places in found.offsets.items()}.keys() <= {
        method for method, move in moves.items() if move
    }


@given(st.integers(0, 2**32))
@examples(1)
def test_names_are_given_once_and_places_in_order(seed: int) -> None:
    """Of any two programs, that have nothing to do with one another."""
    first, second = Program(seed).everything(), Program(seed + 1).everything()
    found = align(first, second)
    ours = {name for trees in first for name in methods_in(trees.inlining)}
    theirs = {name for trees in second for name in methods_in(trees.inlining)}
    assert len(set(found.names.values())) == len(found.names)
    assert set(found.names) <= theirs - ours and set(found.names.values()) <= ours - theirs
    for places in found.offsets.values():
        pairs = sorted(places.items())
        assert all(at >= 0 and before >= 0 and at != before for at, before in pairs)
        assert all(one[1] < other[1] for one, other in pairwise(pairs))
    assert align(first, second) == found


def methods_in(root: CallSite) -> list[str]:
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    return [node.method for node in nodes if node.method is not None]


@given(st.integers(0, 2**32))
@examples(0.6)
def test_real_differences_are_still_seen(seed: int) -> None:
    """One inlined call is no longer, of a program whose lines moved."""
    program = Program(seed)
    first = program.everything()
    moves = {method: program.draw.choice([0, 3]) for method in program.bodies}
    second = [changed(trees, {}, moves) for trees in first]
    found = align(first, second)
    for one, other in zip(first, second, strict=True):
        calls = [child for child in other.inlining.children if child.inlined]
        if calls:
            call = program.draw.choice(calls)
            call.inlined, call.alive, call.children = False, True, []
            assert differs(one, aligned_trees(other, found))
