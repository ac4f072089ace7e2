"""Loops: what may be run again before it is left."""

from dataclasses import dataclass

from sonde.ir.analyses.control_flow import ControlFlow, Edge
from sonde.ir.analyses.dominators import DominatorTree
from sonde.ir.analyses.strongly_connected import strongly_connected_parts


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: a header, and all that leads back to it without leaving its dominance."""

    header: str
    blocks: tuple[str, ...]
    """In the order of the text; those of inner loops too."""
    latches: tuple[str, ...]
    """The blocks that lead back to the header."""
    exits: tuple[Edge, ...]
    """The edges that leave it."""
    preheader: str | None
    """The only block outside that leads to the header, if it leads nowhere else and by one edge."""
    parent: str | None
    """Header of the loop around it."""
    depth: int
    """1 for outermost loops."""


@dataclass(frozen=True, slots=True)
class IrreduciblePart:
    """Blocks that lie on cycles which are no natural loops: whichever block comes first, others may too."""

    blocks: tuple[str, ...]
    entries: tuple[str, ...]
    """Those to which edges lead from outside of the part."""


@dataclass(frozen=True, slots=True)
class LoopForest:
    """The natural loops of a function, and what is irreducible in it.

    Guarantee: every cycle among the blocks that can be reached takes a back edge of a loop, or lies in one
        irreducible part.

    >>> from sonde.ir.analyses import dominators
    >>> flow = ControlFlow.from_successors({"%a": ["%h"], "%h": ["%b", "%c"], "%b": ["%b", "%h"], "%c": []})
    >>> forest = LoopForest.of(dominators(flow))
    >>> [(loop.header, loop.depth, loop.preheader) for loop in forest.loops]
    [('%h', 1, '%a'), ('%b', 2, None)]
    >>> forest.innermost("%b").blocks, forest.depth("%c")
    (('%b',), 0)
    """

    loops: tuple[Loop, ...]
    """Each after the loop around it; else in the reverse post-order of headers."""
    by_header: dict[str, Loop]
    innermost_header: dict[str, str]
    """Block -> header of the innermost loop that it is in; others are not listed."""
    irreducible: tuple[IrreduciblePart, ...]

    @classmethod
    def of(cls, tree: DominatorTree) -> "LoopForest":
        """Find them.

        Args:
            tree: dominators, not post-dominators.
        Cost: O(edges + sum of the sizes of loops).
        """
        back_edges, bodies = _bodies(tree)
        flow = tree.flow
        headers = sorted(bodies, key=lambda header: flow.position[header])
        innermost: dict[int, int] = {}
        parents: dict[int, int] = {}
        # A loop around another has a header that comes first: so the last to write is the innermost.
        for header in headers:
            if header in innermost:
                parents[header] = innermost[header]
            for block in bodies[header]:
                innermost[block] = header
        loops: dict[str, Loop] = {}
        for header in headers:
            parent = flow.names[parents[header]] if header in parents else None
            depth = 1 if parent is None else loops[parent].depth + 1
            loops[flow.names[header]] = _loop(flow, header, bodies[header], parent, depth)
        names = flow.names
        inner = {names[block]: names[header] for block, header in sorted(innermost.items())}
        return cls(tuple(loops.values()), loops, inner, _irreducible(flow, back_edges))

    def innermost(self, block: str) -> Loop | None:
        """The innermost loop that the block is in."""
        header = self.innermost_header.get(block)
        return None if header is None else self.by_header[header]

    def depth(self, block: str) -> int:
        """How many loops the block is in."""
        loop = self.innermost(block)
        return 0 if loop is None else loop.depth

    def back_edges(self) -> list[tuple[str, str]]:
        """From latch to header, without repetitions."""
        return [(latch, loop.header) for loop in self.loops for latch in loop.latches]

    def inner_loops(self, loop: Loop) -> list[Loop]:
        """The loops right inside of a loop."""
        return [each for each in self.loops if each.parent == loop.header]


def _bodies(tree: DominatorTree) -> tuple[set[tuple[int, int]], dict[int, set[int]]]:
    """Back edges, and header -> numbers of the blocks of its loop."""
    flow = tree.flow
    back_edges: set[tuple[int, int]] = set()
    bodies: dict[int, set[int]] = {}
    for source in flow.order:
        for header in flow.successor_numbers[source]:
            if flow.position[header] > flow.position[source] or not tree.dominates_number(header, source):
                continue
            back_edges.add((source, header))
            body = bodies.setdefault(header, {header})
            waiting = [source]
            while waiting:
                block = waiting.pop()
                if block not in body:
                    body.add(block)
                    waiting += (each for each in flow.predecessor_numbers[block] if flow.position[each] >= 0)
    return back_edges, bodies


def _loop(flow: ControlFlow, header: int, body: set[int], parent: str | None, depth: int) -> Loop:
    names = flow.names
    before = [each for each in flow.predecessor_numbers[header] if flow.position[each] >= 0]
    entering = [block for block in before if block not in body]
    preheader = None
    if len(entering) == 1 and len(flow.successor_numbers[entering[0]]) == 1:
        preheader = names[entering[0]]
    blocks = sorted(body)
    exits = tuple(
        Edge(names[block], names[target], place)
        for block in blocks
        for place, target in enumerate(flow.successor_numbers[block])
        if target not in body
    )
    latches = tuple(names[block] for block in sorted({block for block in before if block in body}))
    return Loop(names[header], tuple(names[block] for block in blocks), latches, exits, preheader, parent, depth)


def _irreducible(flow: ControlFlow, back_edges: set[tuple[int, int]]) -> tuple[IrreduciblePart, ...]:
    """What is still cyclic when the back edges are gone."""
    if all(
        flow.position[target] > flow.position[source] or (source, target) in back_edges
        for source in flow.order
        for target in flow.successor_numbers[source]
    ):
        return ()
    kept = [
        [target for target in after if (source, target) not in back_edges] if flow.position[source] >= 0 else []
        for source, after in enumerate(flow.successor_numbers)
    ]
    parts = []
    for part in strongly_connected_parts(kept):
        if len(part) == 1:  # an edge from a block to itself is a back edge
            continue
        inside = set(part)
        entries = {
            block
            for block in part
            if block == 0
            or any(flow.position[each] >= 0 and each not in inside for each in flow.predecessor_numbers[block])
        }
        names = (tuple(flow.names[block] for block in sorted(blocks)) for blocks in (inside, entries))
        parts.append(IrreduciblePart(*names))
    return tuple(reversed(parts))
