"""The optimization tree: phases in the order in which they ran, and what each decided."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from sonde.instruments.decisions.model.position import Position

Value = str | int | float | bool | None
"""Of a property."""
Outcome = Literal["applied", "missed", "analysis"]
"""Done; wanted but not done; or only remarked."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that the compiler did, could not do, or remarked."""

    name: str
    """Of the optimization."""
    event: str
    position: Position = ()
    properties: tuple[tuple[str, Value], ...] = ()
    """In the compiler's order; no key twice. Two decisions with the same in another order are equal decisions:
    compare them by `identity`."""
    outcome: Outcome = "applied"

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for decisions that say the same; their properties may be in any order."""
        properties = frozenset((key, type(value), value) for key, value in self.properties)
        return (self.name, self.event, self.position, properties, self.outcome)


@dataclass(slots=True)
class Phase:
    """A pass of the compiler; within it, what it decided and the passes that it ran."""

    name: str
    children: list["Phase | Decision"] = field(default_factory=list)
    more: tuple[tuple[str, Value], ...] = ()
    """What else the record says of it, under names that are not known to sonde."""


def decisions_in(root: Phase) -> Iterator[Decision]:
    """All decisions of a phase and of those below it, in the order in which they were made; without recursion.

    >>> tree = Phase("Root", [Phase("Inner", [Decision("Loop", "Peeling")]), Decision("Guard", "Removal")])
    >>> [decision.name for decision in decisions_in(tree)]
    ['Loop', 'Guard']
    """
    pending: list[Phase | Decision] = [root]
    while pending:
        each = pending.pop()
        if isinstance(each, Decision):
            yield each
        else:
            pending.extend(reversed(each.children))


def rewritten_phases(root: Phase, rewrite: Callable[[Phase], Iterable[Phase | Decision]]) -> Phase:
    """Copy an optimization tree with other children; without recursion, for trees are deep.

    Args:
        rewrite: what is to be below the copy of a phase, in that order; phases among it are copied in turn.

    >>> tree = Phase("Root", [Phase("Inner", [Decision("Loop", "Peeling")]), Decision("Guard", "Removal")])
    >>> [child.name for child in rewritten_phases(tree, lambda phase: phase.children[:1]).children]
    ['Inner']
    """
    top = Phase(root.name, root.children, root.more)
    waiting = [top]
    while waiting:
        phase = waiting.pop()
        children: list[Phase | Decision] = []
        for child in rewrite(phase):
            if isinstance(child, Phase):
                children.append(copy := Phase(child.name, child.children, child.more))
                waiting.append(copy)
            else:
                children.append(child)
        phase.children = children
    return top
