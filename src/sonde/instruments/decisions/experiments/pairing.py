"""What is compared with what: methods by name, and of each its hot compilations, each with each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from sonde.base.errors import InputError
from sonde.instruments.decisions.experiments.experiment import Compilation, Experiment
from sonde.instruments.decisions.experiments.fragment import Fragment, inlined_calls


@dataclass(frozen=True, slots=True)
class UnitPair:
    """Two compilations of one method, at most one of them a fragment."""

    first: Compilation
    second: Compilation


@dataclass(frozen=True, slots=True)
class MethodPair:
    """A method that is hot on at least one side, or any method where cold code is compared, too."""

    method: str
    first: Experiment
    second: Experiment
    cold_too: bool = False
    """Whether compilations that are not hot take part."""

    def is_hot_in(self, number: int) -> bool:
        """Whether it has a hot compilation, fragments too, in the first (1) or second (2) experiment."""
        return bool((self.first if number == 1 else self.second).hot_compilations(self.method))

    def unit_pairs(self) -> Iterator[UnitPair]:
        """Every compilation of the first that takes part with every one of the second, longest first, but no two
        fragments."""
        ours, others = (
            side.compilations(self.method) if self.cold_too else side.hot_compilations(self.method)
            for side in (self.first, self.second)
        )
        for first in ours:
            for second in others:
                if not (isinstance(first, Fragment) and isinstance(second, Fragment)):
                    yield UnitPair(first, second)

    @property
    def total_period(self) -> int:
        """Time in units of the method on both sides together."""
        return self.first.total_period(self.method) + self.second.total_period(self.method)


MOST_FRAGMENTS = 64
"""Of a unit, where somebody waits for the answer: of a method that is inlined into itself a thousand times, each
fragment is compared with whole units, and all of them show the same."""


def create_fragments(
    first: Experiment, second: Experiment, *, leave_out_damaged: bool = False, most: int | None = None
) -> None:
    """Cut methods that are hot in either experiment out of the hot units into which they were inlined.

    Fills `Experiment.fragments` of both, in place of what was there. Reads the trees of hot units.

    Args:
        leave_out_damaged: make no fragments of units that cannot be read, for callers that tell of these themselves.
        most: of each unit; what was left out is counted in `Experiment.fragments_left_out`. None: all.
    Raises:
        InputError: as `Unit.load`, unless `leave_out_damaged`.
    Guarantee: there is a fragment for each inlined call of a hot method in a hot unit (of more than `most`, for those
        nearest to the root of the unit), and no other; numbers run from 1
        through methods as `method_pairs` finds them, first side, second side, units in log order, calls in preorder.
    Source: the paper's section 3.5, which proves that with these all code that is hot on both sides is compared.
    """
    numbers = count(1)
    for side in (first, second):
        side.fragments.clear()
        side.fragments_left_out = 0
    hot = _hot_methods(first, second)
    for method in hot:
        for side in (first, second):
            for unit in side.methods().get(method, ()):
                if not side.is_hot(unit):
                    continue
                try:
                    inlining = unit.load().inlining
                except InputError:
                    if leave_out_damaged:
                        continue
                    raise
                calls = inlined_calls(inlining, hot, most)
                side.fragments_left_out += calls.left_out
                for address, way in calls.ways:
                    name = str(way[-1].method)
                    path = tuple(site for site in way if not site.indirect)
                    made = Fragment(unit, next(numbers), name, address, path)
                    side.fragments.setdefault(name, []).append(made)


def method_pairs(first: Experiment, second: Experiment, *, cold_too: bool = False) -> list[MethodPair]:
    """The methods that are hot in either experiment; those with most time first.

    Where times are equal, methods that are hot in the first stand before the others, each in the order of their logs;
    methods that are only in the other log come after those. A method of which there is but a hot fragment is hot too.

    Args:
        cold_too: all methods, and of each all compilations.
    """
    ordered: dict[str, None] = {}
    if cold_too:
        ordered = dict.fromkeys([*first.methods(), *second.methods()])
    else:
        hot = _hot_methods(first, second)
        for side in (first, second):
            for method in dict.fromkeys([*side.methods(), *hot]):
                if method in hot and side.hot_compilations(method):
                    ordered[method] = None
    pairs = [MethodPair(method, first, second, cold_too) for method in ordered]
    return sorted(pairs, key=lambda pair: -pair.total_period)


def _hot_methods(first: Experiment, second: Experiment) -> dict[str, None]:
    """Methods with a hot unit; fragments make no other method hot."""
    return dict.fromkeys([*first.hot_methods(), *second.hot_methods()])
