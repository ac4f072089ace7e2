"""Which functions LLVM is offered for inlining: their bodies are given to it along with their callers."""

import re

from sonde.ir import CALLS, Function, Module, call_site

INLINABLE_INSTRUCTIONS = 200
"""Functions up to this size, before optimisation, may be inlined into others: LLVM refuses larger ones anyway (its
limit is a cost of 225 after simplification), and every candidate costs time."""


def inlinable_into(module: Module, body: Function) -> list[str]:
    """The functions that may be inlined into a body: suitable ones that it calls, directly or through one another."""
    found: list[str] = []
    waiting = [body]
    while waiting:
        for instruction in waiting.pop().instructions():
            if instruction.opcode not in CALLS:
                continue
            callee = module.functions.get(call_site(instruction).callee)
            if callee is not None and callee.name not in found and may_be_inlined(module, callee):
                found.append(callee.name)
                waiting.append(callee)
    return [name for name in found if name != body.name]


def may_be_inlined(module: Module, function: Function) -> bool:
    """Whether LLVM might, or must, inline it: not what is large, and not what jumps to addresses of its blocks."""
    if not function.blocks or any(block.terminator.opcode in ("indirectbr", "callbr") for block in function.blocks):
        return False
    size = sum(len(block.instructions) for block in function.blocks)
    return size <= INLINABLE_INSTRUCTIONS or must_be_inlined(module, function)


def must_be_inlined(module: Module, function: Function) -> bool:
    """Whether it is marked `alwaysinline`: nothing else may define it."""
    groups = re.findall(r"#([0-9]+)", function.signature.suffix)
    return any("alwaysinline" in module.attribute_groups.get(int(group), "") for group in groups)
