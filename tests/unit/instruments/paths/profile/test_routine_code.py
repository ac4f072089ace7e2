"""What paths are: blocks, the ways through them, and what is counted of them."""

import pytest

from path_streams import Activation, path_profile, with_code
from sonde.base.errors import InputError
from sonde.flow import FlowGraph, PathNumbering
from sonde.instruments.paths.profile import (
    PathProfile,
    RoutineBlock,
    RoutineCode,
    Way,
    compare_paths,
    merge_path_profiles,
)

DIAMOND_IN_A_LOOP = FlowGraph.of([[1], [2, 3], [4], [4], [1, 5], []])
BLOCKS = tuple(RoutineBlock((10 + at,), after) for at, after in enumerate(DIAMOND_IN_A_LOOP.successors))


def test_blocks_and_edges_are_counted_as_walking_all_paths_does() -> None:
    numbering = PathNumbering.of(DIAMOND_IN_A_LOOP)
    code = RoutineCode(BLOCKS, {path: Way.of(numbering.decode(path), numbering) for path in range(numbering.paths)})
    taken = {path: 10**path for path in range(numbering.paths)}
    code.check_valid(taken)
    blocks, edges = [0] * len(BLOCKS), dict[tuple[int, int], int]()
    for path, times in taken.items():
        way = numbering.decode(path)
        at = way.start
        blocks[at] += times
        for edge in way.edges:
            after = DIAMOND_IN_A_LOOP.target(edge)
            edges[at, after] = edges.get((at, after), 0) + times
            at = after
            if edge not in numbering.cut:
                blocks[at] += times

    assert code.block_counts(taken) == blocks
    assert code.edge_counts(taken) == edges
    assert code.line_counts(taken) == {10 + at: count for at, count in enumerate(blocks)}


def test_an_iteration_ends_where_it_began() -> None:
    numbering = PathNumbering.of(DIAMOND_IN_A_LOOP)

    ways = [Way.of(numbering.decode(path), numbering) for path in range(numbering.paths)]

    assert [way.blocks for way in ways if way.is_iteration] == [(1, 2, 4), (1, 3, 4)]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (RoutineCode((RoutineBlock((), (3,)),)), "leads to no block"),
        (RoutineCode((RoutineBlock((), (0,), (1,)),)), "a handler follows no block"),
        (RoutineCode((RoutineBlock((), (0,)),), {7: Way((), None)}), "path 7 has no way"),
        (RoutineCode((RoutineBlock((), (0,)),), {7: Way((1,), None)}), "path 7 has no way"),
        (RoutineCode((RoutineBlock((), ()),), {7: Way((0,), 0)}), "path 7 has no way"),
        (RoutineCode((RoutineBlock((), ()),), {8: Way((0,), None)}), "the way of one is missing"),
    ],
)
def test_what_is_no_graph_is_refused(code: RoutineCode, said: str) -> None:
    with pytest.raises(InputError, match=said):
        code.check_valid([7])


def profile_with_other_code(stream: list[Activation]) -> PathProfile:
    return with_code(path_profile([*stream, Activation(0, (99,))], 2))


def test_paths_of_other_code_are_neither_added_up_nor_compared() -> None:
    stream = [Activation(0, (1, 1, 2))]
    before, after = with_code(path_profile(stream, 2)), profile_with_other_code(stream)

    with pytest.raises(InputError, match="its code is not the same"):
        merge_path_profiles([before, after])
    difference = compare_paths(before, after)
    assert ([each.name for each in difference.other_code], difference.changes) == (["r0"], ())
    assert compare_paths(before, before).other_code == ()
    assert merge_path_profiles([before, before]).routines[0].code == before.routines[0].code
