"""Calls that may end otherwise than by a return: by exceptions, `longjmp`, the end of the thread or of the process."""

import re

from sonde.ir import Instruction, Module
from sonde.passes.calls_and_returns import attributes_of, can_have_probes

_CALLEE = re.compile(r'(@[-\w$.]+|@"[^"]*")\(')
_GROUP = re.compile(r"#([0-9]+)")


def left_midway(module: Module, *, is_whole: bool) -> set[str]:
    """The functions in which a call may end otherwise than by a return or at a landing pad: those that call what the
    module does not define, and those that call them. (What calls itself without end comes to the end of the stack.)

    Args:
        is_whole: whether each function that the module defines is the one that is called by that name.
    """
    callers: dict[str, list[str]] = {}
    waiting: list[str] = []
    for function in module.defined_functions():
        for each in function.instructions():
            if each.opcode not in ("call", "invoke", "callbr"):
                continue
            callee = _not_known_to_return(module, each)
            if callee is None:
                continue
            known = module.functions.get(callee)
            if is_whole and known is not None and known.blocks and can_have_probes(module, known):
                callers.setdefault(callee, []).append(function.name)
            else:
                waiting.append(function.name)
    found = set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += callers.get(name, ())
    return found


def _not_known_to_return(module: Module, call: Instruction) -> str | None:
    """Whom it calls, or nobody in particular (""); None: by what LLVM knows, it returns."""
    text = call.text
    called = _CALLEE.search(text)
    if called is None:
        return None if " asm " in text else ""
    if called[1].startswith("@llvm."):
        return None
    attributes = " ".join(module.attribute_groups.get(int(group), "") for group in _GROUP.findall(text))
    if callee := module.functions.get(called[1]):
        attributes += attributes_of(module, callee)
    return None if "willreturn" in attributes and "nounwind" in attributes else called[1]
