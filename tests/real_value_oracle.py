"""Whether mappings of real programs are right: `value_oracle` for programs with a `main`, built and run as processes.

Calls of `@observe` are put into the program at random. The original stores each value as it is made; the optimised
program says before each `@observe` what the mapping claims. `programs_in_c/value_log.c` writes both down.
"""

import random
from array import array
from collections.abc import Collection
from pathlib import Path

from program_runs import build_module, run_check
from real_programs import Check, RealProgram, linked_module, real_program
from sonde.ir import CALLS, Function, Instruction, Module, call_site, parse_module, print_module
from sonde.ir.bookkeeping import Mapping, Marks, Trust, mark, read_back, without_debug_information
from sonde.jit import compile_file
from sonde.llvm import LlvmModule
from sonde.passes import parse_recipe
from value_oracle import Verdict, fresh_names, log_claims, logged_value

_RUNTIME = Path(__file__).parent / "programs_in_c" / "value_log.c"
_MOST_PLACES = 1 << 16
_HEAP_BYTES = 1 << 28
_ABOVE = 4
"""Activations that are written down, innermost first."""


def judge_program(
    name: str,
    check: Check,
    folder: Path,
    *,
    functions: Collection[str] | None = None,
    recipe: str = "O2",
    trust: Trust = "confirmed",
    share: float = 0.05,
) -> Verdict:
    """Compare, in one run of a program, what a mapping says with what was.

    Programs that go by addresses or the clock, as Lua's tables do, take other ways the second time: what comes after is
    not compared.

    Args:
        check: which run.
        folder: an empty one.
        functions: that are followed, names with sigil; None: all.
        share: of the blocks that get an `@observe`.
    """
    program = real_program(name)
    module = linked_module(name)
    module.run_passes(["sroa"])
    model = parse_module(module.text())
    _put_observers(model, functions, share, random.Random(7))
    marks = mark(model, functions)
    optimised = LlvmModule.from_text(print_module(marks.module), name)
    for step in parse_recipe(recipe).steps:
        step.run(optimised)  # type: ignore[call-arg, arg-type] # LLVM's own steps
    mapping = read_back(marks, parse_module(optimised.text()), trust=trust)

    original = without_debug_information(marks.module)
    for index, function in enumerate(marks.functions):
        _log_values(original.functions[function], index, marks)
    claiming = without_debug_information(mapping.module)
    points: list[list[tuple[str, int]] | None] = []
    keys: list[tuple[int, int]] = []
    for function in mapping.functions():
        log_claims(claiming.functions[function], mapping, function, points, keys, "claim_point", "claim_value")
    outcomes, logs = [], []
    for kind, each in (("original", original), ("optimised", claiming)):
        outcomes.append(_built_and_run(each, program, check, folder / kind))
        logs.append(array("Q", (folder / kind / "log").read_bytes()))
    assert outcomes[0] == outcomes[1], "the program itself was changed"
    return _compared(marks, mapping, logs[0], logs[1], points, keys)


def _put_observers(module: Module, functions: Collection[str] | None, share: float, chance: random.Random) -> None:
    module.declare("void @observe(i64)")
    place = 0
    for function in module.defined_functions():
        if functions is not None and function.name not in functions:
            continue
        for block in function.blocks:
            if chance.random() < share and place < _MOST_PLACES:
                at = chance.randrange(block.first_insertion_point(), len(block.instructions))
                if block.instructions[at - 1].opcode == "call" and "musttail" in block.instructions[at - 1].text:
                    continue
                block.instructions.insert(at, Instruction.from_text(f"call void @observe(i64 {place})"))
                place += 1


def _log_values(function: Function, index: int, marks: Marks) -> None:
    marked = marks.functions[function.name]
    fresh = fresh_names()
    numbers = marked.values()
    entering = [
        Instruction.from_text("call ptr @llvm.frameaddress.p0(i32 0)", "%logged.frame"),
        Instruction.from_text("ptrtoint ptr %logged.frame to i64", "%logged.address"),
        _call("log_enter", (index << 32) + len(marked.places) + 1, "%logged.address"),
    ]
    for each in function.parameters:
        if each.name in numbers:
            entering += logged_value(numbers[each.name], each.name, each.type, fresh, "log_value")
    for block in function.blocks:
        logged: list[Instruction] = []
        waiting: list[Instruction] = []  # until all phis have been made
        for at, instruction in enumerate(block.instructions):
            if at >= block.first_insertion_point():
                logged += waiting
                waiting = []
            if instruction.opcode in CALLS and not call_site(instruction).is_intrinsic:
                logged.append(_call("log_point", marked.number_at(block.name, at), "%logged.address"))
            logged.append(instruction)
            if instruction.opcode == "call" and "musttail" not in instruction.text:
                logged.append(_call("log_back", 0, "%logged.address"))
            if instruction.result in numbers and not instruction.is_terminator:
                number = numbers[instruction.result]
                waiting += logged_value(number, instruction.result, marked.place(number).type, fresh, "log_value")
        if block is not function.entry:
            begin = logged.index(block.instructions[block.first_insertion_point()])
            logged.insert(begin, _call("log_back", 0, "%logged.address"))
        block.instructions[:] = logged
    begin = function.entry.first_insertion_point()
    function.entry.instructions[begin:begin] = entering


def _call(callee: str, first: int, second: str) -> Instruction:
    return Instruction.from_text(f"call void @{callee}(i64 {first}, i64 {second})")


def _built_and_run(module: Module, program: RealProgram, check: Check, folder: Path) -> tuple[int, bytes]:
    folder.mkdir()
    for name in ("log_enter", "log_point", "log_back", "log_value", "claim_point", "claim_value"):
        module.declare(f"void @{name}(i64, i64)")
    module.declare("ptr @llvm.frameaddress.p0(i32)")
    compiled = LlvmModule.from_text(print_module(module), folder.name)
    compiled.link_in(compile_file(_RUNTIME, level=2))
    build_module(compiled, program, folder / "program", level=0)
    outcome = run_check(folder / "program", check, folder / "run", {"VALUE_LOG": str(folder / "log")})
    return outcome.status, outcome.stdout


def _compared(
    marks: Marks,
    mapping: Mapping,
    values: "array[int]",
    claims: "array[int]",
    points: list[list[tuple[str, int]] | None],
    keys: list[tuple[int, int]],
) -> Verdict:
    names = list(marks.functions)
    verdict = Verdict()
    at = later = 1
    while at < len(values):
        if values[at] != claims[later]:
            verdict.is_cut = True
            return verdict
        frames: list[tuple[str, int, int]] = []
        depth = values[at + 1]
        at += 2
        for _ in range(depth):
            frames.append((names[values[at]], values[at + 1], at + 3))
            at += 3 + values[at + 2]
        path = points[claims[later + 1]]
        said = claims[later + 3 : later + 3 + claims[later + 2]]
        later += 3 + claims[later + 2]
        verdict.points += 1
        if path is None or len(path) > _ABOVE:
            verdict.unknown_points += 1
            continue
        if [frame[:2] for frame in frames[: len(path)]] != path:
            verdict.wrong.append(f"the point is {frames[: len(path)]}, not {path}")
            continue
        for key, bits in zip(said[::2], said[1::2], strict=True):
            outwards, number = keys[key]
            function, where, begin = frames[outwards]
            place = marks.functions[function].place(number)
            was = values[begin + number]
            made_by = marks.functions[function].instructions.get(number)
            if place.type == "ptr" or (
                made_by and made_by.opcode == "ptrtoint"
            ):  # on the heap, as far from its begin; elsewhere (variables lie before it, somewhere) nothing can be said
                was, bits = was - values[0], bits - claims[0]
                if not (0 <= was <= _HEAP_BYTES and 0 <= bits <= _HEAP_BYTES):
                    continue
            verdict.compared += 1
            if was != bits:
                verdict.wrong.append(f"{place.name} of {function} at its {where}: {was:#x}, not {bits:#x}: {made_by}")
    assert later == len(claims)
    return verdict
