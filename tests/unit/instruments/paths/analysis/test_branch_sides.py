"""Sides of branches that hardly ever ran."""

from sonde.code import plain_function
from sonde.instruments.paths.analysis import BranchSide, branch_sides
from sonde.instruments.paths.profile import PathRoutine, PathTree, RoutineBlock, RoutineCode, Way

LOOP = (
    RoutineBlock((1,), (1,)),
    RoutineBlock((2,), (2, 5)),  # the head: the body, or what follows
    RoutineBlock((3,), (3, 4)),  # a branch
    RoutineBlock((4,), (1,)),  # its one side
    RoutineBlock((6,), (1,)),  # its other side
    RoutineBlock((8,), ()),
)
WAYS = {0: Way((1, 2, 3), 1), 1: Way((1, 2, 4), 1), 2: Way((1, 5), None), 3: Way((0,), 1)}


def sides(counts: dict[int, int], blocks: tuple[RoutineBlock, ...] = LOOP) -> list[BranchSide]:
    tree = PathTree()
    for path, count in sorted(counts.items()):
        tree.parents.append(-1)
        tree.ids.append(path)
        tree.counts.append(count)
    ways = {path: WAYS[path] for path in counts}
    routine = PathRoutine(plain_function("native", "f", "f.c", 1), 1, tree, RoutineCode(blocks, ways))
    routine.code.check_valid(routine.acyclic)
    return list(branch_sides(routine).sides)


def test_a_side_that_never_ran() -> None:
    assert sides({0: 5000, 2: 1, 3: 1}) == [BranchSide(3, 6, 0, 5000)]


def test_a_side_that_hardly_ever_ran_but_not_the_end_of_a_loop() -> None:
    assert sides({0: 5000, 1: 5, 2: 1, 3: 1}) == [BranchSide(3, 6, 5, 5005)]


def test_both_sides_ran() -> None:
    assert sides({0: 5000, 1: 50, 2: 1, 3: 1}) == []


def test_a_loop_that_was_never_left() -> None:
    assert BranchSide(2, 8, 0, 5001) in sides({0: 5000, 1: 1, 3: 1})


def test_what_was_hardly_come_by_has_shown_nothing() -> None:
    assert sides({0: 50, 2: 1, 3: 1}) == []


def test_where_exceptions_lead_is_no_side() -> None:
    blocks = (*LOOP[:2], RoutineBlock((3,), (3, 4), (4,)), *LOOP[3:])

    assert sides({0: 5000, 2: 1, 3: 1}, blocks) == []


def test_it_is_said_how_many_branches_were_looked_at() -> None:
    tree = PathTree()
    assert branch_sides(PathRoutine(plain_function("native", "f", "f.c", 1), 0, tree)).looked_at == 0
