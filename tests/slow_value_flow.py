"""Slow twin of `sonde.ir.bookkeeping.value_flow`: one path at a time, and every question asked of the graph itself."""

from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from sonde.ir import Function
from sonde.ir.bookkeeping import Location, Marks, Origin
from sonde.ir.bookkeeping.instances import Instances
from sonde.ir.bookkeeping.locations import values_needed
from sonde.ir.bookkeeping.records import Known

Node = tuple[str, int]
"""A block and a place in it: 0 for parameters and phis, one for each further instruction."""


class Steps:
    """The original function as a graph of single steps."""

    def __init__(self, marks: Marks, name: str) -> None:
        marked = marks.functions[name]
        self.nodes: dict[int, Node] = {}
        lengths: dict[str, int] = {}
        for number, place in enumerate(marked.places, 1):
            instruction = marked.instructions.get(number)
            first = instruction is None or instruction.opcode == "phi" or place.at < 0
            node = (place.block, 0 if first else place.at + 1)
            self.nodes[number] = node
            if instruction is not None and place.at >= 0:
                lengths[place.block] = place.at + 1
        self.made: dict[Node, set[int]] = {}
        for number, place in enumerate(marked.places, 1):
            if place.is_recorded:
                self.made.setdefault(self.nodes[number], set()).add(number)
        self.after: dict[Node, list[Node]] = {}
        for block in marked.flow.names:
            for at in range(lengths[block]):
                self.after[block, at] = [(block, at + 1)]
            self.after[block, lengths[block]] = [(target, 0) for target in marked.flow.successors(block)]
        self.entry = (marked.flow.entry, 0)

    @cache  # noqa: B019 - lives as long as its test
    def reached(self, start: Node, around: Node | None = None, stops: bool = False) -> frozenset[Node]:
        """The nodes that one or more steps lead to; not on from `around`; not on from what makes something."""
        seen: set[Node] = set()
        waiting = list(self.after[start])
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if node != around and not (stops and node in self.made):
                waiting += self.after[node]
        return frozenset(seen)

    def is_before(self, value: int, number: int) -> bool:
        """Whether every way from the entry to a number makes the value before."""
        above, below = self.nodes[value], self.nodes[number]
        if above == below:
            return value < number
        if above == self.entry:
            return True
        without = {self.entry} | self.reached(self.entry, above)
        return below not in self.ways_without(above) and below in without | self.reached(self.entry)

    @cache  # noqa: B019 - lives as long as its test
    def ways_without(self, avoided: Node) -> frozenset[Node]:
        """What can be reached from the entry without a node."""
        seen = {self.entry}
        waiting = [self.entry]
        while waiting:
            for node in self.after[waiting.pop()]:
                if node not in seen and node != avoided:
                    seen.add(node)
                    waiting.append(node)
        return frozenset(seen)

    def is_direct(self, start: int, end: int) -> bool:
        if start != end and self.nodes[start] == self.nodes[end]:
            return True
        return self.nodes[end] in self.reached(self.nodes[start], None, True)

    def is_possible(self, start: int, end: int) -> bool:
        return self.nodes[end] in self.reached(self.nodes[start])

    def may_make(self, value: int, start: int, end: int) -> bool:
        between = self.reached(self.nodes[start], self.nodes[end]) - {self.nodes[end]}
        return self.nodes[value] in between and self.is_possible(value, end)


@dataclass
class OnePath:
    """What is known along one path through an optimised function."""

    marks: Marks
    instances: Instances
    steps: dict[str, Steps]
    known: dict[Origin, Location] = field(default_factory=dict)
    readings: tuple[Origin, ...] = ()

    def walk(self, function: Function, block: str, records: dict[tuple[str, int], list[Known]]) -> None:
        """Go through a block."""
        for index, instruction in enumerate(function.block(block).instructions):
            for each in records.get((block, index), []):
                self.take_in(each)
            gone = [v for v, location in self.known.items() if instruction.result in values_needed(location)]
            for value in gone:
                del self.known[value]

    def take_in(self, record: Known) -> None:
        here = record.origin
        if record.location is None:
            self.move(here)
            return
        is_direct = any(self.direct(each, here) for each in self.readings)
        is_possible = any(self.possible(each, here) for each in self.readings)
        if self.readings and not is_direct and (here in self.known or not is_possible):
            if here not in self.readings:
                self.readings = (*self.readings, here)[-4:]
        else:
            self.move(here)
            self.readings = (here,)
        self.known[here] = record.location

    def move(self, here: Origin) -> None:
        readings = [each for each in self.readings if self.direct(each, here)] or list(self.readings)
        frames = self.frames(here)
        for value in list(self.known):
            if value.instance not in frames:
                del self.known[value]
                continue
            steps, (end, _) = self.of(value.instance), frames[value.instance]
            keeps = steps.is_before(value.number, end)
            for each in readings:
                starts = self.frames(each)
                if value.instance not in starts:
                    keeps = False
                elif not self.same(value.instance, starts[value.instance], frames[value.instance]):
                    start = starts[value.instance][0]
                    keeps = keeps and steps.is_possible(start, end) and not steps.may_make(value.number, start, end)
            if not keeps:
                del self.known[value]

    def same(self, instance: int, start: tuple[int, int], end: tuple[int, int]) -> bool:
        if start[0] == end[0] and start[1] >= 0 and end[1] in (start[1], -1):
            return True
        return self.of(instance).is_direct(start[0], end[0])

    def direct(self, last: Origin, here: Origin) -> bool:
        starts, ends = self.frames(last), self.frames(here)
        return all(self.same(each, starts[each], ends[each]) for each in ends if each in starts)

    def possible(self, last: Origin, here: Origin) -> bool:
        starts = self.frames(last)
        for instance, (end, callee) in self.frames(here).items():
            if instance not in starts or (starts[instance] == (end, callee) and callee >= 0):
                continue
            start, from_callee = starts[instance]
            if start == end and from_callee >= 0:
                return True
            return self.of(instance).is_possible(start, end) or self.recurs(instance)
        return True

    def recurs(self, instance: int) -> bool:
        caller, call = self.instances.all[instance].caller, self.instances.all[instance].call
        return caller is not None and (self.of(caller).is_possible(call, call) or self.recurs(caller))

    def frames(self, at: Origin) -> dict[int, tuple[int, int]]:
        frames = {at.instance: (at.number, -1)}
        path = self.instances.call_path(at.instance)
        for inner, outer in pairwise(path):
            frames[outer] = (self.instances.all[inner].call, inner)
        return frames

    def of(self, instance: int) -> Steps:
        name = self.instances.all[instance].function
        if name not in self.steps:
            self.steps[name] = Steps(self.marks, name)
        return self.steps[name]
