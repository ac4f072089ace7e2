"""The last step before a function with points becomes machine code of x86-64: what makes checks cheap.

IR checks a flag by a load, which passes and people understand. Here it becomes an instruction of one byte, `clc`, that
clears the processor's carry flag, and a jump if it is set; a flag that is raised changes the byte to `stc`, see
`flag_switches`. A table, a section of its own, says where the bytes are: each copy of the check enters itself.

    1: clc                      1: stc
       jb   %osr.fire              jb   %osr.fire

A count in memory becomes one instruction, see `counts_in_memory`. And a loop that waits for its own floating-point
numbers begins with the first operation on them, and checks then.
"""

import platform
import re

from sonde.ir import Block, Function, Instruction, Module, parse_module, print_module
from sonde.ir.analyses import ControlFlow, dominators
from sonde.osr.counts_in_memory import count_in_memory
from sonde.osr.new_names import new_name

TABLE, TABLE_END = "sonde.flags", "sonde.flags.end"
"""Symbols at the beginning and at the end of the table."""

_SECTION = r".pushsection .sonde.flags,\22a\22,@progbits"
_CELL = "@sonde.osr.cell."
_AT_FLAG = r"(?:i64, ptr (?P<a>{0}), i64 1|i8, ptr (?P<b>{0}), i64 8)".format(r"@sonde\.osr\.cell\.[0-9]+")
_READS_FLAG = re.compile(rf"load atomic i64, ptr getelementptr [a-z ]*\({_AT_FLAG}\) monotonic")
_FLOATING = re.compile(r"(?:fadd|fsub|fmul) (?:[a-z]+ )*(float|double) ")
_CHECK = "%osr."
"""Names of values and blocks of checks begin so."""


def last_step(module: Module, *, has_switches: bool) -> Module:
    """The module with cheap checks, or itself where it has none.

    Args:
        has_switches: whether `FlagSwitches` watches what is loaded; without, flags stay loads.
    """
    if platform.machine() != "x86_64" or not any(name.startswith(_CELL) for name in module.globals):
        return module
    if not any(_is_checked(block) for function in module.defined_functions() for block in function.blocks):
        return module
    made = parse_module(print_module(module))
    has_flags = False
    for function in made.defined_functions():
        taken = function.local_names()
        for block in function.blocks:
            if has_switches:
                has_flags |= _switch_by_code(block, taken)
        count_in_memory(function, taken)
        _begin_with_floating(function)
    if has_flags:
        lines = [_SECTION, f".globl {TABLE}", f"{TABLE}:", ".subsection 1", f".globl {TABLE_END}", f"{TABLE_END}:"]
        made.header += [f'module asm "{line}"' for line in [*lines, ".popsection"]]
    return made


def _is_checked(block: Block) -> bool:
    """Whether a check ends it, or a flag is read in it."""
    return _ends_with_check(block) or any(
        each.opcode == "load" and _READS_FLAG.match(each.pieces[0]) for each in block.instructions
    )


def _ends_with_check(block: Block) -> bool:
    end = block.terminator
    return end.pieces[0] == "br i1 " and end.pieces[1].startswith(_CHECK)


def _switch_by_code(block: Block, taken: set[str]) -> bool:
    """Make bytes of code of the loads of flags; returns whether there were any."""
    found = False
    for at, each in enumerate(block.instructions):
        match = _READS_FLAG.match(each.pieces[0]) if each.opcode == "load" else None
        if match is None:
            continue
        cell = (match["a"] or match["b"])[1:]
        lines = ["1:", "clc # stc while the flag is raised", _SECTION, ".long 1b - .", f".quad {cell}", ".popsection"]
        carry = new_name("%osr.carry", taken)
        text = r"\0A".join(lines)
        switch = Instruction(carry, "call", [
            f'call i8 asm sideeffect "{text}", "={{@ccc}},~{{dirflag}},~{{fpsr}},~{{flags}}"() nounwind'
        ], each.records)  # fmt: skip
        switch.location = each.location
        block.instructions[at : at + 1] = [switch, Instruction(each.result, "zext", ["zext i8 ", carry, " to i64"])]
        found = True
    return found


def _begin_with_floating(function: Function) -> None:
    """Put checks behind the first operation of what follows, where it is one on floating-point numbers.

    That operation has no effect but its value. In a loop whose iterations wait for one another's numbers, one
    instruction before it is seen (1.04 of the time in mandelbrot), behind it none is.
    """
    checks = [(block, rest) for block in function.blocks if (rest := _rest_after_check(function, block))]
    order = dominators(ControlFlow.of(function)) if checks else None
    for block, rest in checks:
        if order is None or not order.strictly_dominates(block.name, rest.name):
            continue
        first = rest.instructions[0]
        match = _FLOATING.match(first.pieces[0])
        if match is None or first.result is None:
            continue
        at = _beginning_of_check(block)
        if {each.result for each in block.instructions[at:]} & {*first.uses()}:
            continue
        # Assembler text of no instructions that says that it reads the value: it keeps the order.
        wait = Instruction(None, "call", [f'call void asm sideeffect "", "x"({match[1]} ', first.result, ") nounwind"])
        wait.location = first.location
        del rest.instructions[0]
        block.instructions[at:at] = [first, wait]


def _rest_after_check(function: Function, block: Block) -> Block | None:
    """Where a function goes on when a check does not hold; None: the block ends with no check."""
    if not _ends_with_check(block):
        return None
    fire, *rest = sorted(
        set(block.successors()), key=lambda name: not name.startswith((f"{_CHECK}fire", f"{_CHECK}look"))
    )
    return function.block(rest[0]) if rest and fire.startswith(_CHECK) else None


def _beginning_of_check(block: Block) -> int:
    """Index of the first instruction of the check that ends a block."""
    at = len(block.instructions) - 1
    while at > block.first_after_phis() and (block.instructions[at - 1].result or "").startswith(_CHECK):
        at -= 1
    return at
