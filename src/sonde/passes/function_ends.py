"""Where functions end, for passes that put something there."""

import re
from collections.abc import Sequence

from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.edits import last_insertion_point

SWITCHES_STACKS = re.compile(r"@(?:swapcontext|jump_fcontext|ontop_fcontext)\(")
"""Calls that return when something has come back from another stack."""
GROUP = re.compile(r"#([0-9]+)")
"""A group of attributes, where one is named."""
_NO_CODE = re.compile(r"(?:tail )?call void @llvm\.(?:assume|lifetime\.end|experimental\.noalias\.scope\.decl|dbg\.)")
"""What may stand between such a call and the return."""


def ends_of(module: Module, function: Function, *, may_jump: bool) -> list[tuple[Block, Instruction]]:
    """The blocks where a function ends, each with the instruction before which it does the last that it does itself.

    Args:
        may_jump: whether it is known which calls may take the function's place on the stack: what is called so last is
            behind the end. Only after the optimiser.
    """
    may_jump = may_jump and 'disable-tail-calls"="true' not in _attributes(module, function)
    found = []
    for block in function.blocks:
        match block.terminator.opcode:
            case "resume":
                found.append((block, block.terminator))
            case "ret":
                at = last_insertion_point(block)
                if may_jump and block.instructions[at] is block.terminator:
                    at = _last_jump(block.instructions, at)
                found.append((block, block.instructions[at]))
    return found


def can_be_changed(module: Module, function: Function) -> bool:
    """Whether code may be added to a function, and is compiled from it."""
    prefix = function.signature.prefix
    return "available_externally" not in prefix and " naked " not in f" {_attributes(module, function)} "


def _attributes(module: Module, function: Function) -> str:
    suffix = function.signature.suffix
    groups = (module.attribute_groups.get(int(group), "") for group in GROUP.findall(suffix))
    return " ".join((suffix, *groups))


def _last_jump(instructions: Sequence[Instruction], end: int) -> int:
    """Index of a call that the function may end by a jump to; `end`, where nothing more is done, if there is none."""
    at, returned = end, list(instructions[end].uses())
    while at and _NO_CODE.match(instructions[at - 1].text):
        at -= 1
    if not at or not _may_be_jumped_to(instructions[at - 1]):
        return end
    is_result = returned == [instructions[at - 1].result] if returned else instructions[end].text.startswith("ret void")
    return at - 1 if is_result else end


def _may_be_jumped_to(call: Instruction) -> bool:
    text = call.text
    return (
        text.startswith("tail call ")
        and "@llvm." not in text.partition("(")[0]
        and " asm " not in text
        and SWITCHES_STACKS.search(text) is None
    )
