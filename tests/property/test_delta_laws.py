"""Laws of differences of trees, and the cheapest edits by brute force."""

import pytest
from hypothesis import given

from example_counts import examples
from labelled_trees import NEVER, NO_GROUP, ONE_GROUP, POLICY, Labelled, labelled_trees, least_cost, size
from sonde.instruments.decisions.deltas import DeltaNode, Edit, EditPolicy, difference, edit_distance, pruned, tree_size

TREES = labelled_trees()
POLICIES = pytest.mark.parametrize("policy", [POLICY, ONE_GROUP, NO_GROUP])


def delta_of(left: Labelled, right: Labelled, policy: EditPolicy[Labelled] = POLICY) -> DeltaNode[Labelled]:
    delta = difference(left, right, policy)
    assert delta is not None
    return delta


def every(delta: DeltaNode[Labelled]) -> list[DeltaNode[Labelled]]:
    nodes = [delta]
    for node in nodes:
        nodes.extend(node.children)
    return nodes


def side(delta: DeltaNode[Labelled], *, left: bool) -> Labelled:
    """The tree that one side of a delta is of."""
    node = delta.left if left else delta.right
    assert node is not None
    below = [side(child, left=left) for child in delta.children if (child.left if left else child.right) is not None]
    return Labelled(node.label, below)


@given(TREES, TREES)
@examples(3)
def test_no_other_edits_cost_less(left: Labelled, right: Labelled) -> None:
    assert edit_distance(left, right, POLICY) == least_cost(left.written(), right.written())


@given(TREES, TREES)
@examples(2)
def test_both_trees_are_in_the_delta(left: Labelled, right: Labelled) -> None:
    delta = delta_of(left, right)
    assert side(delta, left=True).written() == left.written()
    assert side(delta, left=False).written() == right.written()
    for node in every(delta):
        both = node.left is not None and node.right is not None
        assert (node.edit in (Edit.SAME, Edit.CHANGED)) == both
        if node.left is not None and node.right is not None:
            assert (node.edit is Edit.SAME) == (node.left.label == node.right.label)


@given(TREES, TREES)
@examples(2)
def test_the_edits_cost_what_they_say(left: Labelled, right: Labelled) -> None:
    delta = delta_of(left, right)
    cost = sum(node.edit is not Edit.SAME for node in every(delta))
    if delta.edit is Edit.CHANGED and left.label[0] != right.label[0]:
        cost += NEVER - 1
    assert edit_distance(left, right, POLICY) == cost


@POLICIES
@given(left=TREES, right=TREES)
@examples(0.8)
def test_the_distance_is_0_for_equal_trees_alone(policy: EditPolicy[Labelled], left: Labelled, right: Labelled) -> None:
    assert edit_distance(left, left, policy) == 0
    assert pruned(delta_of(left, left, policy)) is None
    assert (edit_distance(left, right, policy) == 0) == (left.written() == right.written())


@POLICIES
@given(left=TREES, right=TREES)
@examples(0.8)
def test_the_distance_is_the_same_both_ways(policy: EditPolicy[Labelled], left: Labelled, right: Labelled) -> None:
    assert edit_distance(left, right, policy) == edit_distance(right, left, policy)


@POLICIES
@given(first=TREES, second=TREES, third=TREES)
@examples(1.2)
def test_there_is_no_cheaper_way_around(
    policy: EditPolicy[Labelled], first: Labelled, second: Labelled, third: Labelled
) -> None:
    there = edit_distance(first, second, policy) + edit_distance(second, third, policy)
    assert edit_distance(first, third, policy) <= there


@given(TREES, TREES)
@examples(2)
def test_pruning_keeps_what_differs_and_what_it_is_in(left: Labelled, right: Labelled) -> None:
    delta = delta_of(left, right)
    edits = [(node.edit, node.left, node.right) for node in every(delta) if node.edit is not Edit.SAME]
    kept = pruned(delta)
    if kept is None:
        assert not edits
        return
    nodes = every(kept)
    assert [(node.edit, node.left, node.right) for node in nodes if node.edit is not Edit.SAME] == edits
    assert all(node.children or node.edit is not Edit.SAME for node in nodes)
    assert every(delta_of(left, right)) == every(delta)  # the whole tree is as it was


@given(TREES, TREES)
@examples(1)
def test_what_is_kept_beside_stays_where_its_parent_does(left: Labelled, right: Labelled) -> None:
    delta = delta_of(left, right)
    without, kept = pruned(delta), pruned(delta, lambda node: node.label == "1")
    assert (without is None) == (kept is None)
    if without is None or kept is None:
        return
    expected = {id(node.left or node.right) for node in every(without)}
    for node in every(delta):
        if id(node.left or node.right) in expected or node is delta:
            expected |= {id(child.left or child.right) for child in node.children if child.node.label == "1"}
    assert {id(node.left or node.right) for node in every(kept)} == expected


@given(TREES)
def test_the_size_counts_all_nodes(tree: Labelled) -> None:
    assert tree_size(tree, POLICY.children) == size(tree.written())
