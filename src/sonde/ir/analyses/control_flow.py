"""Control flow: which block may follow which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from sonde.flow import reverse_post_order
from sonde.ir.function import Function


class Edge(NamedTuple):
    """One way from a block to another; a `switch` may have several ways to the same block."""

    source: str
    target: str
    place: int
    """Its number among the successors of the source."""


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """The blocks of a function and the edges between them, as they were when this was made.

    Blocks are asked for by name. Analyses work with their numbers, which follow the order of the text.

    >>> flow = ControlFlow.from_successors({"%entry": ["%loop"], "%loop": ["%loop", "%out"], "%out": [], "%dead": []})
    >>> flow.reverse_post_order
    ('%entry', '%loop', '%out')
    >>> flow.predecessors("%loop"), flow.is_reachable("%dead")
    (('%entry', '%loop'), False)
    >>> flow.critical_edges()
    [Edge(source='%loop', target='%loop', place=0)]
    """

    names: tuple[str, ...]
    """The blocks, in the order of the text; the first is the entry."""
    number_of: Mapping[str, int]
    """Name -> its place in `names`."""
    successor_numbers: tuple[tuple[int, ...], ...]
    """(n_blocks,) with repetitions."""
    predecessor_numbers: tuple[tuple[int, ...], ...]
    """(n_blocks,) with repetitions, in the order of the text."""
    order: tuple[int, ...]
    """Numbers of the blocks that can be reached, in reverse post-order: a block comes before what follows it, but
    for retreating edges."""
    position: tuple[int, ...]
    """(n_blocks,) place in `order`; -1 for blocks that cannot be reached."""

    @classmethod
    def of(cls, function: Function) -> Self:
        """The control flow of a function that has blocks."""
        return cls.from_successors({block.name: block.successors() for block in function.blocks})

    @classmethod
    def from_successors(cls, successors: Mapping[str, Sequence[str]]) -> Self:
        """Any graph; its first block is the entry.

        Cost: O(blocks + edges).
        """
        names = tuple(successors)
        number_of = {name: number for number, name in enumerate(names)}
        forward = tuple(tuple(number_of[name] for name in after) for after in successors.values())
        backward: list[list[int]] = [[] for _ in names]
        for source, after in enumerate(forward):
            for target in after:
                backward[target].append(source)
        order = reverse_post_order(forward, 0) if names else ()
        position = [-1] * len(names)
        for at, number in enumerate(order):
            position[number] = at
        return cls(names, number_of, forward, tuple(map(tuple, backward)), order, tuple(position))

    @property
    def entry(self) -> str:
        return self.names[0]

    @property
    def reverse_post_order(self) -> tuple[str, ...]:
        """The blocks that can be reached; see `order`."""
        return tuple(self.names[number] for number in self.order)

    def successors(self, block: str) -> tuple[str, ...]:
        """In the order of the terminator, with repetitions."""
        return tuple(self.names[number] for number in self.successor_numbers[self.number_of[block]])

    def predecessors(self, block: str) -> tuple[str, ...]:
        """In the order of the text, with repetitions."""
        return tuple(self.names[number] for number in self.predecessor_numbers[self.number_of[block]])

    def is_reachable(self, block: str) -> bool:
        """Whether a path leads there from the entry."""
        return self.position[self.number_of[block]] >= 0

    def unreachable(self) -> list[str]:
        """The blocks to which no path leads from the entry."""
        return [name for name, at in zip(self.names, self.position, strict=True) if at < 0]

    def exits(self) -> list[str]:
        """The blocks that nothing follows: `ret`, `resume`, `unreachable` and their like."""
        return [name for name, after in zip(self.names, self.successor_numbers, strict=True) if not after]

    def edges(self) -> list[Edge]:
        """All of them, in the order of the text."""
        return [
            Edge(self.names[source], self.names[target], place)
            for source, after in enumerate(self.successor_numbers)
            for place, target in enumerate(after)
        ]

    def critical_edges(self) -> list[Edge]:
        """The edges on which nothing can be put without a block of their own: others leave the source, others enter
        the target. Edges that share both their blocks count as others.
        """
        return [
            Edge(self.names[source], self.names[target], place)
            for source, after in enumerate(self.successor_numbers)
            if len(after) > 1
            for place, target in enumerate(after)
            if len(self.predecessor_numbers[target]) > 1
        ]

    def retreating_edges(self) -> list[Edge]:
        """The edges that lead back, or nowhere, in the reverse post-order; without them there is no cycle.

        Where loops have one entry each, these are the back edges of the loops (`LoopForest`). Else it depends on the
        order of successors which edges they are.
        """
        return [
            Edge(self.names[source], self.names[target], place)
            for source in self.order
            for place, target in enumerate(self.successor_numbers[source])
            if self.position[target] <= self.position[source]
        ]
