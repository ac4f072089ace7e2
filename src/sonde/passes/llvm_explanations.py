"""What LLVM's own passes did, told from the marks they leave behind."""

import re
from itertools import chain, zip_longest

from sonde.ir import Instruction, Module, is_number, number_all_anew, parse_module, print_module
from sonde.ir.bookkeeping import (
    Computed,
    Constant,
    FunctionMapping,
    Held,
    Location,
    Lost,
    Mapping,
    Marks,
    Origin,
    mark,
    read_back,
    without_debug_information,
)
from sonde.ir.edits import rename_locals
from sonde.llvm import LlvmModule
from sonde.passes.change_log import ChangeLog
from sonde.passes.llvm_steps import LlvmStep

_WAS_NUMBER = re.compile(r'%"[0-9][\w.]*"\Z')
_LISTED = 4
"""So many things that may stand for a value are named."""


def explain(step: LlvmStep, module: Module, log: ChangeLog) -> None:
    """Find out what a step of LLVM's does to a module, and write it to the log.

    Of the module itself only what has no name is numbered anew. The step is run on a marked copy. Code does not depend
    on debug information, so it does the same there. Names are those from before the step; what is new and got no name
    from LLVM is called `%new.0`, `%new.1` and so on.

    Cost: as the step's, on a module with marks; reading back, some 50 us an instruction.
    """
    marks = mark(_with_names(module))
    marked = LlvmModule.from_text(print_module(marks.module), "marked")
    step.run(marked)
    # What a value was replaced by is what LLVM took for it, also where that is another value.
    mapping = read_back(marks, parse_module(marked.text()), trust="unrefuted")
    made_from: dict[str, list[FunctionMapping]] = {}
    for name, original in mapping.functions().items():
        made_from.setdefault(original, []).append(mapping.function(name))
    for name in marks.functions:
        if name not in made_from:
            log.add(name, "deleted", name)
            continue
        _explain_function(marks, name, made_from[name], log)
    _explain_new(mapping, log)


def _with_names(module: Module) -> Module:
    """A copy in which everything has a name, so that it keeps it: `%"7"` for what was the seventh without."""
    number_all_anew(module)
    copy = without_debug_information(module)
    for function in copy.defined_functions():
        unnamed = [name for name in function.local_names() if is_number(name)]
        rename_locals(copy, function, {name: f'%"{name[1:]}"' for name in unnamed})
    return copy


def _explain_function(marks: Marks, name: str, made: list[FunctionMapping], log: ChangeLog) -> None:
    before = [each for block in marks.module.functions[name].blocks for each in block.instructions]
    kept: dict[int, list[tuple[str, Instruction]]] = {}
    found: dict[int, list[Location]] = {}
    for each in made:
        blocks = each.function.blocks_by_name()
        for block, index, origin in each.origins():
            if origin.instance == 0:
                kept.setdefault(origin.number, []).append((block, blocks[block].instructions[index]))
        for _, origin, location in each.records():
            if origin.instance == 0:
                found.setdefault(origin.number, []).append(location)
    marked = marks.functions[name]
    parameters = len(marked.places) - len(before)
    for number, instruction in enumerate(before, parameters + 1):
        place = marked.place(number)
        subject = _shown(place.name) if place.name else _plain(instruction)
        copies = [copy for copy in kept.get(number, []) if _is_the_same(instruction, copy[1])]
        if len(copies) > 1:
            log.add(name, "copied", subject, f"{len(copies)} times")
        elif copies:
            block, now = copies[0]
            if block != place.block and instruction.opcode != "invoke":
                log.add(name, "moved", subject, f"from {_shown(place.block)} to {_shown(block)}")
            if _plain(now) != _plain(instruction):
                log.add(name, "changed", subject, _plain(now))
        elif place.name is None or not place.is_recorded:
            log.add(name, "deleted", subject)
        else:
            _explain_value(name, instruction, found.get(number, []), made, log)


def _explain_value(
    function: str, instruction: Instruction, found: list[Location], made: list[FunctionMapping], log: ChangeLog
) -> None:
    """What became of the value of an instruction that is gone."""
    assert instruction.result is not None
    subject = _shown(instruction.result)
    known = [each for each in dict.fromkeys(found) if not isinstance(each, Lost)]
    if not known:
        log.add(function, "deleted", subject)
        return
    only = known[0]
    if len(known) > 1 or any(isinstance(each, Lost) for each in found):
        stand_ins = [_stand_in(each) for each in known]
        if len(stand_ins) > _LISTED:
            stand_ins[_LISTED:] = [f"{len(stand_ins) - _LISTED} more"]
        log.add(function, "deleted", subject, f"where it is known, it is {' or '.join(stand_ins)}")
    elif isinstance(only, Held) and only.name == instruction.result:  # another instruction took its name
        now = next(each.function.definitions()[only.name] for each in made if only.name in each.function.definitions())
        log.add(function, "changed", subject, _plain(now))
    elif isinstance(only, Held):
        log.add(function, "replaced", subject, _shown(only.name))
    elif isinstance(only, Constant):
        log.add(function, "constant", subject, only.text)
    else:
        log.add(function, "deleted", subject, f"it is {_stand_in(only)}")


def _stand_in(location: Location) -> str:
    match location:
        case Held(name, _):
            return _shown(name)
        case Constant(text, _):
            return text
        case Computed(_, operands, _):
            return f"computed from {' and '.join(_shown(each.value) for each in operands)}"
    raise AssertionError(location)


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
                is_kept = (
                    origin is not None and not is_inlined and _is_the_same(originals.instructions[origin.number], each)
                )
                if is_inlined or (each.result is not None and each.result not in before and not is_kept):
                    text = _plain(each)
                    log.add(name, "inserted", *((_shown(each.result), text) if each.result else (text,)))


def _is_the_same(before: Instruction, now: Instruction) -> bool:
    """Whether an instruction with the line of another is that one still, and not something put in its stead."""
    if before.opcode == "phi":  # new ones have the line of what they are for
        return now.opcode == "phi" and before.result == now.result
    return (
        before.opcode == now.opcode
        and (before.result is None) == (now.result is None)
        and len(before.successors()) == len(now.successors())
    )


def _plain(instruction: Instruction) -> str:
    """The text without what is attached."""
    pieces = instruction.pieces
    names = [_shown(each) if each.startswith("%") else each for each in pieces[1::2]]
    return "".join(chain.from_iterable(zip_longest(pieces[::2], names, fillvalue=""))).partition(", !")[0]


def _shown(name: str) -> str:
    """A name of the marked copy as the module has it."""
    if is_number(name):
        return f"%new.{name[1:]}"
    return f"%{name[2:-1]}" if _WAS_NUMBER.match(name) else name
