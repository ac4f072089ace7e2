"""Numbers of what has no name: LLVM reads them only if they follow upon one another."""

import re
from dataclasses import replace

from sonde.ir.function import Function
from sonde.ir.module import Module
from sonde.ir.names import is_number


def number_anew(module: Module, function: Function) -> None:
    """Give parameters, blocks and values that have numbers the numbers that LLVM expects, here and in block addresses.

    Cost: a walk over the function; nothing is changed when the numbers are right already.
    """
    new = _new_numbers(function)
    if not new:
        return
    function.signature = replace(
        function.signature,
        parameters=tuple(replace(each, name=new.get(each.name, each.name)) for each in function.parameters),
    )
    for block in function.blocks:
        block.name = new.get(block.name, block.name)
        for instruction in block.instructions:
            if instruction.result is not None:
                instruction.result = new.get(instruction.result, instruction.result)
            instruction.replace_uses(new, in_records=True)
    rename_block_addresses(module, function.name, new)


def rename_block_addresses(module: Module, function: str, new_names: dict[str, str]) -> None:
    """Let `blockaddress(@function, %block)` name other blocks, wherever in the module it stands."""
    address = re.compile(rf"blockaddress\({re.escape(function)}, ([^)]*)\)")

    def edit(text: str) -> str:
        if "blockaddress(" not in text:
            return text
        return address.sub(
            lambda match: f"blockaddress({function}, {new_names.get(match.group(1), match.group(1))})", text
        )

    for value in module.globals.values():
        value.text = edit(value.text)
    for each in module.defined_functions():
        for instruction in each.instructions():
            instruction.edit_text(edit)


def _new_numbers(function: Function) -> dict[str, str]:
    expected = 0
    new: dict[str, str] = {}
    for parameter in function.parameters:
        if is_number(parameter.name):
            if parameter.name != (name := f"%{expected}"):
                new[parameter.name] = name
            expected += 1
    for block in function.blocks:
        if is_number(block.name):
            if block.name != (name := f"%{expected}"):
                new[block.name] = name
            expected += 1
        for instruction in block.instructions:
            result = instruction.result
            if result is not None and result[1] in "0123456789":
                if result != (name := f"%{expected}"):
                    new[result] = name
                expected += 1
    return new
