"""Probes at calls: each function finds and counts its calling context when it begins, and gives it back when it ends.

The fast path is in the function itself: look for the context in the thread's cache, make it the current one, count.
What is called where it is not there, and the layout of a context, are in native/probes/probes.h and
native/core/contexts/context_tree.h.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.ir import (
    Block,
    Function,
    Instruction,
    Module,
    SourceFunction,
    source_function,
    source_functions,
)
from sonde.ir.edits import split_block
from sonde.ir.names import unquoted
from sonde.passes.burst_switch import FUNCTION, PARENT, SWITCH, BurstSwitch
from sonde.passes.calls_and_returns import (
    can_have_probes,
    end_points,
    forget_promises,
    returns_twice,
    switches_stacks,
)

ENTER, ENTER_LINKED = "sn_probes_enter", "sn_probes_enter_linked"
"""What the code calls for a context that is not in the cache: of a program whose functions are all numbered, and of an
object file (`native/probes/probes.h`)."""

_HERE, _OBJECT = "sn_probes_here", "sonde.object"
_NO_NUMBERS = -(1 << 31)
"""`SN_PROBES_NO_NUMBERS`."""
_CALLS = 32
"""Offset in a context, in bytes."""
_PLACES = 0x1FF8
"""Bits that choose a place of a thread's cache of contexts (`sn_probes_place`)."""
_LIKELY = '!{!"branch_weights", i32 1048575, i32 1}'
_NAMES = "%sonde."


@dataclass(frozen=True, slots=True)
class CallProbes:
    """Put probes at calls into all functions that a module defines.

    Late probes see the functions that are left when the optimiser is done, and the place of each call; early ones all
    functions that the source has, and cost what they keep the optimiser from doing.

    Cost: for a call whose context is in the thread's cache, 9 loads and stores and 3 branches that are foreseen.
    Source: D'Elia, PhD thesis, section 5.1.1.
    Differs: a cache by context and return address in place of the child used last, which programs that call one
    function after the other from a loop seldom want again. The caller's context is kept as a value over the function
    and written back from there, so that exceptions and `longjmp` lose nothing. What a function calls as the last thing
    that it does, and that takes its place on the stack, hangs below the function's caller.

    >>> from sonde.ir import parse_module
    >>> module = parse_module('define void @f() {\\n  ret void\\n}')
    >>> CallProbes(thread_offset=-8).insert(module)
    ['@f']
    >>> [each.opcode for each in module.functions["@f"].entry.instructions][:3]
    ['load', 'call', 'ptrtoint']
    """

    thread_offset: int | None
    """Where a thread has its context, in bytes from the thread pointer (`sn_probes_offset`). None: a linker will say,
    as the module becomes an object file, whose functions get their numbers when it runs (`sn_probes_object`)."""
    when: Literal["late", "early"] = "late"
    """Whether LLVM's passes have run on the module, or are still to run."""
    sites: bool = True
    """Of late ones: whether calls of one function from different places of another one have contexts of their own."""
    switch: int | Literal["linked"] | None = None
    """Of late ones: where the word is that switches them, for bursts; a linker will say. None: they are always on."""

    def insert(self, module: Module, numbers: Mapping[str, int] | None = None) -> list[str]:
        """Change the module in place.

        Args:
            numbers: of the functions that are to have probes, by their names, with sigil; None: all, numbered from 0.
        Returns: names of the functions with probes, with sigil; of all, by their numbers.
        Guarantee: what the program does stays the same, but for time and memory.
        """
        found = [
            each
            for each in module.defined_functions()
            if (numbers is None or each.name in numbers) and can_have_probes(module, each)
        ]
        if not found:
            return []
        module.declare("ptr @llvm.returnaddress(i32)")
        likely = module.add_metadata(_LIKELY)
        is_linked = self.thread_offset is None
        word, described = f"ptr inttoptr (i64 {self.switch} to ptr)", ""
        if self.switch is not None:
            BurstSwitch.declare(module)
        if self.thread_offset is None:
            slot, cache, burst = _declare_linked(module, found)
            if self.switch is not None:
                module.add_global(f"@{SWITCH}", "external global i32, align 4096")
                word, described = f"ptr @{SWITCH}", f"@{_OBJECT}"
        else:
            module.declare(f"preserve_mostcc ptr @{ENTER}(ptr, i32, ptr) cold nounwind")
            slot, cache, burst = (thread_word(self.thread_offset + word) for word in (0, 8, 16))
        for place, function in enumerate(found):
            number = place if numbers is None else numbers[function.name]
            words, switch = (slot, cache), None
            if self.switch is not None:
                switch = BurstSwitch(function, number, word, slot, burst, likely, described)
            _Insertion(
                module, function, number, *words, likely, self.when == "late", is_linked, self.sites, switch
            ).insert()
        if self.when == "early":
            forget_promises(module)
        return [each.name for each in found]


def thread_word(offset: int) -> str:
    """A word of the thread that runs, so many bytes from its thread pointer, as an operand."""
    return f"ptr addrspace(257) inttoptr (i64 {offset} to ptr addrspace(257))"


@dataclass(frozen=True, slots=True)
class _Insertion:
    """Probes into one function."""

    module: Module
    function: Function
    number: int
    slot: str
    """Where a thread has its context."""
    cache: str
    """Where it has the address of its cache of contexts."""
    likely: int
    """Metadata of branches that are nearly always taken."""
    is_late: bool
    is_linked: bool
    """Whether the function's number is known when it runs only."""
    has_sites: bool
    switch: BurstSwitch | None

    def insert(self) -> None:
        function = self.function
        head = function.entry
        first = next(at for at, each in enumerate(head.instructions) if each.opcode != "alloca")
        ends = end_points(self.module, function, is_late=self.is_late)
        rest = split_block(function, head, first)
        self._put_entry(head, rest)
        ends = [(rest if block is head else block, before) for block, before in ends]
        if self.switch is not None:
            self.switch.insert(ends, head, rest)
        else:
            for block, before in ends:
                self._put_end(block, before)
        for block in function.blocks:
            self._put_again(block)

    def _put_entry(self, head: Block, rest: Block) -> None:
        text = Instruction.from_text
        slow, found = Block(_NAMES + "slow"), Block(_NAMES + "found")
        near = [Block(f"{_NAMES}near{number}") for number in range(2)]
        caller, node, child, site = (_NAMES + name for name in ("caller", "context", "child", "site"))

        def named(name: str, body: str) -> Instruction:
            return text(body, _NAMES + name)

        if self.is_late and self.has_sites:
            address = site
            of_site = [text("call ptr @llvm.returnaddress(i32 0)", site), named("low", f"ptrtoint ptr {site} to i32")]
        else:  # before it is inlined, it is not known where it will return to
            address = "null"
            of_site = [named("low", "add i32 0, 0")]
        number, enter, of_object = _NAMES + "function", ENTER, list[Instruction]()
        arguments = f"ptr {caller}, i32 {self.number}, ptr {address}"
        if self.is_linked:
            number, enter, arguments = _NAMES + "number", ENTER_LINKED, f"{arguments}, ptr @{_OBJECT}"
            of_object = [
                named("first", f"load i32, ptr @{_OBJECT}"),
                named("number", f"sub i32 {_NAMES}function, {_NAMES}first"),
            ]
        head.instructions[-1:] = [
            text(f"load ptr, {self.slot}", caller),
            *of_site,
            named("caller.low", f"ptrtoint ptr {caller} to i32"),
            named("mixed", f"xor i32 {caller}.low, {_NAMES}low"),
            named("place", f"and i32 {_NAMES}mixed, {_PLACES}"),
            named("place.long", f"zext i32 {_NAMES}place to i64"),
            named("cache", f"load ptr, {self.cache}"),
            named("child.at", f"getelementptr i8, ptr {_NAMES}cache, i64 {_NAMES}place.long"),
            text(f"load ptr, ptr {child}.at", child),
            named("site.of", f"load i32, ptr {child}"),
            named("is.site", f"icmp eq i32 {_NAMES}site.of, {_NAMES}low"),
            text(f"br i1 {_NAMES}is.site, label {near[0].name}, label {slow.name}, !prof !{self.likely}"),
        ]
        near[0].instructions = [
            named("function.at", f"getelementptr i8, ptr {child}, i64 {FUNCTION}"),
            named("function", f"load i32, ptr {_NAMES}function.at"),
            *of_object,
            named("is.function", f"icmp eq i32 {number}, {self.number + 1}"),
            text(f"br i1 {_NAMES}is.function, label {near[1].name}, label {slow.name}, !prof !{self.likely}"),
        ]
        near[1].instructions = [
            named("parent.at", f"getelementptr i8, ptr {child}, i64 {PARENT}"),
            named("parent", f"load ptr, ptr {_NAMES}parent.at"),
            named("is.child", f"icmp eq ptr {_NAMES}parent, {caller}"),
            text(f"br i1 {_NAMES}is.child, label {found.name}, label {slow.name}, !prof !{self.likely}"),
        ]
        slow.instructions = [
            text(f"call preserve_mostcc ptr @{enter}({arguments})", f"{node}.slow"),
            text(f"br label {found.name}"),
        ]
        found.instructions = [
            text(f"phi ptr [ {child}, {near[1].name} ], [ {node}.slow, {slow.name} ]", node),
            text(f"store ptr {node}, {self.slot}"),
            named("calls.at", f"getelementptr i8, ptr {node}, i64 {_CALLS}"),
            named("calls", f"load i64, ptr {_NAMES}calls.at"),
            named("calls.more", f"add i64 {_NAMES}calls, 1"),
            text(f"store i64 {_NAMES}calls.more, ptr {_NAMES}calls.at"),
            text(f"br label {rest.name}"),
        ]
        self.function.blocks[1:1] = [near[0], near[1], found]
        self.function.blocks.append(slow)

    def _put_end(self, block: Block, before: Instruction) -> None:
        """Write the caller's context back."""
        at = next(at for at, each in enumerate(block.instructions) if each is before)
        block.instructions.insert(at, Instruction.from_text(f"store ptr {_NAMES}caller, {self.slot}"))

    def _put_again(self, block: Block) -> None:
        """Write the function's context where it may have been left by other ways than returns."""
        store = f"store ptr {_NAMES}context, {self.slot}"
        at = 0
        while at < len(block.instructions):
            each = block.instructions[at]
            if each.opcode == "landingpad" or (
                each.opcode == "call" and (returns_twice(self.module, each) or switches_stacks(each))
            ):
                if self.switch is not None:
                    self.switch.put_again(block, at + 1)
                else:
                    block.instructions.insert(at + 1, Instruction.from_text(store))
            at += 1


def _declare_linked(module: Module, functions: Sequence[Function]) -> tuple[str, str, str]:
    """Declare what an object file needs; where a thread has its context, the address of its cache, and its burst."""
    # Not through a stub, which the dynamic linker would fill at the first call, and not keep registers as is agreed.
    module.declare(f"preserve_mostcc ptr @{ENTER_LINKED}(ptr, i32, ptr, ptr) cold nounwind nonlazybind")
    module.add_global(f"@{_HERE}", "external thread_local(initialexec) global { ptr, ptr, i32, ptr }")
    names = _names(module, functions)
    module.add_global("@sonde.names", f"private unnamed_addr constant [{len(names)} x i8] c{_quoted(names)}")
    module.add_global(
        f"@{_OBJECT}",
        "internal global { i32, i32, i64, ptr } "
        f"{{ i32 {_NO_NUMBERS}, i32 {len(functions)}, i64 {len(names)}, ptr @sonde.names }}, align 8",
    )
    cache, burst = (f"ptr getelementptr (i8, ptr @{_HERE}, i64 {word})" for word in (8, 16))
    return f"ptr @{_HERE}", cache, burst


def _names(module: Module, functions: Sequence[Function]) -> bytes:
    """Lines of symbol, file and line: of functions with probes, by number, and of what else debug information knows."""
    known = [source_function(module, each) or SourceFunction(unquoted(each.name), "", 0) for each in functions]
    seen = {*known}
    others = dict.fromkeys(each for each in source_functions(module) if each.file and each not in seen)
    lines = (f"{each.symbol}\t{each.file}\t{each.line}\n" for each in (*known, *others))
    return "".join(lines).encode("utf-8", "surrogateescape")


def _quoted(text: bytes) -> str:
    plain = {each: chr(each) for each in range(32, 127) if chr(each) not in '"\\'}
    return '"' + "".join(plain.get(each) or f"\\{each:02X}" for each in text) + '"'
