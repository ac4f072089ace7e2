"""Trees made ready for comparing: what has no order is sorted, and phases that only clean up are left out."""

from dataclasses import dataclass, replace

from sonde.decisions.experiments.tree_order import phase_child_key, site_key
from sonde.decisions.model import CallSite, Decision, Phase, Trees

DETAILED_PHASES = ("CanonicalizerPhase", "DeadCodeEliminationPhase")
"""Ends of names of phases that decide much and little of weight."""
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


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """How trees are made ready."""

    sort_inlining_tree: bool = True
    """Sort calls by where they are: the compiler lists them in the order in which it met them."""
    sort_unordered_phases: bool = True
    """Sort what happened within phases in which the order means nothing."""
    remove_detailed_phases: bool = True
    """Leave out canonicalization and dead code elimination, which run after everything else."""


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


def _calls(root: CallSite, *, sort: bool) -> CallSite:
    top = replace(root)
    waiting = [top]
    while waiting:
        site = waiting.pop()
        site.children = [replace(child) for child in (sorted(site.children, key=site_key) if sort else site.children)]
        waiting.extend(site.children)
    return top


def _phases(root: Phase, *, sort: bool, leave_out: bool) -> Phase:
    top = replace(root)
    waiting = [top]
    while waiting:
        phase = waiting.pop()
        children: list[Phase | Decision] = []
        for child in phase.children:
            if isinstance(child, Decision):
                children.append(child)
            elif not (leave_out and child.name.endswith(DETAILED_PHASES)):
                children.append(copy := replace(child))
                waiting.append(copy)
        if sort and phase.name.endswith(UNORDERED_PHASES):
            children.sort(key=phase_child_key)
        phase.children = children
    return top
