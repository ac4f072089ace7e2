"""Ends of functions that an interpreter may have called: it is told when they end, and so knows how long they ran."""

import re
from dataclasses import dataclass

from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.edits import split_block
from sonde.passes.calls_and_returns import can_have_probes, end_points

LEAVE_LINKED = "sn_probes_leave_linked"
"""What the code calls: `native/probes/probes.h`."""
_HERE = "@sn_probes_here"
_OUTER = 24
"""Offset of `outer` in a thread's `sn_probes_thread`, in bytes."""
_UNLIKELY = '!{!"branch_weights", i32 1, i32 1048575}'
_NAME = re.compile(r'@(?:[\w.$-]+|"[^"]*")')
_LOCAL = ("internal", "private")
_NAMES = "%sonde.outer.end"


@dataclass(frozen=True, slots=True)
class InterpreterEnds:
    """Let functions that may be known elsewhere say that they end, if it is an interpreter that waits for them.

    Those are what other files can call, and what a table of the file names; before `CallProbes` are put into a module
    that a linker will put into a shared library.

    Cost: at such an end, two loads and a branch that is not taken.

    >>> from sonde.ir import parse_module
    >>> module = parse_module("define void @f() {\\n  ret void\\n}")
    >>> InterpreterEnds().insert(module)
    ['@f']
    >>> [each.opcode for block in module.functions["@f"].blocks for each in block.instructions]
    ['load', 'load', 'icmp', 'br', 'ret', 'call', 'br']
    """

    def insert(self, module: Module) -> list[str]:
        """Change the module in place.

        Returns: names of the functions that say so, with sigil.
        Guarantee: what the program does stays the same, but for time.
        """
        in_tables = {name for each in module.globals.values() for name in _NAME.findall(each.text)}
        known = [
            each
            for each in module.defined_functions()
            if can_have_probes(module, each)
            and (each.name in in_tables or not set(_LOCAL) & set(each.signature.prefix.split()))
        ]
        if known:
            module.declare(f"preserve_mostcc void @{LEAVE_LINKED}(ptr) cold nounwind nonlazybind")
            unlikely = module.add_metadata(_UNLIKELY)
        for function in known:
            ends = end_points(module, function, is_late=True)
            for number, (block, before) in enumerate(ends):
                if block.terminator.opcode == "ret":
                    _put_end(function, block, before, f"{_NAMES}{number}", unlikely)
        return [each.name for each in known]


def is_for_shared_library(module: Module) -> bool:
    """Whether the code was compiled to be anywhere, and not as a program's own."""
    flags = [text for text in module.metadata.values() if ' Level", ' in text]
    return any('"PIC Level"' in text for text in flags) and not any('"PIE Level"' in text for text in flags)


def _put_end(function: Function, block: Block, before: Instruction, names: str, unlikely: int) -> None:
    at = next(at for at, each in enumerate(block.instructions) if each is before)
    rest = split_block(function, block, at)
    leave = Block(f"{names}.leave")
    text = Instruction.from_text
    block.instructions[-1:] = [
        text(f"load ptr, ptr {_HERE}", f"{names}.context"),
        text(f"load ptr, ptr getelementptr (i8, ptr {_HERE}, i64 {_OUTER})", f"{names}.outer"),
        text(f"icmp eq ptr {names}.context, {names}.outer", f"{names}.is"),
        text(f"br i1 {names}.is, label {leave.name}, label {rest.name}, !prof !{unlikely}"),
    ]
    leave.instructions = [
        text(f"call preserve_mostcc void @{LEAVE_LINKED}(ptr {names}.context)"),
        text(f"br label {rest.name}"),
    ]
    function.blocks.append(leave)
