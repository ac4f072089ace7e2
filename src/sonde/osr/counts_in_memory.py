"""A count in memory and its check as two instructions of x86-64, in the last step before machine code.

IR loads the count, adds one, stores it and compares it: as these are atomic, LLVM makes four instructions of them.

    incq 16(%cell)
    jns  %osr.fire
"""

import re

from sonde.ir import Block, Function, Instruction
from sonde.ir.analyses import DefUse
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
    found = [
        (block, at)
        for block in function.blocks
        for at in range(len(block.instructions) - 3, -1, -1)
        if block.instructions[at].opcode == "load" and _LOADS.match(block.instructions[at].pieces[0])
    ]
    if not found:
        return
    chains = DefUse.of(function)  # what one count changes is of no other
    for block, at in found:
        _count(chains, block, at, taken)


def _count(chains: DefUse, block: Block, at: int, taken: set[str]) -> None:
    load, add, store = block.instructions[at : at + 3]
    loads, adds, stores = _LOADS.match(load.text), _ADDS.fullmatch(add.text), _STORES.fullmatch(store.text)
    if not (loads and adds and stores) or adds[1] != load.result or stores.groups() != (add.result, loads[1]):
        return
    before, after = adds[1], stores[1]
    if chains.users(before) != [add] or chains.record_uses(before) or chains.record_uses(after):
        return
    checks = [each for each in chains.users(after) if each is not store]
    if not all(_IS_REACHED.fullmatch(each.text) for each in checks):
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
