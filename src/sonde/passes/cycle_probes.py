"""Probes that measure how long compiled functions run by themselves: from their entries and calls to the next ones."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from sonde.ir import CALLS, Block, Function, Instruction, Module, call_site
from sonde.ir.analyses import instruction_cost
from sonde.ir.edits import split_block, split_edge, why_not_split_edge
from sonde.passes.call_probes import thread_word
from sonde.passes.calls_and_returns import can_have_probes, end_points, returns_twice, switches_stacks
from sonde.passes.probe_places import ProbePlaces

BEGIN, END, THREAD_OF_CYCLES = "sn_cycles_begin_interval", "sn_cycles_end_interval", "sn_cycles_thread"
"""What the code calls (`native/probes/unit_cycles.h`): for an interval that is to be measured, at its beginning and its
end; and for a thread that has no cycles."""

UNIT_BYTES, FIRST_UNIT = 120, 32
"""Sizes of `sn_unit_cycles`, and of what stands before the first."""
_WAIT = 8
"""Offset in an `sn_unit_cycles`, in bytes."""
_LIKELY = '!{!"branch_weights", i32 1048575, i32 1}'
_LEFT_OUT = ("catchswitch", "cleanuppad", "catchpad", "callbr")
_IN_ENTRY_ONLY = ("@llvm.localescape(", "@llvm.gcroot(", "@llvm.experimental.convergence.entry(")
"""Functions with these have no probes: their blocks cannot be cut, or their calls lead to several places."""


@dataclass(frozen=True, slots=True)
class CycleProbes:
    """Put probes that measure cycles into all functions that a module defines, when the optimiser is done.

    What was inlined stays so, and has no probes. A function's own time goes by in intervals: from its entry, and from
    each return of what it calls, to its next call or its end. What it calls has its own probes, or none; it is no
    part of the interval. Intervals without an instruction that costs anything have no probes.

    Guarantee: what the program does stays the same, but for time and memory.
    Cost: for an interval that is not measured, a counter that is counted down and a comparison; at each entry, another
        counter, and a look at whether the thread has some.
    Source: Burchell, Larose, Marr, MPLR 2024, section 4.1.
    Differs: threads have cycles of their own. No value is kept over the function: an exception, a trap or `longjmp`
        loses the interval that it leaves, and nothing else. Of functions whose intervals are short, only some are
        measured (`native/probes/unit_cycles.h`); the document measures all.

    >>> from sonde.ir import parse_module
    >>> module = parse_module('define i64 @f(i64 %x) {\\n  %y = mul i64 %x, 3\\n  ret i64 %y\\n}')
    >>> CycleProbes(thread_offset=-8).insert(module)
    ['@f']
    >>> [each.opcode for each in module.functions["@f"].blocks[1].instructions]
    ['load', 'getelementptr', 'load', 'add', 'store', 'getelementptr', 'load', 'sub', 'store', 'icmp', 'br']
    """

    thread_offset: int
    """Where a thread has the address of its cycles, in bytes from the thread pointer (`sn_cycles_offset`)."""
    has_intervals: bool = True
    """Whether intervals are measured, not only entries counted."""

    def insert(
        self,
        module: Module,
        places: ProbePlaces | None = None,
        *,
        names: Collection[str] | None = None,
        first: int = 0,
    ) -> list[str]:
        """Change the module in place.

        Args:
            places: what the instructions that are put in have as locations.
            names: the functions that are to have probes, with sigil; None: all.
            first: number of the first function that has some.
        Returns: names of the functions with probes, with sigil, by the numbers that these know them by, less `first`.
        """
        asked = [each for each in module.defined_functions() if names is None or each.name in names]
        functions = [each for each in asked if _can_have_probes(module, each)]
        if not functions:
            return []
        for name, parameters in ((BEGIN, "i32"), (END, "i32"), (THREAD_OF_CYCLES, "")):
            module.declare(f"preserve_mostcc void @{name}({parameters}) cold nounwind")
        likely = module.add_metadata(_LIKELY)
        slot = thread_word(self.thread_offset)
        for number, function in enumerate(functions, first):
            suffix = "" if places is None else places.suffix(function)
            _Insertion(module, function, number, slot, likely, function.local_names(), suffix).insert(
                self.has_intervals
            )
        return [each.name for each in functions]


@dataclass(frozen=True, slots=True)
class _Point:
    """Where in a block an interval ends, or begins, before the instruction at an index."""

    at: int
    is_end: bool
    again: bool = False
    """Of a beginning: whether an interval may be left over from before a jump."""
    elsewhere: bool = False
    """Whether another thread may go on here."""


@dataclass(slots=True)
class _Insertion:
    """Probes into one function."""

    module: Module
    function: Function
    number: int
    slot: str
    """The operand that says where a thread has its cycles."""
    likely: int
    """Metadata of branches that are nearly always taken."""
    taken: set[str]
    """Names in the function."""
    suffix: str
    """What stands at the end of each instruction: its location."""
    _names: int = field(default=0)

    def insert(self, has_intervals: bool) -> None:
        function, head = self.function, self.function.entry
        first = next(at for at, each in enumerate(head.instructions) if each.opcode != "alloca")
        points: dict[int, list[_Point]] = {}
        if has_intervals:
            ends = {id(before) for _, before in end_points(self.module, function, is_late=True)}
            behind = self._split_ways_from_invokes()
            points = {id(block): self._points(block, ends, behind) for block in function.blocks}
            points[id(head)].insert(0, _Point(first, is_end=False))
        rest_of_entry = None
        for block in list(function.blocks):
            kept = _without_empty(block, points.get(id(block), []))
            begins_at_once = block is head and bool(kept) and kept[0] == _Point(first, is_end=False)
            for point in reversed(kept[1:] if begins_at_once else kept):
                self._put(block, point)
            if block is head:
                rest_of_entry = self._put_entry(head, first)
                if begins_at_once:
                    known = rest_of_entry.instructions[0].result or ""  # loaded there, and nothing is called since
                    self._put(rest_of_entry, _Point(len(rest_of_entry.instructions) - 1, is_end=False), known)
        assert rest_of_entry is not None

    def _split_ways_from_invokes(self) -> set[str]:
        """Let what goes on behind an invoke be a block that nothing else goes to; the names of these blocks."""
        behind = set[str]()
        arriving = Counter(name for block in self.function.blocks for name in block.successors())
        by_name = {block.name: block for block in self.function.blocks}
        for block in list(self.function.blocks):
            if block.terminator.opcode == "invoke" and _has_time_of_its_own(block.terminator):
                target = by_name[block.successors()[0]]
                if arriving[target.name] > 1 and why_not_split_edge(block, target) is None:
                    target = split_edge(self.function, block, target, taken=self.taken)
                behind.add(target.name)
        return behind

    def _points(self, block: Block, ends: set[int], behind: set[str]) -> list[_Point]:
        """Where intervals begin and end, in order."""
        found = []
        if block.is_landing_pad or block.name in behind:
            found.append(_Point(block.first_insertion_point(), is_end=False, again=block.is_landing_pad))
        for at, each in enumerate(block.instructions):
            if id(each) in ends or (each.opcode == "invoke" and _has_time_of_its_own(each)):
                found.append(_Point(at, is_end=True))
            elif each.opcode == "call" and _has_time_of_its_own(each):
                found.append(_Point(at, is_end=True))
                again, elsewhere = returns_twice(self.module, each), switches_stacks(each)
                found.append(_Point(at + 1, is_end=False, again=again, elsewhere=elsewhere))
        return found

    def _put_entry(self, head: Block, first: int) -> Block:
        """Count the entry, of a thread that has cycles; the block in which that is."""
        text = self._text
        rest = split_block(self.function, head, first, taken=self.taken)
        counted, none = Block(self._new("entered")), Block(self._new("none"))
        here, is_some = self._new("here"), self._new("is")
        head.instructions[-1:] = [
            text(f"load ptr, {self.slot}", here),
            text(f"icmp ne ptr {here}, null", is_some),
            text(f"br i1 {is_some}, label {counted.name}, label {none.name}, !prof !{self.likely}"),
        ]
        none.instructions = [
            text(f"call preserve_mostcc void @{THREAD_OF_CYCLES}()"),
            text(f"br label {counted.name}"),
        ]
        counted.instructions = [*self._changed(0, "add"), text(f"br label {rest.name}")]
        self.function.blocks.insert(self.function.blocks.index(rest), counted)
        self.function.blocks.append(none)
        return counted

    def _put(self, block: Block, point: _Point, known: str = "") -> None:
        """Let an interval end or begin. The block is split there: it keeps its first part."""
        text = self._text
        rest = split_block(self.function, block, point.at, taken=self.taken)
        rare = Block(self._new("rare"))
        del block.instructions[-1]
        is_usual = self._new("is")
        if point.is_end:
            here, measured = self._new("here"), self._new("measured")
            block.instructions += [
                text(f"load ptr, {self.slot}", here),
                text(f"load i64, ptr {here}", measured),
                text(f"icmp ne i64 {measured}, {self.number + 1}", is_usual),
            ]
        else:
            if point.elsewhere:
                block.instructions.append(text(f"call preserve_mostcc void @{THREAD_OF_CYCLES}()"))
            if point.again:
                here = self._new("here")
                block.instructions += [text(f"load ptr, {self.slot}", here), text(f"store i64 0, ptr {here}")]
            counting = self._changed(_WAIT, "sub", known)
            changed = counting[-2].result
            block.instructions += [*counting, text(f"icmp sge i64 {changed}, 0", is_usual)]
        block.instructions.append(text(f"br i1 {is_usual}, label {rest.name}, label {rare.name}, !prof !{self.likely}"))
        called = END if point.is_end else BEGIN
        rare.instructions = [
            text(f"call preserve_mostcc void @{called}(i32 {self.number})"),
            text(f"br label {rest.name}"),
        ]
        self.function.blocks.append(rare)

    def _changed(self, offset: int, operation: str, known: str = "") -> list[Instruction]:
        """Add 1 to a word of the function's cycles, or take 1 from it; the last instruction but one has the result.

        Args:
            known: the value that has the address of the thread's cycles, if there is one.
        """
        here, place, old, new = (self._new(each) for each in ("here", "place", "old", "new"))
        text = self._text
        return [
            *([] if known else [text(f"load ptr, {self.slot}", here)]),
            text(f"getelementptr i8, ptr {known or here}, i64 {FIRST_UNIT + UNIT_BYTES * self.number + offset}", place),
            text(f"load i64, ptr {place}", old),
            text(f"{operation} i64 {old}, 1", new),
            text(f"store i64 {new}, ptr {place}"),
        ]

    def _text(self, text: str, result: str | None = None) -> Instruction:
        return Instruction.from_text(text + self.suffix, result)

    def _new(self, name: str) -> str:
        while True:
            self._names += 1
            found = f"%cycles.{name}{self._names}"
            if found not in self.taken:
                self.taken.add(found)
                return found


def _can_have_probes(module: Module, function: Function) -> bool:
    if not can_have_probes(module, function):
        return False
    return not any(
        each.opcode in _LEFT_OUT or (each.opcode == "call" and any(name in each.pieces[0] for name in _IN_ENTRY_ONLY))
        for each in function.instructions()
    )


def _has_time_of_its_own(call: Instruction) -> bool:
    """Whether a call is of another function, and no part of this one's code."""
    if call.opcode not in CALLS:
        return False
    site = call_site(call)
    return not (site.is_intrinsic or site.is_assembler)


def _without_empty(block: Block, points: list[_Point]) -> list[_Point]:
    """Leave out intervals in which nothing costs anything."""
    kept: list[_Point] = []
    for each in [*points, *_given_up(block)]:
        begun = kept[-1] if kept and not kept[-1].is_end else None
        if each.is_end and begun is not None and not (begun.again or begun.elsewhere):
            between = block.instructions[begun.at : each.at]
            if not any(instruction_cost(one).cycles for one in between):
                kept.pop()
                continue
        kept.append(each)
    return [each for each in kept if each.at < len(block.instructions) - 1 or block.terminator.opcode != "unreachable"]


def _given_up(block: Block) -> list[_Point]:
    """Where the program is given up, as behind a call that does not return."""
    is_so = block.terminator.opcode == "unreachable"
    return [_Point(len(block.instructions) - 1, is_end=True)] if is_so else []
