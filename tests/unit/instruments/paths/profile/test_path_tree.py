"""Path trees: what is refused, and how they are cut."""

from array import array

import pytest

from sonde.base.errors import InputError
from sonde.instruments.paths.profile import PathTree, merged_trees

Rows = list[tuple[int, int, int]]


def tree_of(rows: Rows) -> PathTree:
    """Of rows: parent, id, count."""
    parents, ids, counts = zip(*rows, strict=True)
    return PathTree(array("q", parents), array("Q", ids), array("Q", counts))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(0, 1, 1)], "row 0 does not stand behind its parent, row 0"),
        ([(-1, 1, 3), (-1, 2, 3), (0, 2, 1)], "row 2 does not stand behind its parent, row 0"),
        ([(-1, 2, 1), (-1, 1, 1)], "rows 0 and 1 are not in order"),
        ([(-1, 1, 5), (0, 3, 1), (0, 3, 1)], "rows 1 and 2 are not in order"),
        ([(-1, 1, 2), (0, 1, 3)], "row 1 has count 3"),
        ([(-1, 1, 0)], "row 0 has count 0"),
    ],
)
def test_what_is_no_forest_of_paths_is_refused(rows: Rows, said: str) -> None:
    with pytest.raises(InputError, match=said):
        tree_of(rows).check_valid()


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="differ in length"):
        PathTree(array("q", [-1])).check_valid()


def test_a_tree_is_cut_to_shorter_sequences() -> None:
    tree = tree_of([(-1, 1, 5), (0, 1, 4), (1, 2, 3), (0, 2, 1), (-1, 2, 2)])

    tree.check_valid()
    assert merged_trees([tree], 3) == tree
    assert merged_trees([tree, tree], 2) == tree_of([(-1, 1, 10), (0, 1, 8), (0, 2, 2), (-1, 2, 4)])
    assert merged_trees([], 2) == PathTree()
