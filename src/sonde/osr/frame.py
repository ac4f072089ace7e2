"""What of a function's frame a continuation may still need: then the frame must live on under the continuation's."""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Self

from sonde.ir import CALLS, Function, Instruction, Module, call_site
from sonde.osr.refusals import Refused

_IN_MEMORY = re.compile(r"\b(?:byval|inalloca|preallocated|byref)\(")
_DERIVED = ("getelementptr", "phi", "select", "bitcast", "addrspacecast", "freeze")
_HARMLESS = (
    "@llvm.lifetime.",
    "@llvm.memset.",
    "@llvm.memcpy.",
    "@llvm.memmove.",
    "@llvm.stackrestore",
    "@llvm.assume",
)
_OF_THE_FRAME = ("@llvm.frameaddress", "@llvm.returnaddress", "@llvm.addressofreturnaddress", "@llvm.sponentry",
                 "@llvm.localescape", "@llvm.localrecover", "@llvm.gcroot", "@llvm.eh.sjlj.", "@llvm.eh.dwarf",
                 "@llvm.experimental.deoptimize", "@llvm.experimental.stackmap", "@llvm.experimental.patchpoint",
                 "@llvm.gc.")  # fmt: skip
"""These speak of the frame they run in."""


@dataclass(frozen=True, slots=True)
class FrameUse:
    """What of a function's frame its continuations may look into, wherever it is left."""

    is_always_needed: bool
    slots: frozenset[str]
    """Of the stack."""

    @classmethod
    def of(cls, module: Module, function: Function) -> Self:
        """Find out. Conservative: a call may keep the address of a slot that it is given.

        Cost: some walks over the function.
        """
        slots = frozenset(each.result for each in function.instructions() if each.opcode == "alloca" and each.result)
        return cls(
            function.signature.is_varargs
            or any(_IN_MEMORY.search(each.attributes) for each in function.parameters)
            or may_be_returned_into(module, function)
            or (bool(slots) and _escapes(function, slots)),
            slots,
        )

    def is_needed(self, passed: Iterable[str]) -> bool:
        """Whether the frame must live on under a continuation that these values are handed over to: a tail call would
        have taken it down.

        That is so if it is given the address of a stack slot, or such an address is kept somewhere where it may find
        it; and if the caller's argument area holds something (`byval`, variable arguments); and if control may come
        back.
        """
        return self.is_always_needed or not self.slots.isdisjoint(passed)


def check_frame(function: Function, *, is_target: bool) -> None:
    """Refuse what cannot go on in another frame.

    Args:
        is_target: it is a continuation, of which only what can still be reached is there; otherwise the function
            that is left.
    Raises:
        Refused: with the reason.
    """
    for each in function.instructions():
        if each.opcode in CALLS:
            _check_call(function, each, is_target=is_target)
        if each.opcode == "callbr":
            raise Refused("indirect branch", f"{function.name} has assembler text that jumps to its blocks")


def may_be_returned_into(module: Module, function: Function) -> bool:
    """Whether it calls `setjmp` or its like: then a later call may lead back into its frame, which must stay.

    What the function has changed since then, other than in memory, is lost in C, whoever changed it.
    """
    groups = {number for number, text in module.attribute_groups.items() if "returns_twice" in text}
    if not groups:
        return False
    twice = {
        name
        for name, each in module.functions.items()
        if "#" in each.signature.suffix and not groups.isdisjoint(_groups_in(each.signature.suffix))
    }
    return any(each.opcode in CALLS and _may_return_twice(each, twice, groups) for each in function.instructions())


def _groups_in(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"#([0-9]+)", text)}


def _may_return_twice(call: Instruction, twice: set[str], groups: set[int]) -> bool:
    return call_site(call).callee in twice or not groups.isdisjoint(_groups_in(call.pieces[-1]))


def _check_call(function: Function, call: Instruction, *, is_target: bool) -> None:
    head = call.pieces[0]
    if call.opcode == "callbr":
        raise Refused("indirect branch", f"{function.name} has assembler text that jumps to its blocks")
    if head.startswith("musttail ") and is_target:
        raise Refused("musttail", f"{function.name} goes on to '{call}', whose caller must have its own parameters")
    if "@llvm.coro." in head:
        raise Refused("coroutine", f"{function.name} is a coroutine that was not split yet: '{call}'")
    if is_target and "@llvm.va_start" in head:
        raise Refused("variable arguments", f"{function.name} goes on to '{call}', which reads its caller's arguments")
    if is_target and any(each in head for each in _OF_THE_FRAME):
        raise Refused("frame address", f"{function.name} goes on to '{call}', which asks for its own frame")


def _escapes(function: Function, slots: Set[str]) -> bool:
    """Whether the address of a stack slot may be kept anywhere."""
    pointers = set(slots)
    waiting = [each for each in function.instructions() if each.opcode in _DERIVED]
    is_growing = True
    while is_growing:
        before, rest = len(pointers), []
        for each in waiting:
            if each.result is None or pointers.isdisjoint(each.uses()):
                rest.append(each)
            else:
                pointers.add(each.result)
        waiting, is_growing = rest, len(pointers) > before
    return any(_keeps(each, pointers) for each in function.instructions())


def _keeps(instruction: Instruction, pointers: set[str]) -> bool:
    if pointers.isdisjoint(instruction.uses()):
        return False
    if instruction.opcode in CALLS:
        if any(each in instruction.pieces[0] for each in _HARMLESS):
            return False
        site = call_site(instruction)
        return any(each.value in pointers for each in site.arguments)
    if instruction.opcode == "store":
        return instruction.pieces[1] in pointers and ", ptr" in instruction.pieces[2]
    return instruction.opcode not in (*_DERIVED, "load", "icmp")
