"""Computing once what is computed twice."""

import re
from dataclasses import dataclass
from typing import ClassVar

from sonde.ir import Function, Instruction, Module, flags_of, is_pure
from sonde.ir.analyses import ControlFlow, dominators
from sonde.ir.edits import replace_many_uses
from sonde.passes.change_log import ChangeLog
from sonde.passes.poison_flags import keep_common_flags, without_flags
from sonde.passes.purity import has_attachments
from sonde.passes.removal import remove_instructions
from sonde.passes.transformation import option

_LOCATION = re.compile(r", !dbg ![0-9]+")
_COMMUTATIVE = ("add ", "mul ", "and ", "or ", "xor ", "fadd ", "fmul ", "icmp eq ", "icmp ne ")


@dataclass(frozen=True, slots=True)
class EliminateCommonSubexpressions:
    """Let an instruction's value stand for that of every equal one that it dominates.

    Guarantee: the program does the same; what is kept promises no more (`nsw` and its like) than all that it stands
        for.
    Cost: O(instructions + blocks * depth of the dominator tree).
    Source: the scoped hash table of LLVM's EarlyCSE.
    Differs: loads and calls are left alone.
    """

    name: ClassVar[str] = "eliminate-common-subexpressions"
    about: ClassVar[str] = "compute once what is computed again where it is known already"

    commute: bool = option(True, "take a + b and b + a for equal")

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:  # noqa: ARG002 - of the protocol
        flow = ControlFlow.of(function)
        tree = dominators(flow)
        children: list[list[int]] = [[] for _ in flow.names]
        for number in flow.order[1:]:
            children[tree.parent[number]].append(number)
        known: dict[str, Instruction] = {}
        replaced: dict[str, str] = {}
        # A number enters a block; what is undone on leaving it waits below.
        waiting: list[int | list[str]] = [flow.order[0]]
        while waiting:
            next_ = waiting.pop()
            if isinstance(next_, list):
                for key in next_:
                    del known[key]
                continue
            added: list[str] = []
            for instruction in function.blocks[next_].instructions:
                instruction.replace_uses(replaced)
                if not is_pure(instruction) or has_attachments(instruction):
                    continue
                assert instruction.result is not None
                key = self._key(instruction)
                leader = known.get(key)
                if leader is None:
                    known[key] = instruction
                    added.append(key)
                    continue
                assert leader.result is not None
                if keep_common_flags(leader, instruction):
                    log.add(function.name, "changed", leader.result, leader.text.partition(", !")[0])
                replaced[instruction.result] = leader.result
                log.add(function.name, "replaced", instruction.result, leader.result)
            waiting.append(added)
            waiting += reversed(children[next_])
        replace_many_uses(function, replaced)
        remove_instructions(function, set(replaced))

    def _key(self, instruction: Instruction) -> str:
        """The same text for what computes the same."""
        text = without_flags(_LOCATION.sub("", instruction.text), flags_of(instruction))
        # Vectors and constant expressions have spaces and commas of their own: those are compared as they stand.
        if not self.commute or not text.startswith(_COMMUTATIVE) or any(each in text for each in '<("'):
            return text
        head, _, right = text.rpartition(", ")
        start, _, left = head.rpartition(" ")
        return f"{start} {', '.join(sorted((left, right)))}"
