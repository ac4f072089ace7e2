"""Which optimizations two compilations did differently: the decisions on one side only, gathered by what they are."""

from collections import Counter
from dataclasses import dataclass, field

from sonde.instruments.decisions.analysis.loops import Loop, Loops
from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.experiments import InliningPath, enclosing_path, paths_match
from sonde.instruments.decisions.model import ContextNode, Decision, Outcome, Phase

_LONGEST_LIST = 4
"""Events that are named one by one."""


@dataclass(slots=True, eq=False)
class DecisionDifference:
    """Decisions of one optimization in the code of one method that are on one side only."""

    name: str
    method: str | None
    """Whose code they changed; None: the compiler did not say."""
    left: list[Decision] = field(default_factory=list)
    right: list[Decision] = field(default_factory=list)
    loops: set[Loop | None] = field(default_factory=set)
    """Those that it is in; None: in none that is known."""
    nodes: list[DeltaNode[Phase | Decision] | DeltaNode[ContextNode]] = field(default_factory=list)

    def take_in(self, other: "DecisionDifference") -> None:
        """Gather the same of another loop with it."""
        self.left.extend(other.left)
        self.right.extend(other.right)
        self.loops |= other.loops
        self.nodes.extend(other.nodes)

    @property
    def is_of_outcome(self) -> bool:
        """Whether it was done on one side and on the other tried in vain."""
        applied, missed = self.with_outcome("applied"), self.with_outcome("missed")
        return any(applied[side] and not applied[1 - side] and missed[1 - side] for side in (0, 1))

    def with_outcome(self, outcome: Outcome) -> tuple[list[Decision], list[Decision]]:
        """The decisions of either side with an outcome."""
        left, right = ([each for each in side if each.outcome == outcome] for side in (self.left, self.right))
        return left, right


Leaf = tuple[Edit, Decision, "DeltaNode[Phase | Decision] | DeltaNode[ContextNode]"]


def one_sided_decisions(
    optimizations: DeltaNode[Phase | Decision] | None, context: DeltaNode[ContextNode] | None
) -> list[Leaf]:
    """Decisions that are on one side only, of whichever tree was compared."""
    found: list[Leaf] = []
    pending: list[DeltaNode[Phase | Decision] | DeltaNode[ContextNode]] = []
    if optimizations is not None:
        pending.append(optimizations)
    if context is not None:
        pending.append(context)
    while pending:
        node = pending.pop()
        content = node.left if node.left is not None else node.right
        if isinstance(content, ContextNode):
            content = content.content  # type: ignore[assignment]
        if isinstance(content, Decision) and node.edit in (Edit.DELETED, Edit.INSERTED):
            found.append((node.edit, content, node))
        pending.extend(reversed(node.children))
    return found


def decision_differences(leaves: list[Leaf], loops: Loops) -> list[DecisionDifference]:
    """Gather decisions by optimization, method and loop, in order of appearance."""
    gathered: dict[tuple[str, str | None, Loop | None], DecisionDifference] = {}
    for edit, decision, node in leaves:
        method = decision.position[0].method if decision.position else None
        loop = loops.of(0 if edit is Edit.DELETED else 1, decision)
        difference = gathered.setdefault(
            (decision.name, method, loop), DecisionDifference(decision.name, method, loops={loop})
        )
        (difference.left if edit is Edit.DELETED else difference.right).append(decision)
        difference.nodes.append(node)
    return list(gathered.values())


def follows_from(leaf: Leaf, inlined: tuple[list[InliningPath], list[InliningPath]]) -> int | None:
    """Which of the paths of calls inlined on one side only leads to the decision; None: none does."""
    edit, decision, _ = leaf
    path = enclosing_path(decision.position)
    for number, outer in enumerate(inlined[0 if edit is Edit.DELETED else 1]):
        if outer and len(outer) <= len(path) and paths_match(outer, path[: len(outer)]):
            return number
    return None


def events_text(decisions: list[Decision]) -> str:
    """What happened how often: `LoopPeeling ×3, LoopUnrolling`.

    >>> events_text([Decision("Loop", "Peeling")] * 2 + [Decision("Loop", "Unrolling")])
    'Peeling ×2, Unrolling'
    """
    counts = Counter((decision.event or decision.name, decision.outcome) for decision in decisions)
    parts = []
    for (event, outcome), count in counts.most_common():
        word = {"applied": "", "missed": " missed", "analysis": " (remark)"}[outcome]
        parts.append(f"{event}{word}" + (f" ×{count:,}" if count > 1 else ""))
    if len(parts) > _LONGEST_LIST:
        parts[_LONGEST_LIST:] = [f"{len(parts) - _LONGEST_LIST} more"]
    return ", ".join(parts)
