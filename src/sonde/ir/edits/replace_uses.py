"""Other values in the places of values."""

from collections.abc import Mapping

from sonde.ir.edits.lifetimes import drop_lifetimes
from sonde.ir.function import Function
from sonde.ir.instruction import replace_names


def replace_all_uses(function: Function, old: str, new: str) -> int:
    """Use another value wherever one is used, in debug records too.

    Args:
        old: a local value, with sigil.
        new: a value of the same type, as it is written: local, global or constant.
    Returns: how many uses there were, those in debug records not counted.
    Guarantee: no use of `old` is left, unless `new` is `old`. Calls of `llvm.lifetime` that would name anything but a
        stack slot are taken out, as they are for slots only.
    Cost: a walk over the function.
    """
    return replace_many_uses(function, {old: new})


def replace_many_uses(function: Function, new_values: Mapping[str, str]) -> int:
    """Replace the uses of several values at once. A new value that is itself replaced is followed to its end.

    Raises:
        ValueError: values take one another's places in a circle.
    """
    final = {old: _end(old, new_values) for old in new_values}
    final = {old: new for old, new in final.items() if old != new}
    slots = {each.result for each in function.instructions() if each.opcode == "alloca"}
    drop_lifetimes(function, {old for old, new in final.items() if old in slots and new not in slots})
    count = 0
    for instruction in function.instructions():
        pieces = instruction.pieces
        for at in range(1, len(pieces), 2):
            if pieces[at] in final:
                pieces[at] = final[pieces[at]]
                count += 1
        for record in instruction.records:
            replace_names(record.pieces, final)
    return count


def poison_records(function: Function, values: set[str]) -> None:
    """Let debug records say that they no longer know: their values are gone."""
    lost = dict.fromkeys(values, "poison")
    for instruction in function.instructions():
        for record in instruction.records:
            replace_names(record.pieces, lost)


def _end(value: str, new_values: Mapping[str, str]) -> str:
    start, steps = value, 0
    while value in new_values and new_values[value] != value:
        value = new_values[value]
        steps += 1
        if steps > len(new_values):
            raise ValueError(f"{start} would be replaced by itself")
    return value
