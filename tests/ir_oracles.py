"""Slow twins of the analyses of IR: what their words mean, looked for path by path."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from ir_programs import reached
from sonde.ir import Function, Instruction, incoming_of
from sonde.ir.analyses import Place

Graph = Mapping[str, Sequence[str]]


def dominates(graph: Graph, above: str, below: str) -> bool:
    """Whether the lower cannot be reached once the upper is gone."""
    return below not in reached(graph, next(iter(graph)), without=above)


def edge_dominates(graph: Graph, source: str, target: str, block: str) -> bool:
    """Whether a block cannot be reached once one edge between two blocks is gone."""
    after = list(graph[source])
    after.remove(target)
    return block not in reached({**graph, source: after}, next(iter(graph)))


def ends(graph: Graph) -> set[str]:
    """Where paths end: where nothing follows, and what can never be left once entered."""
    return {block for block in graph if all(block in reached(graph, other) for other in reached(graph, block))}


def post_dominates(graph: Graph, above: str, below: str) -> bool:
    """Whether no end can be reached once the block is gone."""
    return not (reached(graph, below, without=above) & ends(graph))


def natural_loops(graph: Graph) -> dict[str, set[str]]:
    """Header -> blocks of its loop: those from which a latch can be reached without passing the header."""
    alive = reached(graph, next(iter(graph)))
    found: dict[str, set[str]] = {}
    for latch in alive:
        for header in graph[latch]:
            if dominates(graph, header, latch):
                body = {block for block in alive if latch in reached(graph, block, without=header)}
                found[header] = found.get(header, {header}) | body
    return found


def is_acyclic(graph: Graph) -> bool:
    """Whether no block leads to itself."""
    return not any(block in reached(graph, after) for block in graph for after in graph[block])


class Points:
    """The points of a function and the steps between them, one instruction or one edge at a time."""

    def __init__(self, function: Function) -> None:
        self.blocks = function.blocks_by_name()
        self.entry = Place(function.entry.name, 0)

    def all(self) -> Iterator[Place]:
        """The places right before instructions that are no phis."""
        for block in self.blocks.values():
            for at in range(block.first_after_phis(), len(block.instructions)):
                yield Place(block.name, at)

    def start(self, block: str) -> Place:
        return Place(block, self.blocks[block].first_after_phis())

    def instruction(self, place: Place) -> Instruction:
        return self.blocks[place.block].instructions[place.at]

    def steps(self, place: Place) -> list[tuple[Place, str | None]]:
        """Where one comes next, and over which edge's source, if an edge is taken."""
        instruction = self.instruction(place)
        if not instruction.is_terminator:
            return [(Place(place.block, place.at + 1), None)]
        return [(self.start(target), place.block) for target in instruction.successors()]

    def phis_take(self, source: str, target: str) -> list[str]:
        """What the phis of the target take from the source."""
        return [
            value
            for phi in self.blocks[target].phis()
            for value, block in incoming_of(phi)
            if block == source and value.startswith("%")
        ]

    def phis_make(self, target: str) -> set[str]:
        return {phi.result or "" for phi in self.blocks[target].phis()}


def is_live(points: Points, value: str, place: Place) -> bool:
    """Whether some path from a place uses a value before making it again."""
    seen: set[Place] = set()
    waiting = [place]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        instruction = points.instruction(at)
        if value in list(instruction.uses()):
            return True
        for after, source in points.steps(at):
            if instruction.result == value:
                continue
            if source is not None:
                if value in points.phis_take(source, after.block):
                    return True
                if value in points.phis_make(after.block):
                    continue
            waiting.append(after)
    return False


def can_arrive_without(points: Points, place: Place, value: str) -> bool:
    """Whether some path from the entry leads to a place without making a value."""
    seen: set[Place] = set()
    waiting = [points.entry]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if at == place:
            return True
        instruction = points.instruction(at)
        for after, source in points.steps(at):
            is_normal = source is None or instruction.opcode != "invoke" or after.block == instruction.successors()[0]
            if instruction.result == value and is_normal:
                continue
            if source is None or value not in points.phis_make(after.block):
                waiting.append(after)
    return False


def arrives_from(points: Points, start: Place, goal: Place, ends_it: Callable[[Instruction], bool]) -> bool:
    """Whether a path leads from right after an instruction to a place, past no instruction that ends it."""
    seen: set[Place] = set()
    waiting = [after for after, _ in points.steps(start)]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if at == goal:
            return True
        if not ends_it(points.instruction(at)):
            waiting += (after for after, _ in points.steps(at))
    return False


def solve(rows: list[list[Fraction]]) -> dict[int, Fraction]:
    """The unknowns that equations determine, by elimination with exact fractions.

    Args:
        rows: coefficients of the unknowns, and last the right side.
    Raises:
        ValueError: nothing solves them.
    """
    width = len(rows[0]) - 1
    rows = [row.copy() for row in rows]
    pivots: list[int] = []
    for column in range(width):
        at = len(pivots)
        pivot = next((number for number in range(at, len(rows)) if rows[number][column]), None)
        if pivot is None:
            continue
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][column] for value in rows[at]]
        for number in range(len(rows)):
            if number != at and rows[number][column]:
                factor = rows[number][column]
                rows[number] = [value - factor * other for value, other in zip(rows[number], rows[at], strict=True)]
        pivots.append(column)
    if any(row[-1] and not any(row[:-1]) for row in rows):
        raise ValueError("nothing solves the equations")
    return {
        column: row[-1] for column, row in zip(pivots, rows, strict=False) if sum(1 for value in row[:-1] if value) == 1
    }
