"""Every graph can be drawn, as text within the page and as well-formed SVG, whatever its names and lines contain."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from flow_graphs import flow_graphs
from sonde.base.fitted_text import display_width, keep_both_ends, keep_start, printable
from sonde.instruments.vm.graph import Graph, compact_text, full_text, svg, tree_text
from strategies import texts

WIDTHS = st.sampled_from([40, 80, 200])
SVG = "{http://www.w3.org/2000/svg}"


@given(flow_graphs(odd_texts=True), WIDTHS, st.booleans())
def test_compact_text_has_a_line_for_each_block_within_the_page(graph: Graph, width: int, is_plain: bool) -> None:
    lines = compact_text(graph, width=width, is_plain=is_plain).split("\n")
    assert len(lines) == 2 + len(graph.nodes)
    assert all(display_width(line) <= width for line in lines)
    assert all(line.isprintable() for line in lines)
    assert not is_plain or all(line.isascii() for line in lines)


@given(flow_graphs(odd_texts=True), WIDTHS, st.booleans())
def test_full_text_has_every_line_within_the_page(graph: Graph, width: int, is_plain: bool) -> None:
    lines = full_text(graph, width=width, is_plain=is_plain).split("\n")
    assert all(display_width(line) <= width for line in lines)
    assert all(line.isprintable() for line in lines)
    assert not is_plain or all(line.isascii() for line in lines)
    if not is_plain:
        for node in graph.nodes:
            assert {keep_start(f"    {printable(line)}", width) for line in node.lines} <= set(lines)


@given(flow_graphs(odd_texts=True), st.booleans())
def test_svg_is_well_formed_and_has_every_block_and_edge(graph: Graph, with_lines: bool) -> None:
    picture = svg(graph, with_lines=with_lines)
    root = ElementTree.fromstring(picture)
    groups = [group.get("class", "").split() for group in root.iter(f"{SVG}g")]
    names = [text.text or "" for text in root.iter(f"{SVG}text") if text.get("class") == "name on-head"]
    assert names == [keep_start(printable(node.title), 72) for node in graph.nodes]
    assert sum("edge" in group for group in groups) == len({(edge.source, edge.target) for edge in graph.edges})
    assert not {tag.tag for tag in root.iter()} - {
        SVG + tag for tag in ("svg", "title", "style", "rect", "g", "text", "path")
    }
    picture.encode()


@given(st.lists(st.lists(st.integers(0, 30), max_size=3), max_size=20), texts(surrogates=True), WIDTHS)
def test_any_tree_is_printed_within_the_page(below: list[list[int]], name: str, width: int) -> None:
    # Children have larger numbers and one parent each: a forest.
    parent: dict[int, int] = {}
    for number, children in enumerate(below):
        for child in children:
            if number < child < len(below):
                parent.setdefault(child, number)
    children_of = {
        number: [child for child, above in parent.items() if above == number] for number in range(len(below))
    }
    roots = [number for number in children_of if number not in parent]
    text = tree_text(roots, children_of.__getitem__, lambda number: f"{number}{name}", lambda _: name, width=width)
    lines = text.split("\n") if roots else []
    assert len(lines) == len(below)
    assert all(display_width(line) <= width for line in lines)
    assert sorted(int(line.lstrip("…│├└─ ")[:1]) for line in lines) == sorted(int(str(each)[0]) for each in children_of)


@given(texts(surrogates=True), st.integers(0, 12))
def test_cut_texts_fit_and_begin_as_they_did(text: str, width: int) -> None:
    for shorter in (keep_start(text, width), keep_both_ends(text, width)):
        assert display_width(shorter) <= width
        assert shorter == text or "…" in shorter or width == 0
    assert text.startswith(keep_start(text, width).removesuffix("…"))
