"""The SVG of a graph, looked at as text: what is written where, and that nothing in a name becomes markup."""

import re
from dataclasses import replace
from xml.etree import ElementTree

from sonde.instruments.vm.graph import Edge, Graph, Node, svg

SVG = "{http://www.w3.org/2000/svg}"


def graph_of(*edges: Edge, **counts: float) -> Graph:
    names = sorted({end for edge in edges for end in (edge.source, edge.target)})
    return Graph("f", tuple(Node(name, f"%{name}", count=counts.get(name)) for name in names), edges, names[0])


def groups(picture: str, state: str) -> list[ElementTree.Element]:
    found = ElementTree.fromstring(picture).iter(f"{SVG}g")
    return [group for group in found if state in group.get("class", "").split()]


def texts(group: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in group.iter(f"{SVG}text")]


def test_names_and_lines_stay_text() -> None:
    hostile = '<img src=x onerror="alert(1)">&amp;\x1b[2J\ud800'
    graph = Graph(hostile, (Node("a", hostile, (hostile,)),), (Edge("a", "a", hostile),), "a")
    picture = svg(graph)
    shown = '<img src=x onerror="alert(1)">&amp;\ufffd[2J\ufffd'
    assert texts(groups(picture, "node")[0]) == [shown, shown]
    assert texts(groups(picture, "edge")[0]) == ["<img src=x …"]
    assert "<img" not in picture


def test_it_scales_and_loads_nothing() -> None:
    picture = svg(graph_of(Edge("a", "b")))
    assert re.match(r'<svg xmlns="[^"]+" viewBox="0 0 \d+ \d+"', picture)
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    assert "url(" not in picture
    assert "@import" not in picture


def test_branches_are_told_apart_by_label_and_style() -> None:
    picture = svg(graph_of(Edge("a", "b", "T"), Edge("a", "c", "F"), Edge("b", "d", "unwind"), Edge("c", "d")))
    found = [(group.get("class"), texts(group)) for group in groups(picture, "edge")]
    assert found == [
        ("edge true", ["T"]),
        ("edge false", ["F"]),
        ("edge unwind", ["unwind"]),
        ("edge plain", []),
    ]


def test_an_edge_that_closes_a_loop_is_drawn_as_one_and_goes_back_up() -> None:
    picture = svg(graph_of(Edge("a", "b"), Edge("b", "a", "T")))
    back = groups(picture, "back")
    assert len(back) == 1
    assert texts(back[0]) == ["T"]
    path = next(back[0].iter(f"{SVG}path")).get("d", "")
    heights = [float(height) for height in re.findall(r"[ML][\d.]+ ([\d.]+)", path)]
    assert min(heights) < heights[0] < max(heights), "out below, up, and in from above"


def test_an_edge_that_is_known_to_close_a_loop_is_drawn_as_one() -> None:
    assert len(groups(svg(graph_of(Edge("a", "b", is_back=True))), "back")) == 1


def test_cases_with_one_target_are_one_line_with_all_labels() -> None:
    picture = svg(graph_of(Edge("a", "b", "1"), Edge("a", "b", "2"), Edge("a", "c", "default")))
    assert [texts(group) for group in groups(picture, "edge")] == [["1, 2"], ["default"]]


def test_the_more_often_a_block_ran_the_hotter_it_is() -> None:
    edges = (Edge("a", "b"), Edge("b", "c"), Edge("c", "d"))
    picture = svg(graph_of(*edges, a=0, b=10, c=1_000, d=1_000_000))
    heat = [re.findall(r"heat(\d)", group.get("class", ""))[0] for group in groups(picture, "node")]
    assert heat[0] == "0"
    assert heat == sorted(set(heat))
    assert texts(groups(picture, "node")[3]) == ["%d", "1,000,000"]


def test_without_counts_nothing_is_hot() -> None:
    assert len(groups(svg(graph_of(Edge("a", "b"))), "heat0")) == 2


def test_of_very_long_blocks_the_beginning_and_the_end_are_drawn() -> None:
    node = Node("a", "%a", tuple(f"line {number}" for number in range(100)))
    picture = svg(Graph("f", (node,), (), "a"), most_lines=4)
    assert texts(groups(picture, "node")[0]) == ["%a", "line 0", "line 1", "… 96 more", "line 98", "line 99"]
    assert texts(groups(svg(Graph("f", (node,), (), "a"), with_lines=False), "node")[0]) == ["%a"]


def test_what_does_not_fit_is_in_the_tool_tip() -> None:
    long = "%x = call i32 @f(" + "i32 1, " * 30 + ")"
    graph = graph_of(Edge("a", "b"), a=5, b=15)
    picture = svg(replace(graph, nodes=(replace(graph.nodes[0], lines=(long,)), graph.nodes[1])))
    tip = groups(picture, "node")[0].find(f"{SVG}title")
    assert tip is not None
    assert tip.text == f"%a\n1 instructions\nran 5 times, 25.0% of all blocks\n{long}"


def test_unreachable_blocks_look_dead() -> None:
    picture = svg(Graph("f", (Node("a", "%a"), Node("b", "%b")), (Edge("b", "a"),), "a"))
    assert [texts(group) for group in groups(picture, "dead")] == [["%b"]]
