"""How much of the time of a compilation is in some of its code, as far as samples say."""

from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from sonde.instruments.decisions.experiments import InliningPath, PathElement, enclosing_path
from sonde.instruments.decisions.model import NO_OFFSET, Unit


@dataclass(slots=True)
class Code:
    """Some of the code of a compilation."""

    inlined: set[InliningPath] = field(default_factory=set)
    """Code that was inlined, with what was inlined into it in turn."""
    own: set[InliningPath] = field(default_factory=set)
    """Code without what was inlined into it."""
    methods: set[str] = field(default_factory=set)
    """The same, of methods wherever they were inlined."""
    sites: set[tuple[InliningPath, int]] = field(default_factory=set)
    """Places in code, without what was inlined there."""
    is_whole: bool = False
    """All of it."""

    def add(self, other: "Code") -> None:
        """Take in more code of the same compilation."""
        self.inlined |= other.inlined
        self.own |= other.own
        self.methods |= other.methods
        self.sites |= other.sites
        self.is_whole = self.is_whole or other.is_whole


class CodeTimes:
    """The time of one unit by the inline stacks in which it was seen."""

    def __init__(self, unit: Unit) -> None:
        self._period = unit.period
        self._seen = Counter[tuple[InliningPath, int]]()
        for position, period in unit.spread:
            if position and position[-1].method == unit.method:  # another profiler may call it otherwise
                self._seen[(enclosing_path(position), position[0].at)] += period
        self._total = sum(self._seen.values())
        self._has_places = all(_has_places(path) for path, _ in self._seen)

    def time(self, code: Code) -> int:
        """The time in some code; all of it where samples say nothing.

        Guarantee: a sample counts once, whatever it is in; and never more than the time of the unit.
        Cost: O(stacks that were seen).
        """
        if code.is_whole or self._total <= 0:
            return self._period
        # Where either side does not tell at which place of a method another is called, methods must do.
        is_exact = self._has_places and all(map(_has_places, code.inlined | code.own))
        inlined, own = code.inlined, code.own
        if not is_exact:
            inlined, own = ({_placeless(path) for path in paths} for paths in (inlined, own))
        found = 0
        for (path, at), period in self._seen.items():
            way = path if is_exact else _placeless(path)
            is_in = way in own or path[-1].method in code.methods or (path, at) in code.sites
            if is_in or _is_within(way, inlined):
                found += period
        return round(found * self._period / self._total)


class UnitCode:
    """Code of one unit, and the time in it."""

    def __init__(self, times: CodeTimes) -> None:
        self._times = times
        self._code = Code()
        self._time: int | None = None

    def add(self, code: Code) -> None:
        """Take in more code."""
        self._code.add(code)
        self._time = None

    @property
    def time(self) -> int:
        """The time in it."""
        if self._time is None:
            self._time = self._times.time(self._code)
        return self._time


def _has_places(path: InliningPath) -> bool:
    return all(element.at != NO_OFFSET for element in path[1:])


def _placeless(path: InliningPath) -> InliningPath:
    return tuple(PathElement(element.method, NO_OFFSET) for element in path)


def _is_within(path: InliningPath, outer: AbstractSet[InliningPath]) -> bool:
    return bool(outer) and any(path[:length] in outer for length in range(1, len(path) + 1))
