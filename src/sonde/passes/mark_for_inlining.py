"""Inlining at one call site: the mark that LLVM's `always-inline` looks for."""

import re
from dataclasses import dataclass
from typing import ClassVar

from sonde.ir import CALLS, Function, Instruction, Module, call_site
from sonde.ir.types import matching
from sonde.passes.change_log import ChangeLog
from sonde.passes.transformation import option

_GROUP = re.compile(r" #([0-9]+)")


@dataclass(frozen=True, slots=True)
class MarkForInlining:
    """Mark calls of functions by name, so that `always-inline` inlines them, and no other calls of the same function.

    Calls that are marked `noinline` themselves are left alone.

    Guarantee: the program does the same.
    Cost: O(instructions).
    Source: LLVM's attribute `alwaysinline` of calls (its language reference, "Function attributes").
    """

    name: ClassVar[str] = "mark-for-inlining"
    about: ClassVar[str] = "mark calls that always-inline is to inline"

    call: str = option("", "the value of the call, as %sum; empty: any")
    callee: str = option("", "the function that is called, as @add; empty: any")

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        value, callee = self.call.removeprefix("%"), self.callee.removeprefix("@")
        for each in function.instructions():
            if each.opcode not in CALLS or (value and each.result != f"%{value}"):
                continue
            site = call_site(each)
            is_meant = site.is_direct and not site.is_intrinsic and (not callee or site.callee == f"@{callee}")
            if is_meant and _mark(each, site.callee_span[1], module):
                log.add(function.name, "changed", each.result or site.callee, "a call that must be inlined")


def _mark(call: Instruction, arguments_at: int, module: Module) -> bool:
    """Write `alwaysinline` behind the arguments, unless it stands there, or its contrary."""
    text = call.text
    end = matching(text, arguments_at)
    behind = text[end:]
    attributes = behind + "".join(module.attribute_groups.get(int(each), "") for each in _GROUP.findall(behind))
    if "alwaysinline" in attributes or "noinline" in attributes:
        return False
    before = 0
    for at, piece in enumerate(call.pieces):
        if before + len(piece) >= end and at % 2 == 0:
            call.pieces[at] = f"{piece[: end - before]} alwaysinline{piece[end - before :]}"
            return True
        before += len(piece)
    return False
