"""Probes at calls from an interpreter: what is called below them knows from which of its contexts it was."""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.ir import Instruction, Module
from sonde.passes.call_probes import thread_word

ENTER_FROM_INTERPRETER = "sn_probes_enter_from_interpreter"
LEAVE_TO_INTERPRETER = "sn_probes_leave_to_interpreter"
"""What the code calls: `native/probes/probes.h`."""

_CALLER, _CONTEXT = "%sonde.caller", "%sonde.context"


@dataclass(frozen=True, slots=True)
class InterpreterProbes:
    """Put probes into functions that an interpreter calls, and that call what has `CallProbes`.

    They count nothing: while they run, the thread's context is one that stands for the interpreter's, and
    has their time.

    Cost: for a call, two of the library's functions, which ask the interpreter's agent.

    >>> from sonde.ir import parse_module
    >>> module = parse_module('define void @f() {\\n  ret void\\n}')
    >>> InterpreterProbes(thread_offset=-8).insert(module, {"@f": 7})
    >>> [each.opcode for each in module.functions["@f"].entry.instructions]
    ['load', 'call', 'store', 'call', 'store', 'ret']
    """

    thread_offset: int
    """Where a thread has its context, in bytes from the thread pointer (`sn_probes_offset`)."""

    def insert(self, module: Module, numbers: Mapping[str, int]) -> None:
        """Change the module in place.

        Args:
            numbers: by their names, with sigil; each calls the function that has this number with probes.
        Guarantee: what the program does stays the same, but for time and memory.
        """
        found = [each for each in module.defined_functions() if each.name in numbers]
        if not found:
            return
        module.declare(f"ptr @{ENTER_FROM_INTERPRETER}(ptr, i32) nounwind")
        module.declare(f"void @{LEAVE_TO_INTERPRETER}(ptr) nounwind")
        slot, text = thread_word(self.thread_offset), Instruction.from_text
        for function in found:
            for block in function.blocks:
                if block.terminator.opcode in ("ret", "resume"):
                    block.instructions[-1:-1] = [
                        text(f"call void @{LEAVE_TO_INTERPRETER}(ptr {_CONTEXT})"),
                        text(f"store ptr {_CALLER}, {slot}"),
                    ]
            entry = function.entry.instructions
            first = next(at for at, each in enumerate(entry) if each.opcode != "alloca")
            entry[first:first] = [
                text(f"load ptr, {slot}", _CALLER),
                text(f"call ptr @{ENTER_FROM_INTERPRETER}(ptr {_CALLER}, i32 {numbers[function.name]})", _CONTEXT),
                text(f"store ptr {_CONTEXT}, {slot}"),
            ]
