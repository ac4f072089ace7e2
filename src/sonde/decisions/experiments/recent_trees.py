"""The trees that were read last: of pairs that stand near one another one side is mostly the same."""

from collections import OrderedDict

from sonde.decisions.experiments.experiment import Compilation
from sonde.decisions.experiments.fragment import Fragment, fragment_trees
from sonde.decisions.model import Trees, Unit


class RecentTrees:
    """Reads trees of compilations, and keeps those of a few units.

    Guarantee: what it returns equals what `Compilation.load` returns, if nobody changes it.
    """

    def __init__(self, most: int = 4) -> None:
        self._most = most
        self._kept: OrderedDict[Unit, Trees] = OrderedDict()

    def load(self, compilation: Compilation) -> Trees:
        """Read the trees, which are not to be changed; raises what `Unit.load` raises."""
        if isinstance(compilation, Fragment):
            return fragment_trees(self._of(compilation.parent), compilation.address)
        return self._of(compilation)

    def _of(self, unit: Unit) -> Trees:
        if unit in self._kept:
            self._kept.move_to_end(unit)
            return self._kept[unit]
        trees = unit.load()
        if len(self._kept) >= self._most:
            self._kept.popitem(last=False)
        self._kept[unit] = trees
        return trees
