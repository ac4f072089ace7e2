"""Drawings of control flow keep their guarantees on any graph: irreducible, with self loops, unreachable blocks."""

from collections.abc import Callable
from copy import deepcopy
from itertools import combinations, combinations_with_replacement, pairwise, product, takewhile

from hypothesis import given
from hypothesis import strategies as st

from flow_graphs import crossing_pairs, flow_graphs, natural_loops, pairs_of, reached_from
from sonde.instruments.vm.graph import Graph, order_by_loops
from sonde.instruments.vm.graph.block_rows import block_rows
from sonde.instruments.vm.graph.layout import (
    Layering,
    Line,
    Picture,
    Span,
    align,
    assign_tracks,
    count_crossings,
    layer,
    order_layers,
    place,
    place_ports,
    spread,
    tighten,
    widths_for_ports,
)

SIZES = st.tuples(st.integers(10, 200), st.integers(10, 90))
Corner = tuple[int, int]


def layering_of(graph: Graph) -> Layering:
    loops = order_by_loops(graph)
    return layer(len(graph.nodes), pairs_of(graph), loops.order, entry_of(graph))


def entry_of(graph: Graph) -> int:
    return next(number for number, node in enumerate(graph.nodes) if node.id == graph.entry)


def drawn_layers(layering: Layering) -> list[list[int]]:
    return [[vertex for vertex in row if vertex not in layering.turns] for row in layering.layers]


def neighbours(layering: Layering) -> list[tuple[int, int]]:
    return [both for row in drawn_layers(layering) for both in pairwise(row)]


def separations(layering: Layering, widths: list[int]) -> Callable[[int, int], int]:
    def separation(left: int, right: int) -> int:
        return sum(widths[each] // 2 if each < layering.boxes else 7 for each in (left, right))

    return separation


def aligned(layering: Layering, separation: Callable[[int, int], int]) -> list[int]:
    turns = layering.turns
    return align(
        drawn_layers(layering),
        [[each for each in above if each not in turns] for above in layering.above],
        [[each for each in below if each not in turns] for below in layering.below],
        lambda vertex: vertex >= layering.boxes,
        separation,
    )


def inner_lines(layering: Layering) -> list[tuple[int, int]]:
    """Lines (upper, lower) between two bends that are drawn."""
    is_inner = [vertex >= layering.boxes and vertex not in layering.turns for vertex in range(len(layering.layer_of))]
    return [
        (upper, lower)
        for upper, targets in enumerate(layering.below)
        for lower in targets
        if is_inner[upper] and is_inner[lower]
    ]


def pictures() -> st.SearchStrategy[tuple[list[Line], list[tuple[int, int]], Picture]]:
    @st.composite
    def build(draw: st.DrawFn) -> tuple[list[Line], list[tuple[int, int]], Picture]:
        graph = draw(flow_graphs())
        sizes = [draw(SIZES) for _ in graph.nodes]
        lines = [Line(source, target, draw(st.sampled_from([0, 15, 60]))) for source, target in pairs_of(graph)]
        return lines, sizes, place(sizes, lines, order_by_loops(graph).order, entry_of(graph))

    return build()


@given(flow_graphs())
def test_each_edge_leads_on_or_to_the_head_of_a_loop_around_it(graph: Graph) -> None:
    loops = order_by_loops(graph)
    row = {node: number for number, node in enumerate(loops.order)}
    assert sorted(row) == list(range(len(graph.nodes)))
    for number, (source, target) in enumerate(pairs_of(graph)):
        if number in loops.closing:
            inside = loops.order[row[target] : row[source] + 1]
            assert target in loops.heads
            assert all(loops.depth[node] >= loops.depth[target] for node in inside)
        else:
            assert row[source] < row[target]
    assert loops.is_reachable == tuple(
        node in reached_from(entry_of(graph), pairs_of(graph)) for node in range(len(graph.nodes))
    )


@given(flow_graphs())
def test_in_reducible_graphs_loops_are_the_natural_loops(graph: Graph) -> None:
    loops, natural = order_by_loops(graph), natural_loops(graph)
    if natural is None:
        return
    reachable = [node for node in range(len(graph.nodes)) if loops.is_reachable[node]]
    assert {head for head in loops.heads if loops.is_reachable[head]} == set(natural)
    assert [loops.depth[node] for node in reachable] == [
        sum(node in members for members in natural.values()) for node in reachable
    ]
    order = [node for node in loops.order if loops.is_reachable[node]]
    for head, members in natural.items():
        start = order.index(head)
        assert set(order[start : start + len(members)]) == members


@given(flow_graphs())
def test_rows_draw_one_arrow_for_each_loop(graph: Graph) -> None:
    rows, loops = block_rows(graph), order_by_loops(graph)
    row_of = {row.node.id: number for number, row in enumerate(rows)}
    assert sum(row.is_head for row in rows) == len(loops.heads)
    assert [row.is_reachable for row in rows] == sorted((row.is_reachable for row in rows), reverse=True)
    for number, head in enumerate(rows):
        if not head.is_head:
            continue
        level = head.depth - 1
        arms = ([*row.arms, "out"][min(level, row.depth)] for row in rows[number + 1 :])
        arrow = [head.arms[level], *takewhile(lambda arm: arm not in ("out", "head", "alone"), arms)]
        ends = {
            row_of[edge.source] - number
            for place, edge in enumerate(graph.edges)
            if place in loops.closing and edge.target == head.node.id
        }
        for distance, arm in enumerate(arrow):
            below = "" if distance > max(ends) else "inside"
            at_end = "last" if distance == max(ends) else "back"
            at_head = "alone" if ends == {0} else "head"
            assert arm == (at_head if distance == 0 else at_end if distance in ends else below)


@given(flow_graphs())
def test_neighbours_in_a_chain_lie_in_neighbouring_layers(graph: Graph) -> None:
    layering = layering_of(graph)
    row = {node: number for number, node in enumerate(order_by_loops(graph).order)}
    assert sorted(vertex for each in layering.layers for vertex in each) == list(range(len(layering.layer_of)))
    assert all(layering.layer_of[vertex] == number for number, each in enumerate(layering.layers) for vertex in each)
    for (source, target), chain in zip(pairs_of(graph), layering.chains, strict=True):
        assert (chain[0], chain[-1]) == (source, target)
        steps = [layering.layer_of[other] - layering.layer_of[one] for one, other in pairwise(chain)]
        up = layering.layer_of[source] - layering.layer_of[target]
        assert steps == ([1] * -up if row[source] < row[target] else [1, *[-1] * (up + 2), 1])
        assert [vertex in layering.turns for vertex in chain[1:-1]] == [
            abs(after - before) == 2 for before, after in pairwise(steps)
        ]
    assert all(set(each) - layering.turns for each in layering.layers[1:-1])


@given(flow_graphs())
def test_crossings_are_counted_as_one_by_one_and_never_get_more(graph: Graph) -> None:
    layering = layering_of(graph)
    before = count_crossings(layering)
    members = [sorted(each) for each in layering.layers]
    assert before == crossing_pairs(layering.layers, layering.below)

    again = deepcopy(layering)
    after = order_layers(layering)

    assert after == count_crossings(layering) <= before
    assert [sorted(each) for each in layering.layers] == members
    order_layers(again)
    assert again.layers == layering.layers


@given(flow_graphs(), st.data())
def test_neighbours_are_apart_and_lines_between_bends_straight(graph: Graph, data: st.DataObject) -> None:
    layering = layering_of(graph)
    separation = separations(layering, [data.draw(st.integers(2, 90)) for _ in graph.nodes])
    order_layers(layering)

    middle = aligned(layering, separation)

    assert all(middle[right] - middle[left] >= separation(left, right) for left, right in neighbours(layering))
    at = {vertex: number for row in layering.layers for number, vertex in enumerate(row)}
    inner = inner_lines(layering)
    for upper, lower in inner:
        is_crossed = any(
            layering.layer_of[one] == layering.layer_of[upper] and (at[one] - at[upper]) * (at[other] - at[lower]) < 0
            for one, other in inner
        )
        assert middle[upper] == middle[lower] or is_crossed


@given(flow_graphs(), st.data())
def test_tightening_makes_lines_shorter_and_leaves_straight_ones_straight(graph: Graph, data: st.DataObject) -> None:
    layering = layering_of(graph)
    separation = separations(layering, [data.draw(st.integers(2, 90)) for _ in graph.nodes])
    order_layers(layering)
    before = aligned(layering, separation)

    after = tighten(layering, before, separation)

    assert all(after[right] - after[left] >= separation(left, right) for left, right in neighbours(layering))
    drawn = [[vertex for vertex in chain if vertex not in layering.turns] for chain in layering.chains]
    steps = [step for chain in drawn for step in pairwise(chain)]
    assert sum(abs(after[a] - after[b]) for a, b in steps) <= sum(abs(before[a] - before[b]) for a, b in steps)
    assert all(after[a] == after[b] for a, b in inner_lines(layering) if before[a] == before[b])


@given(flow_graphs(), st.data())
def test_ports_lie_within_their_box_and_labels_do_not_overlap(graph: Graph, data: st.DataObject) -> None:
    layering = layering_of(graph)
    lines = [Line(*pair, data.draw(st.sampled_from([0, 15, 60]))) for pair in pairs_of(graph)]
    widths = widths_for_ports([data.draw(st.integers(2, 90)) for _ in graph.nodes], lines)
    middle = aligned(layering, separations(layering, widths))

    ports = place_ports(layering, lines, middle, widths)

    for box, width in enumerate(widths):
        leave = sorted(
            (at, line.label_width) for at, line in zip(ports.leave, lines, strict=True) if line.source == box
        )
        enter = sorted(at for at, line in zip(ports.enter, lines, strict=True) if line.target == box)
        low, high = middle[box] - width // 2, middle[box] + width // 2
        assert all(low < at and at + label <= high for at, label in leave)
        assert all(low < at < high for at in enter)
        assert all(one + max(12, label) <= other for (one, label), (other, _) in pairwise(leave))
        assert all(one + 12 <= other for one, other in pairwise(enter))


@given(pictures())
def test_boxes_do_not_overlap(drawn: tuple[list[Line], list[tuple[int, int]], Picture]) -> None:
    _, sizes, picture = drawn
    for box, (width, height) in zip(picture.boxes, sizes, strict=True):
        assert box.width >= width
        assert box.height == height
        assert 0 <= box.x <= box.x + box.width <= picture.width
        assert 0 <= box.y <= box.y + box.height <= picture.height
    for one, other in combinations(picture.boxes, 2):
        apart_x = one.x + one.width < other.x or other.x + other.width < one.x
        apart_y = one.y + one.height < other.y or other.y + other.height < one.y
        assert apart_x or apart_y


@given(pictures())
def test_lines_do_not_cross_boxes(drawn: tuple[list[Line], list[tuple[int, int]], Picture]) -> None:
    lines, _, picture = drawn
    for line, route in zip(lines, picture.routes, strict=True):
        source, target = picture.boxes[line.source], picture.boxes[line.target]
        assert route[0][1] == source.y + source.height
        assert source.x < route[0][0] < source.x + source.width
        assert route[-1][1] == target.y
        assert target.x < route[-1][0] < target.x + target.width
        assert route[1][1] > route[0][1], "leaves downwards"
        assert route[-2][1] < route[-1][1], "enters downwards"
        for (x1, y1), (x2, y2) in pairwise(route):
            assert x1 == x2 or y1 == y2
            assert 0 <= min(x1, x2) <= max(x1, x2) <= picture.width
            assert 0 <= min(y1, y2) <= max(y1, y2) <= picture.height
            for number, box in enumerate(picture.boxes):
                beside = max(x1, x2) < box.x or box.x + box.width < min(x1, x2)
                over_or_under = max(y1, y2) < box.y or box.y + box.height < min(y1, y2)
                touches_its_end = (number == line.source and (x1, y1) == route[0]) or (
                    number == line.target and (x2, y2) == route[-1]
                )
                inside = box.y < max(y1, y2) and min(y1, y2) < box.y + box.height
                assert beside or over_or_under or (touches_its_end and not inside)


@given(pictures())
def test_no_two_lines_lie_upon_one_another_sideways(
    drawn: tuple[list[Line], list[tuple[int, int]], Picture],
) -> None:
    parts = [
        (y, min(x1, x2), max(x1, x2), number)
        for number, route in enumerate(drawn[2].routes)
        for (x1, y), (x2, y2) in pairwise(route)
        if y == y2
    ]
    for (y, left, right, one), (other_y, other_left, other_right, other) in combinations(parts, 2):
        assert one == other or y != other_y or right < other_left or other_right < left


@given(st.lists(st.builds(Span, st.integers(0, 60), st.integers(0, 60)), max_size=12, unique=True))
def test_spans_that_meet_have_different_tracks_and_cross_only_if_they_must(spans: list[Span]) -> None:
    tracks = assign_tracks(spans)
    for (one, track), (other, other_track) in combinations(list(zip(spans, tracks, strict=True)), 2):
        if one.left <= other.right and other.left <= one.right:
            assert track != other_track
        has_ends_in_order = (one.start - other.start) * (one.end - other.end) > 0
        has_one_direction = (one.start < one.end) == (other.start < other.end)
        if has_ends_in_order and has_one_direction and one.start != one.end and other.start != other.end:
            assert not do_cross(corners(one, track), corners(other, other_track))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=4), st.data())
def test_places_are_spread_with_the_least_squares(wanted: list[int], data: st.DataObject) -> None:
    gaps = [data.draw(st.integers(1, 4)) for _ in wanted[1:]]
    low, high = 0, max(12, sum(gaps))

    places = spread(wanted, gaps, low, high)

    assert all(low <= at <= high for at in places)
    assert all(right - left >= gap for left, right, gap in zip(places, places[1:], gaps, strict=False))
    least = min(
        cost(each, wanted)
        for each in combinations_with_replacement(range(low, high + 1), len(wanted))
        if all(right - left >= gap for left, right, gap in zip(each, each[1:], gaps, strict=False))
    )
    # Means are rounded down, each by less than 1 from the best place, which lies between whole numbers.
    assert least <= cost(places, wanted) <= least + len(wanted)


def cost(places: list[int] | tuple[int, ...], wanted: list[int]) -> int:
    return sum((at - want) ** 2 for at, want in zip(places, wanted, strict=True))


def corners(span: Span, track: int) -> list[Corner]:
    return [(span.start, -1), (span.start, track), (span.end, track), (span.end, 99)]


def do_cross(one: list[Corner], other: list[Corner]) -> bool:
    """Whether two lines of horizontal and vertical parts have a point in common."""
    return any(
        min(a[0], b[0]) <= max(c[0], d[0])
        and min(c[0], d[0]) <= max(a[0], b[0])
        and min(a[1], b[1]) <= max(c[1], d[1])
        and min(c[1], d[1]) <= max(a[1], b[1])
        for (a, b), (c, d) in product(list(pairwise(one)), list(pairwise(other)))
    )
