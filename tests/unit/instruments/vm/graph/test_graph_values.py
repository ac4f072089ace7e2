"""Graphs to be drawn: what makes one, and what is refused."""

import pytest

from sonde.instruments.vm.graph import Edge, Graph, Node, order_by_loops


def test_an_edge_to_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="edge 'a' -> 'b' to or from nowhere"):
        Graph("f", (Node("a", "%a"),), (Edge("a", "b"),), "a")


def test_two_nodes_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two nodes 'a'"):
        Graph("f", (Node("a", "%a"), Node("a", "%b")), (), "a")


def test_an_entry_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="entry 'b'"):
        Graph("f", (Node("a", "%a"),), (), "b")


@pytest.mark.parametrize("count", [-1, float("nan"), float("inf")])
def test_a_count_that_is_no_number_of_executions_is_refused(count: float) -> None:
    with pytest.raises(ValueError, match="not a number of executions"):
        Node("a", "%a", count=count)


def test_a_node_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="of kind 'odd', known are entry, exit, plain"):
        Node("a", "%a", kind="odd")  # type: ignore[arg-type]


def test_the_first_target_of_a_branch_is_read_first() -> None:
    nodes = tuple(Node(name, name) for name in ("exit", "else", "then", "entry"))
    edges = (Edge("entry", "then", "T"), Edge("entry", "else", "F"), Edge("then", "exit"), Edge("else", "exit"))
    order = order_by_loops(Graph("f", nodes, edges, "entry")).order
    assert [nodes[number].id for number in order] == ["entry", "then", "else", "exit"]


def test_a_loop_is_not_torn_apart_by_its_exit() -> None:
    nodes = tuple(Node(name, name) for name in ("entry", "head", "exit", "body"))
    edges = (Edge("entry", "head"), Edge("head", "exit", "T"), Edge("head", "body", "F"), Edge("body", "head"))
    loops = order_by_loops(Graph("f", nodes, edges, "entry"))
    assert [nodes[number].id for number in loops.order] == ["entry", "head", "body", "exit"]
    assert [loops.depth[number] for number in loops.order] == [0, 1, 1, 0]


def test_an_irreducible_loop_has_the_head_that_is_reached_first() -> None:
    nodes = tuple(Node(name, name) for name in "abc")
    edges = (Edge("a", "b"), Edge("a", "c"), Edge("b", "c"), Edge("c", "b"))
    loops = order_by_loops(Graph("f", nodes, edges, "a"))
    assert len(loops.heads) == 1
    assert loops.depth == (0, 1, 1)


def test_very_long_functions_need_no_recursion() -> None:
    nodes = tuple(Node(str(number), "") for number in range(5000))
    edges = tuple(Edge(str(number), str(number + 1)) for number in range(4999))
    assert order_by_loops(Graph("f", nodes, edges, "0")).order == tuple(range(5000))
