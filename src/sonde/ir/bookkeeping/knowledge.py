"""What is known of the original's values at one point of an optimised function, and how that changes on the way."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial

from sonde.ir.bookkeeping.instances import Instances, Origin
from sonde.ir.bookkeeping.locations import Constant, Location, Lost, values_needed
from sonde.ir.bookkeeping.marks import MarkedFunction, Marks
from sonde.ir.bookkeeping.records import Known
from sonde.ir.bookkeeping.ways import Ways

State = dict[Origin, Location]

_CONDITION = re.compile(r"br i1 ([^,]+), label ([^,]+), label ([^,]+)")
_MOST_READINGS = 4
"""So many readings of the same records are kept; with fewer, less is known."""


@dataclass(slots=True)
class Knowledge:
    """What is known at a point."""

    values: State
    lasts: dict[tuple[Origin, ...], frozenset[Origin]]
    """What the original may have made last: for each path one, or several where a record can be read in several ways;
    and the calls and branches that the optimised function has been through since, on every such path. Empty before
    anything. Replaced, never changed."""
    overdue: frozenset[Origin] = frozenset()
    """Calls that the original may have made and the optimised function has not: they were moved down across records."""

    def copy(self) -> "Knowledge":
        return Knowledge(self.values.copy(), self.lasts, self.overdue)


def met(paths: list[Knowledge]) -> Knowledge:
    """What all paths say."""
    first, *others = paths
    values = first.values.copy()
    for other in others:
        values = {origin: location for origin, location in values.items() if other.values.get(origin) == location}
    lasts: dict[tuple[Origin, ...], frozenset[Origin]] = {}
    for path in paths:
        for readings, passed in path.lasts.items():
            lasts[readings] = lasts[readings] & passed if readings in lasts else passed
    return Knowledge(values, lasts, first.overdue.union(*(other.overdue for other in others)))


@dataclass(slots=True)
class Course:
    """The rules by which knowledge changes; see `value_flow`."""

    marks: Marks
    instances: Instances
    needed: dict[str, set[Origin]] = field(default_factory=dict)
    """Value of the optimised function -> values of the original that records find in it."""
    calls: frozenset[Origin] = frozenset()
    """Calls that the optimised function still makes."""
    _ways: dict[str, Ways] = field(default_factory=dict)
    _direct: dict[tuple[Origin, Origin], bool] = field(default_factory=dict)
    _possible: dict[tuple[Origin, Origin], bool] = field(default_factory=dict)
    _between: dict[tuple[Origin, Origin], frozenset[Origin]] = field(default_factory=dict)
    _repeated: dict[Origin, bool] = field(default_factory=dict)

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
            if not self.is_directly_from(last, here)
            and (here in knowledge.values or not any(self._may_come_from(each, here) for each in last))
        ]
        # To be read as said once more; but it may be that the original has gone on.
        again = {last if here in last else (*last, here)[-_MOST_READINGS:]: knowledge.lasts[last] for last in further}
        onwards = {last: passed for last, passed in knowledge.lasts.items() if last not in further}
        if onwards or not further:
            knowledge.lasts = onwards
            self.move_to(knowledge, here)
            again[here,] = frozenset()
        knowledge.lasts = again

    def forget(self, knowledge: Knowledge, result: str | None) -> None:
        """A value is computed anew: what was found in it before is no longer there."""
        if result is None:
            return
        for origin in self.needed.get(result, ()):
            location = knowledge.values.get(origin)
            if location is not None and result in values_needed(location):
                del knowledge.values[origin]

    def go_through(self, knowledge: Knowledge, origin: Origin) -> None:
        """The optimised function goes through what was a call or branch of the original."""
        knowledge.lasts = {readings: passed | {origin} for readings, passed in knowledge.lasts.items()}
        knowledge.overdue -= {origin}

    def move_to(self, knowledge: Knowledge, here: Origin) -> None:
        """The original is right before `here`: forget what it has, or may have, made again since."""
        starts: list[tuple[Origin, frozenset[Origin]]] = []
        for readings, passed in knowledge.lasts.items():
            direct = [each for each in readings if self.is_directly_from((each,), here)]
            starts += [(each, passed) for each in direct or readings]
        for last, passed in starts:
            between = self._calls_between(last, here)
            if not between <= passed:
                knowledge.overdue |= between - passed
        if [len(each) for each in knowledge.lasts] == [1] and self._is_next(starts[0][0], here):
            return  # the usual case: one thing after the other
        ends = self._frames(here)
        kept = {instance: self._what_holds(knowledge, instance, end, starts) for instance, end in ends.items()}
        values = knowledge.values
        gone = [origin for origin in values if (holds := kept.get(origin.instance)) is None or not holds(origin.number)]
        for origin in gone:
            del values[origin]

    def _is_next(self, last: Origin, here: Origin) -> bool:
        """Whether one thing is made right after another in a block, so that all that held before still does."""
        marked = self._marked(here.instance)
        return (
            last.instance == here.instance
            and last.number < here.number
            and marked.place(last.number).block == marked.place(here.number).block
            and self.is_directly_from((last,), here)
        )

    def _what_holds(
        self,
        knowledge: Knowledge,
        instance: int,
        end: tuple[int, int],
        starts: list[tuple[Origin, frozenset[Origin]]],
    ) -> Callable[[int], bool] | None:
        """Which values of an instance that were known where the original was are those that it has at its end.

        Args:
            end: where the original is in the instance; see `_frames`.
            starts: where it may have been, for each reading of each path; and what was gone through since.
        Returns:
            None: no value holds, for it was another call.
        """
        frames = [(self._frames(last), passed) for last, passed in starts]
        if not all(instance in each for each, _ in frames):
            return None
        marked = self._marked(instance)
        ways = self.ways_of(marked)
        number = end[0]
        # From there records have been dropped, or may have been: who knows what was made meanwhile?
        gaps = set()
        for each, passed in frames:
            start = each[instance]
            if not self._is_direct(instance, start, end):
                if not ways.is_possible(start[0], number):
                    return None
                gaps.add(start[0])
            elif not _is_same_call(start, end) and not self._is_taken(knowledge, instance, start[0], number, passed):
                gaps.add(start[0])
        is_anew = ways.is_at_once(number, number) and not all(
            ways.is_at_once(each[instance][0], number) for each, _ in frames
        )
        if not gaps and not is_anew:
            return lambda value: marked.is_made_before(value, number)
        return lambda value: (
            marked.is_made_before(value, number)
            and not (is_anew and ways.is_at_once(value, number))
            and not any(ways.may_make(value, start, number) for start in gaps)
        )

    def _is_taken(self, knowledge: Knowledge, instance: int, start: int, end: int, passed: frozenset[Origin]) -> bool:
        """Whether the original went on without making anything, for certain, where it might also have made something.

        Passes drop records with a branch of which they make a `select`: the branch must be there, or known.
        """
        marked = self._marked(instance)

        def leads(block: str) -> Collection[str]:
            terminator = forks[block]
            if Origin(instance, terminator) in passed:
                return marked.flow.successors(block)
            condition = _CONDITION.match(marked.instructions[terminator].text)
            if condition is None:
                return ()
            known = knowledge.values.get(Origin(instance, marked.numbers.get(condition[1], 0)))
            value = known.text if isinstance(known, Constant) else condition[1]
            return {"true": (condition[2],), "false": (condition[3],)}.get(value, ())

        ways = self.ways_of(marked)
        forks = ways.forks(start, end)
        return not forks or ways.is_taken(start, end, leads)

    def _calls_between(self, last: Origin, here: Origin) -> frozenset[Origin]:
        """Calls, among those that the optimised function still makes, that the original may make on its way."""
        key = (last, here)
        if key not in self._between:
            self._between[key] = frozenset(self._find_between(last, here))
        return self._between[key]

    def _find_between(self, last: Origin, here: Origin) -> Iterator[Origin]:
        starts, ends = self._frames(last), self._frames(here)
        for instance in starts.keys() | ends.keys():
            start, end = starts.get(instance, (0, -1)), ends.get(instance, (-1, -1))
            if _is_same_call(start, end):
                continue
            counts = partial(self._is_repeated, instance)
            for number in self.ways_of(self._marked(instance)).calls_between(start[0], end[0], counts):
                yield Origin(instance, number)

    def _is_repeated(self, instance: int, number: int) -> bool:
        """Whether the optimised function still makes a call, and the original may make it again meanwhile."""
        call = Origin(instance, number)
        if call not in self._repeated:
            ways = self.ways_of(self._marked(instance))
            self._repeated[call] = call in self.calls and (ways.is_possible(number, number) or self._recurs(instance))
        return self._repeated[call]

    def at_point(self, knowledge: Knowledge, here: Origin) -> State:
        """What is known and meant when the original is right before `here`."""
        is_again = any(here in passed for passed in knowledge.lasts.values())  # and no record since
        is_overdue = here in knowledge.overdue or (is_again and not self.is_directly_from((here,), here))
        self.move_to(knowledge, here)
        targets = self._frames(here)
        return {
            origin: location
            for origin, location in knowledge.values.items()
            if origin.instance in targets
            and self._marked(origin.instance).is_made_before(origin.number, targets[origin.instance][0])
            and not (is_overdue and self._may_be_made_after(origin, targets[origin.instance][0]))
        }

    def _may_be_made_after(self, value: Origin, number: int) -> bool:
        """Whether the original may make a value after what has a number in the same instance."""
        ways = self.ways_of(self._marked(value.instance))
        return ways.is_possible(number, value.number) or self._recurs(value.instance)

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
                    or self.ways_of(self._marked(instance)).is_possible(start, end)
                    or self._recurs(instance)
                )
        return True

    def _recurs(self, instance: int) -> bool:
        """Whether the call that was inlined here may be made again while the optimised function runs."""
        caller, call = self.instances.all[instance].caller, self.instances.all[instance].call
        if caller is None:
            return False
        return self.ways_of(self._marked(caller)).is_possible(call, call) or self._recurs(caller)

    def is_directly_from(self, readings: tuple[Origin, ...], here: Origin) -> bool:
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
        if _is_same_call(start, end):
            return True
        return self.ways_of(self._marked(instance)).is_direct(start[0], end[0])

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

    def ways_of(self, marked: MarkedFunction) -> Ways:
        """Ways through a function of the original."""
        if marked.name not in self._ways:
            self._ways[marked.name] = Ways(marked)
        return self._ways[marked.name]


def _is_same_call(start: tuple[int, int], end: tuple[int, int]) -> bool:
    """Whether the original is still in the same inlined call, or back from it; see `Course._frames`."""
    return start[0] == end[0] and start[1] >= 0 and end[1] in (start[1], -1)
