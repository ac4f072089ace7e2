"""Numbers of acyclic paths, against all paths of small graphs, followed one by one."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.flow import Edge, FlowGraph, Path, PathNumbering, ProbePlacement, cuts_for_limit


@st.composite
def graphs(draw: st.DrawFn, *, most_blocks: int = 7) -> FlowGraph:
    """Any graph: irreducible, endless, with unreachable blocks, and with several edges between two blocks."""
    size = draw(st.integers(1, most_blocks))
    return FlowGraph.of(draw(st.lists(st.lists(st.integers(0, size - 1), max_size=3), min_size=size, max_size=size)))


@st.composite
def numberings(draw: st.DrawFn) -> PathNumbering:
    """With some edges cut, blocks that end paths, and edges that are taken more than others."""
    graph = draw(graphs())
    edges = list(graph.edges())
    cut = draw(st.sets(st.sampled_from(edges), max_size=3)) if edges else set()
    ending = draw(st.sets(st.sampled_from(graph.order), max_size=2))
    weights = draw(st.none() | st.fixed_dictionaries({edge: st.integers(0, 9) for edge in edges}))
    return PathNumbering.of(graph, cut=cut, ending=ending, weights=weights)


def paths_of(numbering: PathNumbering) -> list[Path]:
    """All of them, followed from wherever one begins."""
    graph = numbering.graph
    begun = {0}
    for edge in graph.edges():
        if edge in numbering.cut or edge.source in numbering.ending:
            begun.add(graph.target(edge))
    found = []
    waiting = [Path(block, ()) for block in begun]
    while waiting:
        path = waiting.pop()
        block = graph.target(path.edges[-1]) if path.edges else path.start
        if block in numbering.ending or not graph.successors[block]:
            found.append(path)
            continue
        for place in range(len(graph.successors[block])):
            longer = Path(path.start, (*path.edges, Edge(block, place)))
            (found if longer.edges[-1] in numbering.cut else waiting).append(longer)
    return found


@given(numberings())
def test_paths_have_the_numbers_from_0_each_its_own(numbering: PathNumbering) -> None:
    paths = paths_of(numbering)
    assert sorted(map(numbering.number_of, paths)) == list(range(numbering.paths))


@given(numberings())
def test_decoding_gives_the_path_back(numbering: PathNumbering) -> None:
    assert {numbering.decode(number) for number in range(numbering.paths)} == set(paths_of(numbering))
    for number in range(numbering.paths):
        assert numbering.number_of(numbering.decode(number)) == number


@given(numberings(), st.data())
def test_a_register_has_the_number_at_the_end_of_each_path(numbering: PathNumbering, data: st.DataObject) -> None:
    edges = list(numbering.graph.edges())
    placement = ProbePlacement.of(
        numbering, data.draw(st.fixed_dictionaries({edge: st.integers(0, 9) for edge in edges}))
    )
    for number, path in ((number, numbering.decode(number)) for number in range(numbering.paths)):
        register = placement.starts[path.start]
        for edge in path.edges:
            register += placement.ends[edge] if edge in numbering.cut else placement.increments.get(edge, 0)
        if not path.edges or path.edges[-1] not in numbering.cut:
            register += placement.ends[path.blocks(numbering)[-1]]
        assert register == number


@given(numberings(), st.data())
def test_edges_that_add_nothing_weigh_as_much_as_any_spanning_tree(
    numbering: PathNumbering, data: st.DataObject
) -> None:
    """Those within paths that add something are at most as many as a spanning forest leaves over."""
    edges = [edge for edge in numbering.graph.edges() if edge not in numbering.cut]
    edges = [edge for edge in edges if edge.source not in numbering.ending]
    weights = data.draw(st.fixed_dictionaries({edge: st.integers(1, 9) for edge in edges}))
    everything = dict.fromkeys(numbering.graph.edges(), 0.0) | weights
    added = ProbePlacement.of(numbering, everything).increments
    part = {block: block for block in numbering.graph.order}
    in_forest = 0
    for edge in sorted(edges, key=lambda edge: -weights[edge]):  # by names of parts, slowly
        one, other = part[edge.source], part[numbering.graph.target(edge)]
        if one != other:
            in_forest += weights[edge]
            part = {block: other if name == one else name for block, name in part.items()}
    assert sum(weights[edge] for edge in added) <= sum(weights.values()) - in_forest


@given(graphs(most_blocks=9), st.integers(1, 40), st.data())
def test_a_limit_is_kept_or_every_edge_is_cut(graph: FlowGraph, limit: int, data: st.DataObject) -> None:
    edges = list(graph.edges())
    weights = data.draw(st.fixed_dictionaries({edge: st.integers(0, 9) for edge in edges}))
    ending = data.draw(st.sets(st.sampled_from(graph.order), max_size=2))
    cut = cuts_for_limit(graph, limit, weights, ending=ending)
    assert set(graph.retreating_edges()) <= cut
    assert PathNumbering.of(graph, cut=cut, ending=ending).paths <= limit or cut == set(edges)
    if PathNumbering.of(graph, ending=ending).paths <= limit:
        assert cut == {*graph.retreating_edges(), *(edge for edge in edges if edge.source in ending)}
    for edge in cut - {*graph.retreating_edges()}:  # blocks are cut, not single edges
        if edge.source not in ending:
            assert {each for each in edges if graph.target(each) == graph.target(edge)} <= cut


@given(graphs(), st.data())
def test_counts_of_paths_are_those_of_a_walk(graph: FlowGraph, data: st.DataObject) -> None:
    """A walk is cut into paths where it comes by edges that are cut: each edge is in one of them."""
    numbering = PathNumbering.of(graph)
    walk, block = list[Edge](), 0
    while graph.successors[block] and len(walk) < 30:
        walk.append(Edge(block, data.draw(st.integers(0, len(graph.successors[block]) - 1))))
        block = graph.target(walk[-1])
    numbers, start, since = list[int](), 0, list[Edge]()
    for edge in walk:
        since.append(edge)
        if edge in numbering.cut:
            numbers.append(numbering.number_of(Path(start, tuple(since))))
            start, since = graph.target(edge), []
    taken = Counter(edge for number in numbers for edge in numbering.decode(number).edges)
    assert taken == Counter(walk[: len(walk) - len(since)])


def test_the_example_of_the_document_has_its_numbers() -> None:
    # Figure 3.5: A -> B; B -> C, D -> E; E -> B, F. Path 6 enters the loop, 2 and 0 are its sides, 3 leaves it.
    a, b, c, d, e, f = range(6)
    numbering = PathNumbering.of(FlowGraph.of([[b], [c, d], [e], [e], [b, f], []]))
    assert numbering.paths == 8
    assert [numbering.decode(number).blocks(numbering) for number in (6, 2, 0, 3)] == [
        (a, b, d, e), (b, d, e), (b, c, e), (b, d, e, f),
    ]  # fmt: skip


@pytest.mark.parametrize("number", [-1, 8])
def test_numbers_that_no_path_has_are_refused(number: int) -> None:
    numbering = PathNumbering.of(FlowGraph.of([[1], [2, 3], [4], [4], [1, 5], []]))
    with pytest.raises(ValueError, match="the function has 8"):
        numbering.decode(number)


def test_the_edge_taken_most_adds_nothing() -> None:
    graph = FlowGraph.of([[1, 2, 3], [], [], []])
    weights = {Edge(0, 0): 1.0, Edge(0, 1): 5.0, Edge(0, 2): 3.0}
    assert PathNumbering.of(graph, weights=weights).choices[0] == ((0, Edge(0, 1)), (1, Edge(0, 2)), (2, Edge(0, 0)))


def test_a_block_that_divides_many_paths_and_seldom_runs_is_cut() -> None:
    """Ten branches in a row and, in the middle, a block between them: 2 ** 10 paths become 2 * 2 ** 5."""
    successors: list[list[int]] = []
    for _ in range(10):
        at = len(successors)
        successors += [[at + 1, at + 2], [at + 3], [at + 3]]
    successors.append([])
    graph = FlowGraph.of(successors)
    weights = dict.fromkeys(graph.edges(), 1.0)
    cut = cuts_for_limit(graph, 64, weights)
    assert {graph.target(edge) for edge in cut} == {15}
    assert PathNumbering.of(graph, cut=cut).paths == 64
