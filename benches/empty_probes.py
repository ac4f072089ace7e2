"""Probes that do next to nothing: what it costs that there are any, after the optimiser and before it."""

from dataclasses import replace

from sonde.ir import Instruction, Module, parse_module, print_module
from sonde.jit.lone_program import LinkedProgram
from sonde.llvm import LlvmModule
from sonde.passes.calls_and_returns import can_have_probes, end_points

_COUNTS = ("@bench.entries", "@bench.ends")


def with_empty_probes(linked: LinkedProgram, *, late: bool) -> LinkedProgram:
    """The program with a counter that each function adds to at its entry, and another one for its ends."""
    module = parse_module(linked.module.text())
    put_empty_probes(module, late=late)
    return replace(linked, module=LlvmModule.from_text(print_module(module), linked.module.name))


def put_empty_probes(module: Module, *, late: bool) -> None:
    for name in _COUNTS:
        module.add_global(name, "internal global i64 0")
    for function in module.defined_functions():
        if not can_have_probes(module, function):
            continue
        entry = function.entry.instructions
        first = next(at for at, each in enumerate(entry) if each.opcode != "alloca")
        ends = end_points(module, function, is_late=late)
        entry[first:first] = _counting(_COUNTS[0], "%bench.entry")
        for number, (block, before) in enumerate(ends):
            at = next(at for at, each in enumerate(block.instructions) if each is before)
            block.instructions[at:at] = _counting(_COUNTS[1], f"%bench.end{number}")


def _counting(counter: str, name: str) -> list[Instruction]:
    """Volatile: nobody reads it, and the optimiser is not to leave it out or to add up over a loop."""
    text = Instruction.from_text
    return [
        text(f"load volatile i64, ptr {counter}", name),
        text(f"add i64 {name}, 1", f"{name}.more"),
        text(f"store volatile i64 {name}.more, ptr {counter}"),
    ]
