"""What is known of the original's values at every point of an optimised function.

A record holds from where it stands. Which records hold at a point is a question of all paths that lead there:

    record of v: v is at X         v is at X, and nowhere else
    X is computed anew             v is no longer at X
    record of w                    the original has just made w; so what does not come before w on every path of the
                                   original is of an earlier turn of some loop, or of another branch: no longer known
    record of w after that of u    if the original makes something on every way from u to w, records were dropped in
                                   between; what it may have made again meanwhile is no longer known. So, too, if it
                                   makes something on some way, unless a branch shows that it went another
    record of w, call overdue      the call was moved down: when it comes, what may be made after it is not known
    paths meet                     what all of them say; and where each says something else, but a phi gets just
                                   this from each, it is in the phi

The third rule loses nothing: whoever asks for v at a later point of the original, before which v is always made, asks
after v was made again. It makes up, with the fourth, for records that a pass has dropped.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sonde.ir.analyses import ControlFlow
from sonde.ir.bookkeeping.instances import Instances, MarkedMetadata, Origin
from sonde.ir.bookkeeping.knowledge import Course, Knowledge, State, met
from sonde.ir.bookkeeping.locations import values_needed
from sonde.ir.bookkeeping.phi_joins import PhiJoin, phi_joins
from sonde.ir.bookkeeping.records import Known, RecordReader
from sonde.ir.bookkeeping.ways import is_outer_call
from sonde.ir.function import Function


@dataclass(slots=True)
class ValueFlow:
    """The records of an optimised function, and what follows from them.

    Guarantee: what is known at a point is known after every path to it.
    Cost: O(records * values known at once) for each pass over the blocks; passes are as many as loops are nested, and
        two more.
    Source: the data flow of LLVM's LiveDebugValues, on IR in place of machine code.
    Differs: the rules for what is of an earlier turn.
    """

    function: Function
    metadata: MarkedMetadata
    instances: Instances
    records: dict[tuple[str, int], list[Known]] = field(default_factory=dict)
    """What is said before an instruction, by block and index."""
    passed: dict[tuple[str, int], Origin] = field(default_factory=dict)
    """Calls and branches of the original, by block and index of what was made of them."""
    begins: dict[str, Knowledge] = field(default_factory=dict)
    """What is known at the beginning of each block that can be reached."""
    ends: dict[str, Knowledge] = field(default_factory=dict)
    joined: dict[str, State] = field(default_factory=dict)
    """Block -> what its phis are found to hold, once they are passed."""
    course: Course = field(init=False)
    _joins: dict[str, PhiJoin] = field(default_factory=dict)

    def __post_init__(self) -> None:
        reader = RecordReader(self.function, self.metadata, self.instances)
        for block in self.function.blocks:
            for index, instruction in enumerate(block.instructions):
                read = (reader.read(record, block.name, index) for record in instruction.records)
                known = [each for each in read if each is not None]
                if known:
                    self.records[block.name, index] = known
        needed: dict[str, set[Origin]] = {}
        for known in self.records.values():
            for each in known:
                for name in values_needed(each.location) if each.location else ():
                    needed.setdefault(name, set()).add(each.origin)
        for block in self.function.blocks:
            for index, instruction in enumerate(block.instructions):
                if (instruction.is_terminator or is_outer_call(instruction)) and instruction.location is not None:
                    origin = self.instances.origin(instruction.location)
                    if origin is not None and self._goes_on(origin):
                        self.passed[block.name, index] = origin
        self.course = Course(self.metadata.marks, self.instances, needed, frozenset(self.passed.values()))
        self._joins = phi_joins(self.function)
        self.solve()

    def _goes_on(self, origin: Origin) -> bool:
        """Whether something is a call of the original, or a branch that leads to several blocks."""
        function = self.instances.all[origin.instance].function
        instruction = self.metadata.marks.functions[function].instructions.get(origin.number)
        return instruction is not None and (len(set(instruction.successors())) > 1 or is_outer_call(instruction))

    def known_at(self, block: str, index: int, point: Origin | None = None) -> State:
        """What is known right before an instruction, the records before it taken in. Empty where no path leads.

        Args:
            point: where the original is; None: not known.
        """
        begin = self.begins.get(block)
        if begin is None:
            return {}
        knowledge = begin.copy()
        self._walk(knowledge, block, index)
        return knowledge.values if point is None else self.course.at_point(knowledge, point)

    def known_along(self, block: str) -> Iterator[Knowledge]:
        """The same before each instruction of a block in turn, for no point. It changes as the walk goes on."""
        begin = self.begins.get(block)
        if begin is None:
            return
        knowledge = begin.copy()
        for index, instruction in enumerate(self.function.block(block).instructions):
            self.arrive(knowledge, block, index)
            for each in self.records.get((block, index), ()):
                self.course.take_in(knowledge, each)
            yield knowledge
            self.leave(knowledge, block, index, instruction.result)

    def solve(self) -> None:
        """Work out what is known, from the records as they are now."""
        flow = ControlFlow.of(self.function)
        names = flow.names
        self.begins, self.ends, self.joined = {}, {}, {}
        given_up: set[tuple[str, Origin]] = set()
        is_changing = True
        while is_changing:
            is_changing = False
            for number in flow.order:
                name = names[number]
                before = [
                    self.ends[names[each]] for each in flow.predecessor_numbers[number] if names[each] in self.ends
                ]
                knowledge = met(before) if before and number != flow.order[0] else Knowledge({}, {})
                joined = self._join(name, given_up)
                if self.begins.get(name) == knowledge and self.joined.get(name, {}) == joined:
                    continue
                self.joined[name] = joined
                self.begins[name] = knowledge.copy()
                self._walk(knowledge, name, len(self.function.blocks[number].instructions))
                if self.ends.get(name) != knowledge:
                    self.ends[name] = knowledge
                    is_changing = True

    def _join(self, block: str, given_up: set[tuple[str, Origin]]) -> State:
        """What the phis of a block hold, by what is known at the ends of the blocks before it.

        Args:
            given_up: what was found in a phi once, and was not any more later: so that this comes to an end.
        """
        join = self._joins.get(block)
        if join is None:
            return {}
        ends = {each: self.ends[each].values for each in join.sources if each in self.ends}
        found = {origin: at for origin, at in join.held(ends).items() if (block, origin) not in given_up}
        for origin, location in self.joined.get(block, {}).items():
            if found.get(origin) != location:
                given_up.add((block, origin))
                found.pop(origin, None)
        for origin, location in found.items():
            self.course.needed.setdefault(location.name, set()).add(origin)
        return dict(found)

    def arrive(self, knowledge: Knowledge, block: str, index: int) -> None:
        """Right before an instruction: its block's phis may have been passed just now."""
        join = self._joins.get(block)
        if join is not None and index == join.behind:
            knowledge.values.update(self.joined.get(block, {}))

    def _walk(self, knowledge: Knowledge, block: str, index: int) -> None:
        """From the beginning of a block to before instruction `index`, records there included."""
        instructions = self.function.block(block).instructions
        for at in range(min(index + 1, len(instructions))):
            self.arrive(knowledge, block, at)
            for each in self.records.get((block, at), ()):
                self.course.take_in(knowledge, each)
            if at < index:
                self.leave(knowledge, block, at, instructions[at].result)

    def leave(self, knowledge: Knowledge, block: str, index: int, result: str | None) -> None:
        """Go over an instruction."""
        self.course.forget(knowledge, result)
        if (block, index) in self.passed:
            self.course.go_through(knowledge, self.passed[block, index])
