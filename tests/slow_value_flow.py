"""Slow twin of `sonde.ir.bookkeeping.value_flow`: one path at a time, and every question asked of the graph itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from sonde.ir import CALLS, Block, Function, call_site, incoming_of
from sonde.ir.bookkeeping import Constant, Held, Location, Marks, Origin
from sonde.ir.bookkeeping.instances import Instances
from sonde.ir.bookkeeping.locations import values_needed
from sonde.ir.bookkeeping.records import Known
from sonde.ir.phi import phi_type

Node = tuple[str, int]
"""A block and a place in it: 0 for parameters and phis, one for each further instruction."""


class Steps:
    """The original function as a graph of single steps."""

    def __init__(self, marks: Marks, name: str) -> None:
        marked = marks.functions[name]
        self.instructions = marked.instructions
        self.numbers = marked.numbers
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
        self.nodes[0] = (marked.flow.entry, -1)
        self.after[marked.flow.entry, -1] = [self.entry]
        self.calls = {
            number
            for number, each in marked.instructions.items()
            if each.opcode in CALLS and not call_site(each).is_intrinsic
        }
        self.returns = [number for number, each in marked.instructions.items() if each.opcode == "ret"]
        self.terminators = {self.nodes[number]: number for number, each in marked.instructions.items()}

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

    def at_once(self, one: int, other: int) -> bool:
        return self.nodes[one] == self.nodes[other] and self.nodes[one][1] == 0

    def may_call(self, number: int, start: int, end: int) -> bool:
        """Whether a call is on a way that makes nothing; if there is none, whether it is on every way."""
        first, last, call = self.nodes[start], self.nodes[end], self.nodes[number]
        if call in (first, last):
            return False
        if self.is_direct(start, end):
            return (
                call in self.reached(first, last, True)
                and call not in self.made
                and last in self.reached(call, None, True)
            )
        return self.may_make(number, start, end) and last not in self.without(first, frozenset((call,)))

    @cache  # noqa: B019 - lives as long as its test
    def without(self, start: Node, avoided: frozenset[Node]) -> frozenset[Node]:
        """What can be reached without some nodes."""
        seen: set[Node] = set()
        waiting = [start]
        while waiting:
            for node in self.after[waiting.pop()]:
                if node not in seen and node not in avoided:
                    seen.add(node)
                    waiting.append(node)
        return frozenset(seen)

    def is_sure(self, start: int, end: int, passed: set[int], constants: dict[int, str]) -> bool:
        """Whether one of the ways that make nothing is taken, going by the branches passed and the conditions known."""
        last = self.nodes[end]
        if self.at_once(start, end):
            return True
        around = frozenset(
            node for node in self.after if self.is_possible(end, start) and node[0] == self.nodes[start][0] != last[0]
        )
        seen: set[Node] = set()
        waiting = [self.nodes[start]]
        while waiting:
            node = waiting.pop()
            after = self.after[node]
            if len(set(after)) > 1 and any(self.is_otherwise(each, last, around) for each in after):
                number = self.terminators[node]
                text = self.instructions[number].text
                condition = text.split(" ")[2].rstrip(",") if text.startswith("br i1") else ""
                value = constants.get(self.numbers.get(condition, -1), condition)
                if number not in passed:
                    after = {"true": after[:1], "false": after[1:]}.get(value, [])
            if last in after:
                return True
            waiting += [each for each in after if each not in seen and each not in self.made]
            seen.update(after)
        return False

    def is_otherwise(self, node: Node, last: Node, around: frozenset[Node]) -> bool:
        """Whether a way from a node on makes something before it comes to another, and not by way of some."""
        avoided = around | {last}
        if node in avoided:
            return False
        return any(
            each in self.made and any(last in self.after[other] for other in self.without(each, avoided) | {each})
            for each in self.without(node, avoided) | {node}
        )


@dataclass
class OnePath:
    """What is known along one path through an optimised function."""

    marks: Marks
    instances: Instances
    steps: dict[str, Steps]
    known: dict[Origin, set[Location]] = field(default_factory=dict)
    """Where each value is: where its last record says, and in the phis that got it since."""
    readings: tuple[Origin, ...] = ()
    passed: set[Origin] = field(default_factory=set)
    overdue: set[Origin] = field(default_factory=set)
    calls: set[Origin] = field(default_factory=set)
    before: str = ""

    def walk(
        self,
        function: Function,
        block: str,
        records: dict[tuple[str, int], list[Known]],
        passed: dict[tuple[str, int], Origin],
    ) -> Iterator[tuple[int, dict[Origin, set[Location]]]]:
        """Go through a block; yields what is known at its calls."""
        self.calls = set(passed.values())
        self.enter(function.block(block))
        self.before = block
        for index, instruction in enumerate(function.block(block).instructions):
            for each in records.get((block, index), []):
                self.take_in(each)
            origin = passed.get((block, index))
            if origin is not None and not instruction.is_terminator:
                yield index, self.at_point(origin)
            if origin is not None:
                self.passed.add(origin)
                self.overdue.discard(origin)
            if instruction.opcode != "phi":
                self.forget({instruction.result or ""})

    def enter(self, block: Block) -> None:
        """All phis of a block get their values at once."""
        if not block.phis():
            return
        got = {
            phi.result or "": (phi_type(phi), {source: value for value, source in incoming_of(phi)})
            for phi in block.phis()
        }
        found: dict[Origin, set[Location]] = {}
        for value, locations in self.known.items():
            texts = {
                each.name if isinstance(each, Held) else each.text
                for each in locations
                if isinstance(each, Held | Constant)
            }
            found[value] = {
                Held(name, type_) for name, (type_, sources) in got.items() if sources[self.before] in texts
            }
        self.forget(set(got))
        for value, held in found.items():
            if held:
                self.known.setdefault(value, set()).update(held)

    def forget(self, names: set[str]) -> None:
        """Values of the optimised function are made anew."""
        for value, locations in list(self.known.items()):
            left = {each for each in locations if names.isdisjoint(values_needed(each))}
            if left:
                self.known[value] = left
            else:
                del self.known[value]

    def at_point(self, here: Origin) -> dict[Origin, set[Location]]:
        """What is known right before something; what may have been made after a call that is overdue is not."""
        is_overdue = here in self.overdue or (here in self.passed and not self.direct(here, here))
        later = OnePath(
            self.marks,
            self.instances,
            self.steps,
            {value: set(each) for value, each in self.known.items()},
            self.readings,
            self.passed,
        )
        later.calls = self.calls
        later.move(here)
        frames = self.frames(here)
        return {
            value: locations
            for value, locations in later.known.items()
            if value.instance in frames
            and self.of(value.instance).is_before(value.number, frames[value.instance][0])
            and not (
                is_overdue
                and (
                    self.of(value.instance).is_possible(frames[value.instance][0], value.number)
                    or self.recurs(value.instance)
                )
            )
        }

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
            self.passed = set()
        self.known[here] = {record.location}

    def move(self, here: Origin) -> None:
        readings = [each for each in self.readings if self.direct(each, here)] or list(self.readings)
        frames = self.frames(here)
        for each in readings:
            self.overdue |= self.calls_between(each, here) - self.passed
        sure = {each: self.is_sure(each, here) for each in readings}
        for value in list(self.known):
            if value.instance not in frames:
                del self.known[value]
                continue
            steps, (end, _) = self.of(value.instance), frames[value.instance]
            keeps = steps.is_before(value.number, end)
            if steps.at_once(value.number, end) and not self.are_at_once(readings, value.instance, end):
                keeps = False
            for each in readings:
                starts = self.frames(each)
                if value.instance not in starts:
                    keeps = False
                elif value.instance not in sure[each]:
                    start = starts[value.instance][0]
                    keeps = keeps and steps.is_possible(start, end) and not steps.may_make(value.number, start, end)
            if not keeps:
                del self.known[value]

    def is_sure(self, last: Origin, here: Origin) -> set[int]:
        """The instances in which the original made nothing on its way, for certain."""
        starts, ends = self.frames(last), self.frames(here)
        found = set()
        for instance in starts.keys() & ends.keys():
            start, end = starts[instance], ends[instance]
            constants = {
                value.number: location.text
                for value, locations in self.known.items()
                for location in locations
                if value.instance == instance and isinstance(location, Constant)
            }
            passed = {each.number for each in self.passed if each.instance == instance}
            if (start[0] == end[0] and start[1] >= 0 and end[1] in (start[1], -1)) or (
                self.same(instance, start, end) and self.of(instance).is_sure(start[0], end[0], passed, constants)
            ):
                found.add(instance)
        return found

    def are_at_once(self, readings: list[Origin], instance: int, end: int) -> bool:
        return all(
            instance in (frames := self.frames(each)) and self.of(instance).at_once(frames[instance][0], end)
            for each in readings
        )

    def calls_between(self, last: Origin, here: Origin) -> set[Origin]:
        """Calls that the optimised function still makes, and that the original makes on its way and may make again."""
        starts, ends = self.frames(last), self.frames(here)
        found = set()
        for call in self.calls:
            steps = self.of(call.instance)
            start, end = starts.get(call.instance, (0, -1)), ends.get(call.instance, (-1, -1))
            if call.instance not in starts.keys() | ends.keys() or call.number not in steps.calls:
                continue
            if start[0] == end[0] and start[1] >= 0 and end[1] in (start[1], -1):
                continue
            targets = [end[0]] if end[0] >= 0 else steps.returns
            if any(steps.may_call(call.number, start[0], each) for each in targets) and (
                steps.is_possible(call.number, call.number) or self.recurs(call.instance)
            ):
                found.add(call)
        return found

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
