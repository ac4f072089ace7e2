"""Analyses of IR agree with slow twins: removal of blocks, search path by path, exact elimination, counted walks."""

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ir_oracles import (
    Points,
    arrives_from,
    can_arrive_without,
    dominates,
    edge_dominates,
    ends,
    is_acyclic,
    is_live,
    natural_loops,
    post_dominates,
    solve,
)
from ir_programs import Successors, can_end, control_flows, functions, reached, walks
from sonde.base.errors import InputError
from sonde.ir import Function, Instruction, Module, incoming_of, parse_module
from sonde.ir.analyses import (
    BlockCounts,
    BlockFrequencies,
    ControlFlow,
    DefUse,
    DominatorTree,
    Edge,
    Liveness,
    LoopForest,
    Place,
    ReachingDefinitions,
    ReachingStores,
    dominators,
    post_dominators,
    strongly_connected_parts,
)
from sonde.llvm import LlvmModule

Counted = str | Edge | int
"""A block, an edge, or how many runs begin, or end in which of the exits."""


def parsed(text: str) -> tuple[Module, Function]:
    """What LLVM makes of a text, and its function `@f`; LLVM has verified it."""
    module = LlvmModule.from_text(text, "random.ll")
    model = parse_module(module.text())
    return model, model.functions["@f"]


@given(control_flows())
def test_order_predecessors_and_edges_are_those_of_the_graph(graph: Successors) -> None:
    flow = ControlFlow.from_successors(graph)
    entry = flow.entry

    assert set(flow.reverse_post_order) == reached(graph, entry) and flow.reverse_post_order[0] == entry
    assert flow.unreachable() == [block for block in graph if block not in reached(graph, entry)]
    assert [(edge.source, edge.target) for edge in flow.edges()] == [
        (a, b) for a, after in graph.items() for b in after
    ]
    for block in graph:
        assert Counter(flow.predecessors(block)) == Counter(
            {source: after.count(block) for source, after in graph.items() if block in after}
        )
    retreating = {(edge.source, edge.target) for edge in flow.retreating_edges()}
    assert is_acyclic(
        {a: [b for b in graph[a] if (a, b) not in retreating] if flow.is_reachable(a) else [] for a in graph}
    )


@given(control_flows())
def test_strongly_connected_parts_lead_to_one_another_and_come_after_what_they_lead_to(graph: Successors) -> None:
    names = list(graph)
    parts = strongly_connected_parts([[names.index(each) for each in after] for after in graph.values()])

    part_of = {names[block]: number for number, part in enumerate(parts) for block in part}
    assert len(part_of) == len(names)
    for one in names:
        for other in reached(graph, one):
            assert (part_of[one] == part_of[other]) == (one in reached(graph, other))
            assert part_of[other] <= part_of[one]


@given(control_flows())
def test_a_block_dominates_what_cannot_be_reached_without_it(graph: Successors) -> None:
    tree = dominators(ControlFlow.from_successors(graph))

    for above in graph:
        for below in graph:
            assert tree.dominates(above, below) == dominates(graph, above, below)
    alive = reached(graph, next(iter(graph)))
    assert_is_tree(tree, {block: {a for a in graph if dominates(graph, a, block)} for block in alive})
    for block in graph:
        joins = {
            join
            for source, after in graph.items()
            for join in after
            if {source, block} <= alive and dominates(graph, block, source)
            if block == join or not dominates(graph, block, join)
        }
        assert set(tree.frontier(block)) == joins


@given(control_flows())
def test_a_block_post_dominates_what_cannot_end_without_it(graph: Successors) -> None:
    tree = post_dominators(ControlFlow.from_successors(graph))

    for above in graph:
        for below in graph:
            assert tree.dominates(above, below) == post_dominates(graph, above, below)
    assert_is_tree(tree, {block: {a for a in graph if post_dominates(graph, a, block)} for block in graph})
    for block in graph:
        splits = {
            split
            for split, after in graph.items()
            for target in after
            if post_dominates(graph, block, target) and (block == split or not post_dominates(graph, block, split))
        }
        assert set(tree.frontier(block)) == splits


def assert_is_tree(tree: DominatorTree, above: dict[str, set[str]]) -> None:
    """Immediate dominators are the nearest ones, and the tree finds common ones."""
    for block, all_above in above.items():
        nearest = [each for each in all_above - {block} if above[each] == all_above - {block}]
        assert tree.immediate(block) == (nearest[0] if nearest else None)
        assert all(tree.strictly_dominates(each, block) == (each != block) for each in all_above)
        for other in above:
            common = all_above & above[other]
            lowest = [each for each in common if above[each] == common]
            assert tree.nearest_common(block, other) == (lowest[0] if lowest else None)
    for block in tree.flow.names:
        assert tree.children(block) == [each for each in tree.flow.names if tree.immediate(each) == block]


@given(control_flows())
def test_an_edge_dominates_what_cannot_be_reached_without_it(graph: Successors) -> None:
    tree = dominators(ControlFlow.from_successors(graph))

    for source, target in {(source, target) for source, after in graph.items() for target in after}:
        for block in graph:
            assert tree.edge_dominates(source, target, block) == edge_dominates(graph, source, target, block)


@given(control_flows())
def test_loops_are_what_leads_back_to_a_header_that_dominates_it(graph: Successors) -> None:
    forest = LoopForest.of(dominators(ControlFlow.from_successors(graph)))

    expected = natural_loops(graph)
    alive = reached(graph, next(iter(graph)))
    assert {loop.header: set(loop.blocks) for loop in forest.loops} == expected
    for loop in forest.loops:
        inside = expected[loop.header]
        around = [header for header in expected if loop.header in expected[header] and header != loop.header]
        assert loop.depth == 1 + len(around)
        assert loop.parent == (max(around, key=lambda header: forest.by_header[header].depth) if around else None)
        assert set(loop.latches) == {block for block in inside if loop.header in graph[block]}
        assert [(edge.source, edge.target) for edge in loop.exits] == [
            (block, after) for block in graph if block in inside for after in graph[block] if after not in inside
        ]
        entering = [
            (block, place) for block in alive - inside for place, to in enumerate(graph[block]) if to == loop.header
        ]
        is_preheader = len(entering) == 1 and len(graph[entering[0][0]]) == 1
        assert loop.preheader == (entering[0][0] if is_preheader else None)
    for block in graph:
        assert forest.depth(block) == sum(1 for inside in expected.values() if block in inside)


@given(control_flows())
def test_every_cycle_takes_a_back_edge_of_a_loop_or_lies_in_one_irreducible_part(graph: Successors) -> None:
    forest = LoopForest.of(dominators(ControlFlow.from_successors(graph)))

    alive = reached(graph, next(iter(graph)))
    back = set(forest.back_edges())
    kept = {a: [b for b in after if (a, b) not in back] for a, after in graph.items() if a in alive}
    part_of = {block: number for number, part in enumerate(forest.irreducible) for block in part.blocks}
    assert is_acyclic(
        {a: [b for b in after if a not in part_of or part_of.get(b) != part_of[a]] for a, after in kept.items()}
    )
    for part in forest.irreducible:
        assert len(part.blocks) > 1 and all(set(part.blocks) <= reached(kept, block) for block in part.blocks)
        entered = {b for a in alive - set(part.blocks) for b in graph[a]} | {next(iter(graph))}
        assert set(part.entries) == entered & set(part.blocks)


@given(functions())
def test_a_value_is_live_where_a_path_leads_to_a_use_of_it(text: str) -> None:
    _, function = parsed(text)
    live, points = Liveness.of(function), Points(function)

    for place in points.all():
        expected = {value for value in live.values if is_live(points, value, place)}
        assert live.live_before(place) == expected
    for block in function.blocks:
        assert live.live_in(block.name) == live.live_before(Place(block.name, 0))
        for place, values in live.throughout(block.name):
            assert values == live.live_before(place)
        on_edges = [live.live_on_edge(block.name, target) for target in block.successors()]
        assert live.live_out(block.name) == frozenset().union(*on_edges)
        for target, values in zip(block.successors(), on_edges, strict=True):
            taken = {each for each in points.phis_take(block.name, target) if each in live.values}
            assert values == (live.live_in(target) - points.phis_make(target)) | taken


@given(functions())
def test_a_value_reaches_where_every_path_makes_it(text: str) -> None:
    _, function = parsed(text)
    tree = dominators(ControlFlow.of(function))
    reaching, points = ReachingDefinitions.of(function, tree), Points(function)

    parameters = {each.name for each in function.parameters}
    for place in points.all():
        expected = {
            value for value in reaching.places if value in parameters or not can_arrive_without(points, place, value)
        }
        assert {value for value in reaching.places if reaching.reaches(value, place)} == expected
        assert set(reaching.before(place)) == expected and len(reaching.before(place)) == len(expected)


@given(functions())
def test_what_llvm_verified_uses_only_what_reaches(text: str) -> None:
    _, function = parsed(text)
    reaching = ReachingDefinitions.of(function, dominators(ControlFlow.of(function)))

    for value in reaching.places:
        for use in DefUse.of(function).uses(value):
            if use.from_block is None:
                assert reaching.reaches(value, use.place)
            else:
                assert reaching.reaches_edge(value, use.from_block, use.place.block)


@given(functions())
def test_chains_list_every_name_in_every_instruction(text: str) -> None:
    _, function = parsed(text)
    chains = DefUse.of(function)

    names = function.local_names()
    for name in names:
        assert [(use.place, use.piece) for use in chains.uses(name)] == [
            (Place(block.name, at), piece)
            for block in function.blocks
            for at, instruction in enumerate(block.instructions)
            for piece in range(1, len(instruction.pieces), 2)
            if instruction.pieces[piece] == name
        ]
        assert len(chains.record_uses(name)) == sum(
            record.pieces[1::2].count(name) for each in function.instructions() for record in each.records
        )
        for use in chains.uses(name):
            if use.from_block is not None:
                assert (name, use.from_block) in incoming_of(use.instruction)
            else:
                assert use.instruction.opcode != "phi" or name in function.blocks_by_name()
    for value, instruction in function.definitions().items():
        assert chains.definition(value) is instruction
        place = chains.place_of(value)
        assert place and function.block(place.block).instructions[place.at] is instruction
    assert all(chains.definition(parameter.name) is None for parameter in function.parameters)


@given(functions())
def test_stores_reach_what_no_other_store_to_the_whole_slot_lies_before(text: str) -> None:
    _, function = parsed(text)
    stores, points = ReachingStores.of(function), Points(function)

    escaped = any("@escape(" in str(each) for each in function.instructions())
    used = {name for each in function.instructions() for name in each.uses()}
    assert set(stores.slots) == ({"%s0", "%s1", "%s2"} - ({"%s2"} if escaped else set())) & used
    alive = set(ControlFlow.of(function).reverse_post_order)
    for slot in stores.slots:
        whole, starts = defining(points, slot)
        assert set(stores.definitions(slot)) == {points.instruction(place) for place in starts}
        for place in points.all():
            if place.block in alive:
                expected = {
                    points.instruction(start)
                    for start in starts
                    if start.block in alive and arrives_from(points, start, place, whole.__contains__)
                }
                assert stores.before(slot, place) == expected


def defining(points: Points, slot: str) -> tuple[set[Instruction], list[Place]]:
    """What defines the whole of a slot, and the places of all that defines it."""
    whole, starts = set(), []
    kept = {"%s0": "i32", "%s1": "%T0"}.get(slot)  # of the third, `alloca i32, i32 2`, nothing stores all
    for place in points.all():
        instruction = points.instruction(place)
        if instruction.opcode == "load" or (instruction.result != slot and slot not in list(instruction.uses())):
            continue
        starts.append(place)
        if instruction.opcode != "store" or str(instruction).startswith(f"store {kept} "):
            whole.add(instruction)
    return whole, starts


@given(st.data())
def test_counts_follow_from_what_is_measured_as_far_as_equations_tell(data: st.DataObject) -> None:
    graph = data.draw(control_flows().filter(can_end))
    flow = ControlFlow.from_successors(graph)
    blocks, edges = Counter[str](), Counter[Edge]()
    for _ in range(data.draw(st.integers(0, 3))):
        for block, place in data.draw(walks(graph)):
            blocks[block] += 1
            if place >= 0:
                edges[Edge(block, graph[block][place], place)] += 1
    known = {block: blocks[block] for block in graph if data.draw(st.booleans())}
    known_edges = {edge: edges[edge] for edge in flow.edges() if data.draw(st.integers(0, 3)) == 0}

    counts = BlockCounts.complete(flow, known, known_edges)

    assert all(counts.blocks[block] == blocks[block] for block in counts.blocks)
    assert all(counts.edges[edge] == edges[edge] for edge in counts.edges)
    assert set(counts.undetermined_blocks()) == set(graph) - counts.blocks.keys()
    assert set(counts.undetermined_edges()) == set(flow.edges()) - counts.edges.keys()
    found = determined(flow, known, known_edges)
    assert found is not None and {*counts.blocks, *counts.edges} == {
        each for each in found if not isinstance(each, int)
    }


def determined(
    flow: ControlFlow, blocks: Mapping[str, int], edges: Mapping[Edge, int]
) -> dict[Counted, Fraction] | None:
    """What equations determine, and then sums of nothing, until neither says more; None if that cannot be. Numbers
    are beginnings and ends of runs.
    """
    unknowns: list[Counted] = [*flow.names, *flow.edges(), -1, *range(len(flow.exits()))]
    equations: list[dict[Counted, int]] = [{-1: 1, **dict.fromkeys(range(len(flow.exits())), -1)}]
    for block in flow.names:
        into: dict[Counted, int] = {edge: -1 for edge in flow.edges() if edge.target == block}
        out: dict[Counted, int] = {edge: -1 for edge in flow.edges() if edge.source == block}
        if block == flow.entry:
            into[-1] = -1
        if block in flow.exits():
            out[flow.exits().index(block)] = -1
        equations += ({block: 1, **into}, {block: 1, **out})
    values: dict[Counted, Fraction] = {block: Fraction(count) for block, count in blocks.items()}
    values |= {edge: Fraction(count) for edge, count in edges.items()}
    if any(values.get(block) for block in flow.unreachable()):
        return None
    values |= {block: Fraction(0) for block in flow.unreachable()}
    while True:
        rows = [[Fraction(equation.get(each, 0)) for each in unknowns] + [Fraction(0)] for equation in equations]
        rows += [[Fraction(each == other) for other in unknowns] + [value] for each, value in values.items()]
        try:
            found = {unknowns[column]: value for column, value in solve(rows).items()}
        except ValueError:
            return None
        nothing = {
            each: Fraction(0)
            for equation in equations
            if not sum(factor * found.get(each, 0) for each, factor in equation.items())
            and len({factor for each, factor in equation.items() if each not in found}) == 1
            for each in equation
            if each not in found
        }
        if found.keys() | nothing.keys() == values.keys():
            return found if all(value >= 0 for value in found.values()) else None
        values = found | nothing


@given(st.data())
def test_counts_that_cannot_be_are_refused_and_no_others(data: st.DataObject) -> None:
    graph = data.draw(control_flows())
    flow = ControlFlow.from_successors(graph)
    known = {block: data.draw(st.integers(0, 2)) for block in graph if data.draw(st.booleans())}
    expected = determined(flow, known, {})

    if expected is None:
        with pytest.raises(InputError, match="cannot complete the counts of the blocks around '%b"):
            BlockCounts.complete(flow, known)
    else:
        counts = BlockCounts.complete(flow, known)
        assert {each: value for each, value in expected.items() if isinstance(each, str)} == counts.blocks
        assert {each: value for each, value in expected.items() if isinstance(each, Edge)} == counts.edges


@given(st.data())
def test_frequencies_solve_the_equations_of_flow(data: st.DataObject) -> None:
    graph = data.draw(control_flows())
    flow = ControlFlow.from_successors(graph)
    weights = {block: [data.draw(st.integers(0, 5)) for _ in after] for block, after in graph.items()}
    shares = {
        block: [Fraction(each, sum(given)) if sum(given) else Fraction(1, len(given)) for each in given]
        for block, given in weights.items()
    }
    taken = {block: [to for to, share in zip(graph[block], shares[block], strict=True) if share] for block in graph}
    alive = reached(taken, flow.entry)

    frequencies = BlockFrequencies.from_shares(flow, weights)

    for block in graph:
        trapped = block in alive and graph[block] and not any(not taken[end] for end in reached(taken, block))
        in_cycle = any(block in reached(taken, after) for after in taken[block])
        if block not in alive:
            assert frequencies.blocks[block] == 0
        elif trapped and block in ends(taken):
            assert math.isinf(frequencies.blocks[block]) and in_cycle
    assume(all(any(not taken[end] for end in reached(taken, block)) for block in alive))
    names = sorted(alive)
    rows = [
        [
            Fraction(block == other)
            - sum(share for share, to in zip(shares[other], graph[other], strict=True) if to == block)
            for other in names
        ]
        + [Fraction(block == flow.entry)]
        for block in names
    ]
    for number, value in solve(rows).items():
        assert frequencies.blocks[names[number]] == pytest.approx(float(value), rel=1e-12)
    for edge in flow.edges():
        share = shares[edge.source][edge.place]
        assert frequencies.edge(edge) == pytest.approx(frequencies.blocks[edge.source] * float(share))
