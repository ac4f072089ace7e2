"""Calls that do not return once, and where functions end: what probes of all kinds must know."""

import re
from collections.abc import Sequence

from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.edits import last_insertion_point

_RETURNS_TWICE = re.compile(r'@"?(?:\\01)?_*(?:sig)?setjmp|@v?fork\(|@getcontext\(')
_SWITCHES_STACKS = re.compile(r"@(?:swapcontext|jump_fcontext|ontop_fcontext)\(")
"""What runs on another stack before these return has written its own contexts."""
_NO_CODE = re.compile(r"(?:tail )?call void @llvm\.(?:assume|lifetime\.end|experimental\.noalias\.scope\.decl|dbg\.)")
"""What may stand between such a call and the return."""
_MEMORY = re.compile(r"\bmemory\([^)]*\) ?|\bspeculatable ?")
_GROUP = re.compile(r"#([0-9]+)")


def can_have_probes(module: Module, function: Function) -> bool:
    """Whether a function that a module defines becomes code of its own, with an entry like others."""
    prefix = function.signature.prefix
    return "available_externally" not in prefix and " naked " not in f" {attributes_of(module, function)} "


def attributes_of(module: Module, function: Function) -> str:
    """The attributes of a function, those of its groups among them."""
    suffix = function.signature.suffix
    groups = (module.attribute_groups.get(int(group), "") for group in _GROUP.findall(suffix))
    return " ".join((suffix, *groups))


def forget_promises(module: Module) -> None:
    """Take back what attributes say of memory: what has probes writes to it, whatever it did before."""
    for group, text in module.attribute_groups.items():
        module.attribute_groups[group] = _MEMORY.sub("", text)


def returns_twice(module: Module, call: Instruction) -> bool:
    """Whether a call may return once more after it has returned."""
    text = call.text
    return bool(_RETURNS_TWICE.search(text)) or any(
        "returns_twice" in module.attribute_groups.get(int(group), "") for group in _GROUP.findall(text)
    )


def switches_stacks(call: Instruction) -> bool:
    """Whether a call returns on the stack that it left, but only after code on another one has run."""
    return _SWITCHES_STACKS.search(call.text) is not None


def end_points(module: Module, function: Function, *, is_late: bool) -> list[tuple[Block, Instruction]]:
    """Where a function ends, but for exceptions of what it calls: before these instructions.

    Args:
        is_late: LLVM's passes have run. What the function may then end by a jump to is called after its end.
    """
    may_jump = is_late and 'disable-tail-calls"="true' not in attributes_of(module, function)
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
        and not switches_stacks(call)
    )
