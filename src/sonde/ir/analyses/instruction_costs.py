"""What an instruction is expected to cost: a table of kinds of opcodes, not the machine's own answer."""

from typing import NamedTuple

from sonde.ir.instruction import Instruction

_OVERLAP = 4
"""Instructions that wait for others at a time, on average: so much of a latency is hidden. Between 1, where each waits
for the one before it, and the 6 that the processor of the table begins in a cycle."""


class InstructionCost(NamedTuple):
    """Cycles of one instruction.

    Source: LLVM's model of Skylake (`X86SchedSkylakeClient.td`): the latencies of its classes, and the cycles for which
        they keep the ports that they may use. Vector and scalar instructions have the same there.
    """

    latency: float
    """Until its result is there."""
    throughput: float
    """Until another one of its kind can begin."""

    @property
    def cycles(self) -> float:
        """What it is expected to add to the time of the code around it."""
        return max(self.throughput, self.latency / _OVERLAP)


_NOTHING = InstructionCost(0, 0)
_SIMPLE = InstructionCost(1, 0.25)  # WriteALU: ports 0, 1, 5, 6
_SHIFT = InstructionCost(1, 0.5)  # WriteShift: ports 0, 6
_MULTIPLY = InstructionCost(3, 1)  # WriteIMul64Reg: port 1
_DIVIDE = InstructionCost(76, 8)  # WriteDiv64: 8 cycles of port 5
_REAL = InstructionCost(4, 0.5)  # WriteFAdd, WriteFMul, WriteFCmp: ports 0, 1
_REAL_DIVIDE = InstructionCost(14, 4)  # WriteFDiv64: the divider
_ROOT = InstructionCost(18, 6)  # WriteFSqrt64
_LOAD = InstructionCost(5, 0.5)  # WriteLoad: ports 2, 3
_STORE = InstructionCost(1, 1)  # WriteStore: port 4
_JUMP = InstructionCost(1, 0.5)  # WriteJump: ports 0, 6
_ATOMIC = InstructionCost(18, 18)  # a locked WriteCMPXCHGRMW: nothing else begins meanwhile
_CALL = InstructionCost(3, 2)  # a store and a jump, and at its end a load and a jump

_COSTS = {
    **dict.fromkeys(("add", "sub", "and", "or", "xor", "icmp", "select", "zext", "sext", "alloca"), _SIMPLE),
    **dict.fromkeys(("shl", "lshr", "ashr"), _SHIFT),
    "mul": _MULTIPLY,
    **dict.fromkeys(("sdiv", "udiv", "srem", "urem"), _DIVIDE),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fcmp"), _REAL),
    **dict.fromkeys(("fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"), _REAL),
    **dict.fromkeys(("fdiv", "frem"), _REAL_DIVIDE),
    **dict.fromkeys(("fneg", "extractelement", "insertelement", "shufflevector"), _SIMPLE),
    "load": _LOAD,
    "store": _STORE,
    **dict.fromkeys(("atomicrmw", "cmpxchg", "fence"), _ATOMIC),
    **dict.fromkeys(("br", "switch", "indirectbr", "ret", "resume"), _JUMP),
    **dict.fromkeys(("call", "invoke", "callbr"), _CALL),
}
"""What is not in it becomes no instruction, or part of another: phis, casts of the same bits, addresses."""
_INTRINSICS = {
    "@llvm.sqrt.": _ROOT,
    **dict.fromkeys(("@llvm.fma.", "@llvm.fmuladd.", "@llvm.minnum.", "@llvm.maxnum."), _REAL),
    **dict.fromkeys(("@llvm.floor.", "@llvm.ceil.", "@llvm.trunc.", "@llvm.rint.", "@llvm.round"), _REAL),
    **dict.fromkeys(("@llvm.ctpop.", "@llvm.ctlz.", "@llvm.cttz."), _MULTIPLY),
    **dict.fromkeys(("@llvm.memcpy.", "@llvm.memmove.", "@llvm.memset."), _CALL),
    **dict.fromkeys(("@llvm.masked.load.", "@llvm.vp.load."), _LOAD),
    **dict.fromkeys(("@llvm.masked.store.", "@llvm.vp.store."), _STORE),
    **dict.fromkeys(
        ("@llvm.dbg.", "@llvm.lifetime.", "@llvm.assume", "@llvm.experimental.noalias", "@llvm.expect.",
         "@llvm.annotation", "@llvm.invariant.", "@llvm.sideeffect", "@llvm.eh."), _NOTHING
    ),
}  # fmt: skip
"""By how their names begin; others are simple."""


def instruction_cost(instruction: Instruction) -> InstructionCost:
    """The cost of an instruction, without that of what it calls.

    >>> instruction_cost(Instruction.from_text("mul i64 %a, %b", "%c")).cycles
    1
    """
    if instruction.opcode == "getelementptr":
        # Constant distances are part of loads and stores.
        return _NOTHING if len(list(instruction.uses())) < 2 else _SIMPLE
    if instruction.opcode == "call" and (at := instruction.pieces[0].find("@llvm.")) >= 0:
        name = instruction.pieces[0][at:]
        return next((cost for begin, cost in _INTRINSICS.items() if name.startswith(begin)), _SIMPLE)
    if instruction.opcode == "br" and len(instruction.successors()) == 1:
        return _NOTHING  # most blocks lie behind the one that leads to them
    return _COSTS.get(instruction.opcode, _NOTHING)
