"""Numbers of caught types: what a landing pad's selector says is about the table of the function that it is in.

Code generators number the types that a function catches in the order in which they meet them. A selector that is
handed over to a continuation is compared there with numbers of its own table; so both functions name the types in the
same order, at their beginnings.

    %osr.type = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTIi)
    call void asm sideeffect "", "r"(i32 %osr.type)              ; no code: keeps the line above where it is
"""

import re
from collections.abc import Sequence

from sonde.ir import Function, Instruction, Module
from sonde.osr.refusals import Refused

_COMPARED = re.compile(r'@llvm\.eh\.typeid\.for(?:\.p0)?\(ptr (?:[a-z_]+ )*(@(?:[-\w.$]+|"[^"]*"))\)')
_NAMED = "%osr.type"


def caught_types(function: Function) -> tuple[str, ...]:
    """The types whose numbers a function compares with selectors, in the order of the text, each once."""
    found: dict[str, None] = {}
    for each in function.instructions():
        if each.opcode == "call" and "@llvm.eh.typeid.for" in each.pieces[0] and (match := _COMPARED.search(each.text)):
            found[match[1]] = None
    return tuple(found)


def common_numbers(function: Function, given: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    """The types of a continuation by number: those of the function that was left, then the others.

    Raises:
        Refused: `landing pad`: the continuation is left in turn for what counts on its own numbers.
    """
    numbers = tuple(dict.fromkeys((*given, *own)))
    is_left = any(each.name.startswith("%osr.fire") for each in function.blocks)
    if is_left and numbers[: len(own)] != tuple(own):
        raise Refused(
            "landing pad",
            f"{function.name} catches {', '.join(own)}, and the function that is left {', '.join(given)}: the points "
            "that it has cannot be kept",
        )
    return numbers


def number_types(module: Module, function: Function, types: Sequence[str], taken: set[str]) -> None:
    """Let a function give these types the numbers 1, 2, ...; unless it does already.

    Args:
        taken: the function's local names; changed.
    """
    if not types or any((each.result or "").startswith(_NAMED) for each in function.entry.instructions):
        return
    module.declare("i32 @llvm.eh.typeid.for.p0(ptr)")
    added = []
    for number, type_ in enumerate(types):
        name = f"{_NAMED}.{number}"
        taken.add(name)
        added += [
            Instruction.from_text(f"call i32 @llvm.eh.typeid.for.p0(ptr {type_})", name),
            Instruction.from_text(f'call void asm sideeffect "", "r"(i32 {name})'),
        ]
    at = next(at for at, each in enumerate(function.entry.instructions) if each.opcode != "alloca")
    function.entry.instructions[at:at] = added
