"""The differences of two compilations."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, TypeVar

from sonde.instruments.decisions.deltas import CONTEXT, INLINING, OPTIMIZATIONS, DeltaNode, difference, never, pruned
from sonde.instruments.decisions.experiments.context_tree import context_tree
from sonde.instruments.decisions.experiments.pairing import UnitPair
from sonde.instruments.decisions.experiments.preparing import TreeOptions, decision_count, prepared
from sonde.instruments.decisions.experiments.recent_trees import RecentTrees
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase, Trees

N = TypeVar("N")


class TooBig(Enum):
    """Instead of differences."""

    TOO_BIG = "too big"
    """The product of the sizes of the trees is above `deltas.LARGEST_PRODUCT`."""


TOO_BIG: Final = TooBig.TOO_BIG


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How compilations are compared."""

    tree: TreeOptions = field(default_factory=TreeOptions)
    prune: bool = True
    """Keep only what differs, and what it is in."""
    context: bool = False
    """Compare optimization-context trees instead of inlining and optimization trees."""


@dataclass(frozen=True, slots=True)
class Differences:
    """Of two compilations; None: there are none, or the trees were not to be compared."""

    inlining: DeltaNode[CallSite] | TooBig | None = None
    optimizations: DeltaNode[Phase | Decision] | TooBig | None = None
    context: DeltaNode[ContextNode] | TooBig | None = None
    left_out: int = 0
    """Decisions of detailed phases, on both sides together, that were not compared."""

    @property
    def any(self) -> bool:
        """Whether anything differs; what was too big to be compared counts as different."""
        return any(each is not None for each in (self.inlining, self.optimizations, self.context))


def differences(
    pair: UnitPair, options: CompareOptions | None = None, recent: RecentTrees | None = None
) -> Differences:
    """Compare two compilations.

    Trees without differences are None if identities are pruned, and whole trees of identities if not.

    Args:
        recent: the same for several pairs, so that their trees are not read for each.
    Raises:
        InputError: as reading the trees does.
    Cost: of reading both, and O(n1 * n2) at worst for trees of n1 and n2 nodes.
    """
    options = options or CompareOptions()
    recent = recent or RecentTrees()
    loaded = [recent.load(side) for side in (pair.first, pair.second)]
    first, second = (prepared(trees, options.tree) for trees in loaded)
    counts = (decision_count(whole.optimizations) - decision_count(ready.optimizations)
              for whole, ready in zip(loaded, (first, second), strict=True))  # fmt: skip
    return replace(compare_trees(first, second, options), left_out=sum(counts))


def compare_trees(first: Trees, second: Trees, options: CompareOptions) -> Differences:
    """Compare trees that are made ready; see `differences`."""
    if options.context:
        found = difference(context_tree(first), context_tree(second), CONTEXT)
        return Differences(context=_shown(found, options, _is_note))
    calls = difference(first.inlining, second.inlining, INLINING)
    phases = difference(first.optimizations, second.optimizations, OPTIMIZATIONS)
    return Differences(_shown(calls, options), _shown(phases, options))


def _shown(
    found: DeltaNode[N] | None, options: CompareOptions, keep_beside: Callable[[N], bool] = never
) -> DeltaNode[N] | TooBig | None:
    if found is None:
        return TOO_BIG
    return pruned(found, keep_beside) if options.prune else found


def _is_note(node: ContextNode) -> bool:
    return isinstance(node.content, Note)
