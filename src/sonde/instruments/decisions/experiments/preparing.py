"""Trees made ready for comparing: what has no order is sorted, and phases that only clean up are left out."""

from dataclasses import dataclass, replace
from typing import Annotated

from sonde.instruments.decisions.experiments.tree_order import phase_child_key, site_key
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Trees, rewritten_phases
from sonde.options.declared import Option

DETAILED_PHASES = ("CanonicalizerPhase", "DeadCodeEliminationPhase")
"""Ends of names of phases that decide much and little of weight."""
CODE_PHASES = frozenset({"asm-printer", "prologepilog", "stack-frame-layout", "regalloc", "size-info"})
"""LLVM's passes that describe the code that came of everything before: every difference shows in them once more."""
UNORDERED_PHASES = (
    "CanonicalizerPhase",
    "DeadCodeEliminationPhase",
    "PartialEscapePhase",
    "FloatingReadPhase",
    "UseTrappingNullChecksPhase",
    "ReassociationPhase",
    "ConvertDeoptimizeToGuardPhase",
    "ConditionalEliminationPhase",
)
"""Ends of names of phases that decide in an order that means nothing."""


RemoveDetailed = Annotated[
    bool, Option("leave out canonicalization, dead code elimination, and what LLVM says of finished code")
]
"""Whether to leave out `DETAILED_PHASES` and `CODE_PHASES`."""


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """How trees are made ready."""

    sort_inlining_tree: Annotated[bool, Option("calls in the order of their places, not of the record")] = True
    """The compiler lists them in the order in which it met them."""
    sort_unordered_phases: Annotated[bool, Option("sort what happened in phases in which the order means nothing")] = (
        True
    )
    remove_detailed_phases: RemoveDetailed = True


def prepared(trees: Trees, options: TreeOptions) -> Trees:
    """Copy both trees and make the copies ready.

    Guarantee: preparing twice is preparing once; the trees given are not changed; nothing is left out but detailed
        phases with all that is in them.
    Cost: O(n log n).
    """
    return Trees(
        _calls(trees.inlining, sort=options.sort_inlining_tree),
        _phases(trees.optimizations, sort=options.sort_unordered_phases, leave_out=options.remove_detailed_phases),
    )


def is_detailed(phase: Phase) -> bool:
    """Whether a phase is left out unless it is asked for."""
    return phase.name in CODE_PHASES or phase.name.endswith(DETAILED_PHASES)


def without_detailed(root: Phase) -> Phase:
    """A copy of an optimization tree without detailed phases and all that is in them."""
    return _phases(root, sort=False, leave_out=True)


def decision_count(root: Phase) -> int:
    """Decisions in a phase and in all below it."""
    count, waiting = 0, [root]
    while waiting:
        for child in waiting.pop().children:
            if isinstance(child, Decision):
                count += 1
            else:
                waiting.append(child)
    return count


def _calls(root: CallSite, *, sort: bool) -> CallSite:
    top = replace(root)
    waiting = [top]
    while waiting:
        site = waiting.pop()
        site.children = [replace(child) for child in (sorted(site.children, key=site_key) if sort else site.children)]
        waiting.extend(site.children)
    return top


def _phases(root: Phase, *, sort: bool, leave_out: bool) -> Phase:
    def children(phase: Phase) -> list[Phase | Decision]:
        kept = [
            child for child in phase.children if isinstance(child, Decision) or not (leave_out and is_detailed(child))
        ]
        return sorted(kept, key=phase_child_key) if sort and phase.name.endswith(UNORDERED_PHASES) else kept

    return rewritten_phases(root, children)
