"""Tree edits: the native core against its slow twin, and what both refuse."""

import random
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from example_counts import examples
from labelled_trees import Columns, flat_columns, random_columns
from sonde import native
from sonde.base.errors import UsageError
from sonde.native.reference_tree_edits import reference_tree_edits

Edits = Callable[..., tuple[int, bytes, bytes]]
CORES: tuple[Edits, ...] = (sonde._native.tree_edits, reference_tree_edits)
SHAPES = st.tuples(
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3, 8]),
    st.sampled_from([0, 0, 1, 2]),
    st.sampled_from([0.4, 1.0, 3.0, 1e9]),
)


def two_trees(shape: tuple[int, int, int, float], least: int, most: int) -> tuple[Columns, Columns]:
    seed, labels, groups, reach = shape
    draw = random.Random(seed)
    left, right = (
        random_columns(draw, draw.randint(least, most), labels=labels, groups=groups, reach=reach) for _ in range(2)
    )
    return left, right


@given(SHAPES)
@examples(3)
def test_the_cores_find_the_same_edits(shape: tuple[int, int, int, float]) -> None:
    left, right = two_trees(shape, 4, 30)
    fast, slow = (edits(*left, *right) for edits in CORES)
    assert fast == slow


@given(SHAPES)
@examples(0.25)
def test_the_cores_find_the_same_edits_of_large_trees(shape: tuple[int, int, int, float]) -> None:
    left, right = two_trees(shape, 100, 250)
    fast, slow = (edits(*left, *right) for edits in CORES)
    assert fast == slow


@given(st.integers(0, 2**32), st.sampled_from([2, 5, 40]), st.sampled_from([0, 1, 3]))
@examples(0.1)
def test_the_cores_find_the_same_edits_of_lists_of_leaves(seed: int, labels: int, groups: int) -> None:
    """Long enough to be compared by the word, and for words to be full."""
    draw = random.Random(seed)
    left, right = (
        flat_columns([draw.randrange(labels) for _ in range(draw.choice((64, 65, 127, 128, 190)))], groups)
        for _ in range(2)
    )
    fast, slow = (edits(*left, *right) for edits in CORES)
    assert fast == slow


@given(SHAPES, st.integers(1, 6))
@examples(0.6)
def test_the_cores_find_the_same_few_edits(shape: tuple[int, int, int, float], changes: int) -> None:
    """Nearly equal trees, of which only a narrow band is looked at."""
    (sizes, labels, groups), _ = two_trees(shape, 60, 200)
    draw = random.Random(shape[0])
    changed, numbers = array("i", labels), shape[1]
    for _ in range(changes):
        at = draw.randrange(len(changed))
        changed[at] = draw.randrange(numbers)
    of_groups = array("i", (label % shape[2] if shape[2] else -1 for label in changed))
    fast, slow = (edits(sizes, labels, groups, sizes, changed, of_groups) for edits in CORES)
    assert fast == slow


GOOD: list[list[int]] = [[3, 1, 1], [0, 1, 2], [-1, -1, -1]]


@pytest.mark.parametrize("edits", CORES)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    "columns",
    [
        [[], [], []],
        [[2, 1, 1], [0, 0, 0], [-1, -1, -1]],
        [[4, 1, 1], [0, 0, 0], [-1, -1, -1]],
        [[3, 3, 1], [0, 0, 0], [-1, -1, -1]],
        [[3, 2, 2], [0, 0, 0], [-1, -1, -1]],
        [[3, 0, 1], [0, 0, 0], [-1, -1, -1]],
        [[3, -1, 1], [0, 0, 0], [-1, -1, -1]],
        [[3, 2**31 - 1, 1], [0, 0, 0], [-1, -1, -1]],
        [[3, 1, 1], [0, 0], [-1, -1, -1]],
        [[3, 1, 1], [0, 0, 0], [-1, -1]],
        [[3, 1, 1], [0, -1, 0], [-1, -1, -1]],
        [[3, 1, 1], [0, 6, 0], [-1, -1, -1]],
        [[3, 1, 1], [0, 0, 0], [-1, 6, -1]],
        [[3, 1, 1], [0, 0, 0], [-1, 1, -1]],
        [[3, 1, 1], [0, 1, 1], [-1, 0, 1]],
    ],
)
def test_what_is_no_tree_is_refused(edits: Edits, side: int, columns: list[list[int]]) -> None:
    both = [GOOD, GOOD]
    both[side] = columns
    with pytest.raises(ValueError, match=r"no tree|out of range|several groups|differ in length"):
        edits(*[array("i", column) for tree in both for column in tree])


@pytest.mark.parametrize("edits", CORES)
def test_too_many_pairs_of_nodes_are_refused(edits: Edits) -> None:
    small, large = flat_columns([0] * 9_999), flat_columns([0] * 10_000)
    with pytest.raises(ValueError, match="too many pairs"):
        edits(*small, *large)


def test_other_numbers_than_int32_are_refused() -> None:
    good = [array("i", column) for column in GOOD]
    with pytest.raises(ValueError, match="bytes"):
        sonde._native.tree_edits(array("q", GOOD[0]), *good[1:], *good)


@pytest.mark.parametrize("depth", [10_000])
def test_chains_may_be_deep(depth: int) -> None:
    sizes, none = array("i", range(depth, 0, -1)), array("i", [0]) * depth
    labels = array("i", (number % 7 for number in range(depth)))
    cost, of_left, of_right = native.tree_edits(sizes, none, none, sizes, labels, none)
    assert cost == sum(label != 0 for label in labels)
    assert array("i", of_left) == array("i", of_right) == array("i", range(depth))


def test_trees_are_compared_by_several_threads_at_once() -> None:
    trees = [two_trees((seed, 3, 1, 2.0), 200, 400) for seed in range(8)]
    alone = [native.tree_edits(*left, *right) for left, right in trees]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: native.tree_edits(*pair[0], *pair[1]), trees))
    assert together == alone


def test_the_core_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = two_trees((1, 3, 0, 1.0), 5, 9)
    found = []
    for core in ("native", "python"):
        monkeypatch.setenv("SONDE_CORE", core)
        found.append(native.tree_edits(*left, *right))
    assert found[0] == found[1]
    monkeypatch.setenv("SONDE_CORE", "fortran")
    with pytest.raises(UsageError, match="fortran"):
        native.tree_edits(*left, *right)
