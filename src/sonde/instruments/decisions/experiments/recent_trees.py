"""The trees that were read last: pairs of one method are pairs of the same few units, again and again."""

from collections import OrderedDict

from sonde.instruments.decisions.experiments.experiment import Compilation
from sonde.instruments.decisions.experiments.fragment import Fragment, fragment_trees
from sonde.instruments.decisions.model import CallSite, Phase, Trees, Unit

MOST_NODES = 200_000
"""Of trees that are kept: some tens of megabytes."""
_PAIR = 2


class RecentTrees:
    """Reads trees of compilations, and keeps those of some units: of a pair at least, and of many if they are small.

    Guarantee: what it returns equals what `Compilation.load` returns, if nobody changes it. Of all but the last two
        units no more than `most` nodes are kept.
    """

    def __init__(self, most: int = MOST_NODES) -> None:
        self._most = most
        self._nodes = 0
        self._kept: OrderedDict[Unit, tuple[Trees, int]] = OrderedDict()

    def load(self, compilation: Compilation) -> Trees:
        """Read the trees, which are not to be changed; raises what `Unit.load` raises."""
        if isinstance(compilation, Fragment):
            return fragment_trees(self._of(compilation.parent), compilation.address)
        return self._of(compilation)

    def _of(self, unit: Unit) -> Trees:
        if unit in self._kept:
            self._kept.move_to_end(unit)
            return self._kept[unit][0]
        trees = unit.load()
        size = _size(trees)
        self._kept[unit] = trees, size
        self._nodes += size
        while self._nodes > self._most and len(self._kept) > _PAIR:
            self._nodes -= self._kept.popitem(last=False)[1][1]
        return trees


def _size(trees: Trees) -> int:
    """Nodes of both trees."""
    count = 0
    calls: list[CallSite] = [trees.inlining]
    while calls:
        call = calls.pop()
        count += 1
        calls.extend(call.children)
    phases: list[Phase] = [trees.optimizations]
    while phases:
        children = phases.pop().children
        count += 1 + len(children)
        phases.extend(child for child in children if isinstance(child, Phase))
    return count
