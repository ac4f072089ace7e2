"""LLVM's own passes as steps of a pipeline, and what they did, told from the marks they leave behind."""

from collections.abc import Iterable
from dataclasses import dataclass

from sonde.ir import Instruction, Module, parse_module, print_module
from sonde.ir.bookkeeping import Computed, Constant, FunctionMapping, Held, Mapping, Marks, Origin, mark, read_back
from sonde.llvm import LlvmModule
from sonde.passes.change_log import ChangeLog


@dataclass(frozen=True, slots=True)
class LlvmPipeline:
    """LLVM's pipeline of a level."""

    level: int

    @property
    def name(self) -> str:
        return f"O{self.level}"

    def run(self, module: LlvmModule) -> None:
        module.optimize(self.level)


@dataclass(frozen=True, slots=True)
class LlvmSinglePass:
    """One of `sonde.llvm.PASS_NAMES`."""

    name: str

    def run(self, module: LlvmModule) -> None:
        module.run_passes([self.name])


LlvmStep = LlvmPipeline | LlvmSinglePass


def explain(step: LlvmStep, module: Module, log: ChangeLog) -> None:
    """Find out what a step of LLVM's does to a module, which is not changed, and write it to the log.

    The step is run on a marked copy. Code does not depend on debug information, so it does the same there; only what
    has no name in the module may have one here, or the other way round.

    Cost: as the step's, on a module with marks; reading back, some 50 us an instruction.
    """
    marks = mark(module)
    marked = LlvmModule.from_text(print_module(marks.module), "marked")
    step.run(marked)
    mapping = read_back(marks, parse_module(marked.text()))
    made_from: dict[str, list[FunctionMapping]] = {}
    for name, original in mapping.functions().items():
        made_from.setdefault(original, []).append(mapping.function(name))
    for name in marks.functions:
        if name not in made_from:
            log.add(name, "deleted", name)
            continue
        _explain_function(marks, name, made_from[name], log)
    _explain_new(mapping, log)


def _explain_function(marks: Marks, name: str, made: list[FunctionMapping], log: ChangeLog) -> None:
    before = [each for block in marks.module.functions[name].blocks for each in block.instructions]
    kept: dict[int, list[tuple[str, Instruction]]] = {}
    found: dict[int, list[Held | Constant | Computed | None]] = {}
    for each in made:
        blocks = each.function.blocks_by_name()
        for block, index, origin in each.origins():
            if origin.instance == 0:
                kept.setdefault(origin.number, []).append((block, blocks[block].instructions[index]))
        for _, origin, location in each.records():
            if origin.instance == 0:
                said = location if isinstance(location, Held | Constant | Computed) else None
                found.setdefault(origin.number, []).append(said)
    marked = marks.functions[name]
    parameters = len(marked.places) - len(before)
    for number, instruction in enumerate(before, parameters + 1):
        place = marked.place(number)
        subject = place.name or _plain(instruction)
        copies = [copy for copy in kept.get(number, []) if _is_the_same(instruction, copy[1])]
        if len(copies) > 1:
            log.add(name, "copied", subject, f"{len(copies)} times")
        elif copies:
            block, now = copies[0]
            if block != place.block and instruction.opcode != "invoke":
                log.add(name, "moved", subject, f"from {place.block} to {block}")
            if _plain(now) != _plain(instruction):
                log.add(name, "changed", subject, _plain(now))
        elif place.name is None or not place.is_recorded:
            log.add(name, "deleted", subject)
        else:
            _explain_value(name, place.name, found.get(number, []), made, log)


def _explain_value(
    function: str,
    name: str,
    found: Iterable[Held | Constant | Computed | None],
    made: list[FunctionMapping],
    log: ChangeLog,
) -> None:
    """What became of the value of an instruction that is gone: what most usefully stands for it."""
    known = [each for each in found if each is not None]
    held = next((each for each in known if isinstance(each, Held)), None)
    constant = next((each for each in known if isinstance(each, Constant)), None)
    if held is not None and held.name == name:  # another instruction in its stead, which took its name
        now = next(each.function.definitions()[name] for each in made if name in each.function.definitions())
        log.add(function, "changed", name, _plain(now))
    elif held is not None:
        log.add(function, "replaced", name, held.name)
    elif constant is not None:
        log.add(function, "constant", name, constant.text)
    elif known and isinstance(known[0], Computed):
        operands = " and ".join(each.value for each in known[0].operands)
        log.add(function, "deleted", name, f"it can be computed from {operands}")
    else:
        log.add(function, "deleted", name)


def _explain_new(mapping: Mapping, log: ChangeLog) -> None:
    for name in mapping.functions():
        found = mapping.function(name)
        origins: dict[tuple[str, int], Origin] = {(block, index): origin for block, index, origin in found.origins()}
        originals = mapping.marks.functions[found.original]
        before = {each.name for each in originals.places}
        for block in found.function.blocks:
            for index, each in enumerate(block.instructions):
                origin = origins.get((block.name, index))
                is_inlined = origin is not None and origin.instance != 0
                if is_inlined or (each.result is not None and each.result not in before and origin is None):
                    log.add(name, "inserted", each.result or _plain(each), _plain(each) if each.result else "")


def _is_the_same(before: Instruction, now: Instruction) -> bool:
    """Whether an instruction with the line of another is that one still, and not something put in its stead."""
    return before.opcode == now.opcode and (before.result is None) == (now.result is None)


def _plain(instruction: Instruction) -> str:
    """The text without what is attached."""
    return instruction.text.partition(", !")[0]
