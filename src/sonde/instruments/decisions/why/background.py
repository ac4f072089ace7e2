"""Two compilations that are compared, as the background of their differences."""

from collections import Counter
from collections.abc import Hashable
from functools import cached_property

from sonde.instruments.decisions.deltas import OPTIMIZATIONS, DeltaNode, Edit, difference
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Trees


class Background:
    """Trees of both sides, made ready for comparing; what is looked up in them is worked out when it is asked for."""

    def __init__(self, first: Trees, second: Trees) -> None:
        self.trees = (first, second)

    @cached_property
    def phase_counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often each phase ran."""
        first, second = (_phase_counts(trees.optimizations) for trees in self.trees)
        return first, second

    @cached_property
    def differing(self) -> list[DeltaNode[Phase | Decision]]:
        """What differs in the optimization trees, in the order of the phases; empty if they are too big."""
        root = difference(self.trees[0].optimizations, self.trees[1].optimizations, OPTIMIZATIONS)
        found: list[DeltaNode[Phase | Decision]] = []
        waiting = [root] if root is not None else []
        while waiting:
            node = waiting.pop()
            if node.edit is not Edit.SAME:
                found.append(node)
            waiting.extend(reversed(node.children))
        return found

    @cached_property
    def _numbers(self) -> dict[tuple[Edit, Hashable], int]:
        numbers: dict[tuple[Edit, Hashable], int] = {}
        for number, node in enumerate(self.differing):
            numbers.setdefault((node.edit, OPTIMIZATIONS.label(node.node)), number)
        return numbers

    def place_in_order(self, edit: Edit, decision: Decision) -> int | None:
        """How many differences come before that of a decision; None: it is not among them."""
        return self._numbers.get((edit, OPTIMIZATIONS.label(decision)))

    def calls_below(self, side: int, call: CallSite | None) -> list[CallSite]:
        """Calls in the code of a call that was inlined, None: of the compiled method; those that an indirect call was
        turned into stand beside it."""
        waiting = list((self.trees[side].inlining if call is None else call).children)
        for child in waiting:
            if child.indirect:
                waiting.extend(child.children)
        return waiting


def _phase_counts(root: Phase) -> Counter[str]:
    counts: Counter[str] = Counter()
    waiting = [root]
    while waiting:
        phase = waiting.pop()
        counts[phase.name] += 1
        waiting.extend(child for child in phase.children if isinstance(child, Phase))
    return counts
