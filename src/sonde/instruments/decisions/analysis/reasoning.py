"""Why differences came about, as far as the compilers said."""

from sonde.base.errors import InputError
from sonde.base.fitted_text import printable
from sonde.instruments.decisions.analysis.comparison import Comparison
from sonde.instruments.decisions.analysis.finding import Finding
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.experiments import prepared
from sonde.instruments.decisions.why import Background, call_reasons, reasons_for

_KEPT = 4
"""Pairs whose trees are kept: findings of one pair stand near one another."""


class Reasons:
    """What led to the findings of a comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._backgrounds: dict[tuple[int, int], Background | None] = {}

    def lines(self, finding: Finding) -> list[str]:
        """Short lines, most telling first; of decisions only if `DiffOptions.why` asks for them.

        Cost: for a decision, of reading and comparing the trees of its pair, which are kept for the next one.
        """
        if finding.call is not None:
            found = call_reasons(finding.call.left, finding.call.right, SIDES)
        elif finding.decisions is not None and self._comparison.options.why:
            found = reasons_for(finding.decisions.nodes[0], self._background(finding.pairs[0]), SIDES)
        else:
            found = []
        return [printable(line) for line in found]

    def _background(self, place: tuple[int, int]) -> Background | None:
        if place not in self._backgrounds:
            if len(self._backgrounds) >= _KEPT:
                self._backgrounds.pop(next(iter(self._backgrounds)))
            pair = self._comparison.methods[place[0]].units[place[1]].pair
            prepare = self._comparison.options.compare.tree
            try:
                first, second = (prepared(side.load(), prepare) for side in (pair.first, pair.second))
            except InputError:  # it was read before; whoever damaged it since will hear of it elsewhere
                self._backgrounds[place] = None
            else:
                self._backgrounds[place] = Background(first, second)
        return self._backgrounds[place]
