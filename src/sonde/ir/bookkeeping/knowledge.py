"""What is known of the original's values at one point of an optimised function, and how that changes on the way."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sonde.ir.bookkeeping.instances import Instances, Origin
from sonde.ir.bookkeeping.locations import Location, Lost, values_needed
from sonde.ir.bookkeeping.marks import MarkedFunction, Marks
from sonde.ir.bookkeeping.records import Known
from sonde.ir.bookkeeping.ways import Ways

State = dict[Origin, Location]

_MOST_READINGS = 4
"""So many readings of the same records are kept; with fewer, less is known."""


@dataclass(slots=True)
class Knowledge:
    """What is known at a point."""

    values: State
    lasts: frozenset[tuple[Origin, ...]]
    """What the original may have made last: for each path one, or several where a record can be read in several ways.
    Empty before anything."""

    def copy(self) -> "Knowledge":
        return Knowledge(self.values.copy(), self.lasts)


def met(paths: list[Knowledge]) -> Knowledge:
    """What all paths say."""
    first, *others = paths
    values = first.values.copy()
    for other in others:
        values = {origin: location for origin, location in values.items() if other.values.get(origin) == location}
    return Knowledge(values, first.lasts.union(*(other.lasts for other in others)))


@dataclass(slots=True)
class Course:
    """The rules by which knowledge changes; see `value_flow`."""

    marks: Marks
    instances: Instances
    needed: dict[str, set[Origin]] = field(default_factory=dict)
    """Value of the optimised function -> values of the original that records find in it."""
    _ways: dict[str, Ways] = field(default_factory=dict)
    _direct: dict[tuple[Origin, Origin], bool] = field(default_factory=dict)
    _possible: dict[tuple[Origin, Origin], bool] = field(default_factory=dict)

    def take_in(self, knowledge: Knowledge, known: Known) -> None:
        """A record: the original has just made a value, or LLVM says once more where a value is, made before."""
        self.arrive(knowledge, known)
        if known.location is not None:
            knowledge.values[known.origin] = known.location
        for origin in known.doubts:
            if origin in knowledge.values:
                knowledge.values[origin] = Lost("contradicted")

    def arrive(self, knowledge: Knowledge, known: Known) -> None:
        """All that a record says but where its value is."""
        here = known.origin
        if known.location is None:
            self.move_to(knowledge, here)
            return
        further = [
            last
            for last in knowledge.lasts
            if not self._directly_from(last, here)
            and (here in knowledge.values or not any(self._may_come_from(each, here) for each in last))
        ]
        # To be read as said once more; but it may be that the original has gone on.
        again = (last if here in last else (*last, here)[-_MOST_READINGS:] for last in further)
        onwards = knowledge.lasts.difference(further)
        if onwards or not further:
            knowledge.lasts = onwards
            self.move_to(knowledge, here)
            onwards = frozenset(((here,),))
        knowledge.lasts = onwards.union(again)

    def forget(self, knowledge: Knowledge, result: str | None) -> None:
        """A value is computed anew: what was found in it before is no longer there."""
        if result is None:
            return
        for origin in self.needed.get(result, ()):
            location = knowledge.values.get(origin)
            if location is not None and result in values_needed(location):
                del knowledge.values[origin]

    def move_to(self, knowledge: Knowledge, here: Origin) -> None:
        """The original is right before `here`: forget what it has, or may have, made again since."""
        lasts = knowledge.lasts
        if len(lasts) == 1:
            (readings,) = lasts
            if len(readings) == 1:
                last = readings[0]
                if (
                    last.instance == here.instance
                    and self._directly_from(readings, here)
                    and self._marked(here.instance).is_made_before(last.number, here.number)
                ):
                    return  # the usual case: one thing after the other
        starts = []
        for readings in lasts:
            direct = [each for each in readings if self._directly_from((each,), here)]
            starts += [self._frames(each) for each in direct or readings]
        kept = {instance: self._what_holds(instance, end, starts) for instance, end in self._frames(here).items()}
        values = knowledge.values
        gone = [origin for origin in values if (holds := kept.get(origin.instance)) is None or not holds(origin.number)]
        for origin in gone:
            del values[origin]

    def _what_holds(
        self, instance: int, end: tuple[int, int], starts: list[dict[int, tuple[int, int]]]
    ) -> Callable[[int], bool] | None:
        """Which values of an instance that were known where the original was are those that it has at its end.

        Args:
            end: where the original is in the instance; see `_frames`.
            starts: where it may have been, for each reading of each path.
        Returns:
            None: no value holds, for it was another call.
        """
        if not all(instance in frames for frames in starts):
            return None
        marked = self._marked(instance)
        ways = self._way(marked)
        number = end[0]
        # From there records have been dropped: who knows what was made meanwhile?
        gaps = {frames[instance][0] for frames in starts if not self._is_direct(instance, frames[instance], end)}
        if not all(ways.is_possible(start, number) for start in gaps):
            return None
        if not gaps:
            return lambda value: marked.is_made_before(value, number)
        return lambda value: (
            marked.is_made_before(value, number) and not any(ways.may_make(value, start, number) for start in gaps)
        )

    def at_point(self, knowledge: Knowledge, here: Origin) -> State:
        """What is known and meant when the original is right before `here`."""
        self.move_to(knowledge, here)
        targets = self._frames(here)
        return {
            origin: location
            for origin, location in knowledge.values.items()
            if origin.instance in targets
            and self._marked(origin.instance).is_made_before(origin.number, targets[origin.instance][0])
        }

    def _may_come_from(self, last: Origin, here: Origin) -> bool:
        """Whether the original may come from there, in the same call or a later one."""
        key = (last, here)
        if key not in self._possible:
            self._possible[key] = self._find_possible(last, here)
        return self._possible[key]

    def _find_possible(self, last: Origin, here: Origin) -> bool:
        frames = self._frames(last)
        for instance, (end, callee) in self._frames(here).items():
            start, from_callee = frames.get(instance, (0, -1))
            if start and (callee < 0 or (start, from_callee) != (end, callee)):
                return (
                    (start == end and from_callee >= 0)
                    or self._way(self._marked(instance)).is_possible(start, end)
                    or self._recurs(instance)
                )
        return True

    def _recurs(self, instance: int) -> bool:
        """Whether the call that was inlined here may be made again while the optimised function runs."""
        caller, call = self.instances.all[instance].caller, self.instances.all[instance].call
        if caller is None:
            return False
        return self._way(self._marked(caller)).is_possible(call, call) or self._recurs(caller)

    def _directly_from(self, readings: tuple[Origin, ...], here: Origin) -> bool:
        """Whether the original may come from one of them without making anything in between, in whatever function."""
        for last in readings:
            key = (last, here)
            if key not in self._direct:
                frames = self._frames(last)
                self._direct[key] = all(
                    self._is_direct(instance, frames[instance], end)
                    for instance, end in self._frames(here).items()
                    if instance in frames
                )
            if self._direct[key]:
                return True
        return False

    def _is_direct(self, instance: int, start: tuple[int, int], end: tuple[int, int]) -> bool:
        """The same in one function; see `_frames`."""
        if start[0] == end[0] and start[1] >= 0 and end[1] in (start[1], -1):
            return True  # still in the same call, or back from it
        return self._way(self._marked(instance)).is_direct(start[0], end[0])

    def _frames(self, at: Origin) -> dict[int, tuple[int, int]]:
        """Instance -> where the original is in it, and the instance that is called there, or -1."""
        frames = {at.instance: (at.number, -1)}
        instance = at.instance
        while (caller := self.instances.all[instance].caller) is not None:
            frames[caller] = (self.instances.all[instance].call, instance)
            instance = caller
        return frames

    def _marked(self, instance: int) -> MarkedFunction:
        return self.marks.functions[self.instances.all[instance].function]

    def _way(self, marked: MarkedFunction) -> Ways:
        if marked.name not in self._ways:
            self._ways[marked.name] = Ways(marked)
        return self._ways[marked.name]
