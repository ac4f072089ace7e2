"""One side of a comparison: a run, and which of its units are hot."""

from collections.abc import Iterable

from sonde.instruments.decisions.experiments.fragment import Fragment
from sonde.instruments.decisions.experiments.heat import HeatPolicy, hot_units
from sonde.instruments.decisions.model import DecisionRun, Unit

Compilation = Unit | Fragment


class Experiment:
    """A run that takes part in a comparison."""

    def __init__(self, run: DecisionRun, number: int = 1) -> None:
        self.run = run
        self.number = number
        """1 or 2; 0 for a run that only says what is hot."""
        self.hot: set[int] = set()
        """Numbers of the hot units."""
        self.fragments: dict[str, list[Fragment]] = {}
        """By method; filled by `create_fragments`."""
        self.fragments_left_out = 0
        """How many there could be besides."""
        self._methods: dict[str, list[Unit]] = {}
        for unit in run.units:
            self._methods.setdefault(unit.method, []).append(unit)

    def mark_hot(self, policy: HeatPolicy) -> None:
        """Make exactly those units hot that the policy says."""
        ordered = [unit for units in self._methods.values() for unit in units]
        self.hot = {unit.number for unit in hot_units(ordered, policy)}

    def mark(self, units: Iterable[Unit]) -> None:
        """Make units of this run hot, beside those that are."""
        self.hot.update(unit.number for unit in units)

    def mark_hot_methods(self, methods: Iterable[str]) -> None:
        """Make all units of methods hot, beside those that are; methods that this run does not have count nothing."""
        for method in methods:
            self.mark(self._methods.get(method, ()))

    def methods(self) -> dict[str, list[Unit]]:
        """All methods in the order in which they first occur in the log, with their units."""
        return self._methods

    def hot_methods(self) -> list[str]:
        """Methods with a hot unit, in the order of `methods`."""
        return [name for name, units in self._methods.items() if any(unit.number in self.hot for unit in units)]

    def is_hot(self, compilation: Compilation) -> bool:
        """Whether it is hot; a fragment is if its parent is."""
        unit = compilation.parent if isinstance(compilation, Fragment) else compilation
        return unit.number in self.hot

    def compilations(self, method: str) -> list[Compilation]:
        """All compilations of a method, fragments too; longest first, else units in log order, then fragments."""
        every: list[Compilation] = [*self._methods.get(method, ()), *self.fragments.get(method, ())]
        return sorted(every, key=lambda compilation: -compilation.period)

    def hot_compilations(self, method: str) -> list[Compilation]:
        """The hot ones of `compilations`."""
        return [each for each in self.compilations(method) if self.is_hot(each)]

    def total_period(self, method: str) -> int:
        """Time in all units of a method; fragments would count twice what is their parents'."""
        return sum(unit.period for unit in self._methods.get(method, ()))
