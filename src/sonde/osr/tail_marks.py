"""Calls that need nothing of their caller's frame say so again, after states were carried by them.

LLVM's passes mark no call as `tail` that carries something. Without the mark, the code generator makes no jump of a
call that is followed by a return.
"""

from sonde.ir import Function, Module, call_site
from sonde.osr.frame import FrameUse


def mark_tail_calls(module: Module, function: Function) -> None:
    """Mark all calls of a function that has nothing on its stack that a callee might use.

    Guarantee: a call that is marked uses no stack slot and no argument in memory of its caller (LLVM's condition).
    """
    use = FrameUse.of(module, function)
    if use.slots or use.is_always_needed:
        return
    for each in function.instructions():
        if each.opcode == "call" and each.pieces[0].startswith("call "):
            site = call_site(each)
            if not (site.is_intrinsic or site.is_assembler or any("byval" in it.attributes for it in site.arguments)):
                each.pieces[0] = f"tail {each.pieces[0]}"
