"""A count in memory and its check as two instructions of x86-64, in the last step before machine code.

IR loads the count, adds one, stores it and compares it: as these are atomic, LLVM makes four instructions of them.

    incq 16(%cell)
    jns  %osr.fire
"""

import re

from sonde.ir import Block, Function, Instruction
from sonde.osr.new_names import new_name

_WORD = r"getelementptr [a-z ]*\((?:i64, ptr {0}, i64 2|i8, ptr {0}, i64 16)\)".format(r"@sonde\.osr\.cell\.[0-9]+")
_LOADS = re.compile(rf"load atomic i64, ptr ({_WORD}) monotonic, ")
_ADDS = re.compile(r"add i64 (%\S+), 1(?:, !.*)?")
_STORES = re.compile(rf"store atomic i64 (%\S+), ptr ({_WORD}) monotonic, .*")
_IS_REACHED = re.compile(r"icmp (?:sge i64 (?:%\S+), 0|sgt i64 (?:%\S+), -1)(?:, !.*)?")


def count_in_memory(function: Function, taken: set[str]) -> None:
    """Let each count be one instruction, whose sign is what is checked.

    What passes changed so that it looks otherwise stays as it is.
    """
    for block in function.blocks:
        for at in range(len(block.instructions) - 3, -1, -1):
            if block.instructions[at].opcode == "load" and _LOADS.match(block.instructions[at].pieces[0]):
                _count(function, block, at, taken)


def _count(function: Function, block: Block, at: int, taken: set[str]) -> None:
    load, add, store = block.instructions[at : at + 3]
    loads, adds, stores = _LOADS.match(load.text), _ADDS.fullmatch(add.text), _STORES.fullmatch(store.text)
    if not (loads and adds and stores) or adds[1] != load.result or stores.groups() != (add.result, loads[1]):
        return
    if _users(function, load) != [add]:
        return
    checks = [each for each in _users(function, add) if each is not store]
    if not all(_IS_REACHED.fullmatch(each.text) for each in checks) or _is_recorded(function, load, add):
        return
    sign = new_name("%osr.reached", taken)
    operand = f"ptr elementtype(i64) {loads[1]}"
    counting = Instruction(sign, "call", [
        'call i8 asm sideeffect "incq $1", "={@ccns},=*m,*m,~{dirflag},~{fpsr},~{flags}"'
        f"({operand}, {operand}) nounwind"
    ], load.records + add.records + store.records)  # fmt: skip
    counting.location = load.location
    for each in checks:
        each.pieces[:] = ["icmp ne i8 ", sign, ", 0"]
    block.instructions[at : at + 3] = [counting]


def _users(function: Function, value: Instruction) -> list[Instruction]:
    return [each for each in function.instructions() if value.result in {*each.uses()}]


def _is_recorded(function: Function, *values: Instruction) -> bool:
    """Whether a debugger is told of a value."""
    names = {each.result for each in values}
    return any(
        piece in names for each in function.instructions() for record in each.records for piece in record.pieces[1::2]
    )
