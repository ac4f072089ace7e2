"""Trees that were read last are kept: a few of them, and only for those who do not change them."""

from collections import Counter

import pytest

from group_runs import inlined, unit_trees
from sonde.instruments.decisions.experiments import (
    CompareOptions,
    Experiment,
    Fragment,
    RecentTrees,
    TreeOptions,
    UnitPair,
    create_fragments,
    differences,
    method_pairs,
)
from sonde.instruments.decisions.model import DecisionRun, Trees, Unit

READ: Counter[int] = Counter()


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    READ.clear()


def counted_unit(number: int, depth: int = 0) -> Unit:
    """A unit of a method that calls itself, inlined so many times; it counts how often it is read."""

    def load() -> Trees:
        READ[number] += 1
        calls = [inlined("f", 3)] if depth else []
        for _ in range(depth - 1):
            calls = [inlined("f", 3, *calls)]
        return unit_trees("f", calls, [("Peel", 9)])

    return Unit(number, "f", str(number), load, period=10)


def test_a_pair_is_kept_whatever_its_size() -> None:
    recent, units = RecentTrees(most=1), [counted_unit(number) for number in range(3)]
    for number in (0, 1, 0, 2, 0, 1):
        assert recent.load(units[number]) == unit_trees("f", [], [("Peel", 9)])
    assert READ == {0: 1, 1: 2, 2: 1}


def test_many_units_are_kept_while_they_are_small() -> None:
    recent, units = RecentTrees(), [counted_unit(number) for number in range(50)]
    for unit in units * 3:
        recent.load(unit)
    assert set(READ.values()) == {1}


def test_large_trees_make_place_for_one_another() -> None:
    recent, units = RecentTrees(most=350), [counted_unit(number, depth=100) for number in range(4)]
    for unit in units:
        recent.load(unit)
    READ.clear()
    for unit in reversed(units):
        recent.load(unit)
    assert READ == {0: 1}


def test_all_fragments_of_a_unit_are_cut_out_of_trees_that_were_read_once() -> None:
    sides = [Experiment(DecisionRun(f"r{n}", "graal", "line", [counted_unit(n, depth=9 + n)]), n) for n in (1, 2)]
    for side in sides:
        side.mark(side.run.units)
    create_fragments(*sides)
    (pair,) = method_pairs(*sides)
    pairs = list(pair.unit_pairs())
    assert len(pairs) == 1 + 10 + 11
    alone = [differences(each) for each in pairs]
    READ.clear()

    recent = RecentTrees()
    together = [differences(each, None, recent) for each in pairs]

    assert READ == {1: 1, 2: 1}
    assert together == alone


@pytest.mark.parametrize("is_context", [True, False])
@pytest.mark.parametrize("prepare", [TreeOptions(), TreeOptions(False, False, False)])
def test_comparing_changes_no_tree_that_is_kept(prepare: TreeOptions, is_context: bool) -> None:
    first, second = counted_unit(1, depth=3), counted_unit(2, depth=5)
    part = Fragment(second, 1, "f", (0,), ())
    recent = RecentTrees()
    for pair in (UnitPair(first, second), UnitPair(first, part)):
        differences(pair, CompareOptions(prepare, prune=False, context=is_context), recent)
    for unit in (first, second):
        assert recent.load(unit) == unit.load()
