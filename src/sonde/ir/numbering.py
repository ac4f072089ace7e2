"""Numbers of what has no name: LLVM reads them only if they follow upon one another."""

import re
from collections.abc import Mapping
from dataclasses import replace

from sonde.ir.function import Function
from sonde.ir.module import Module
from sonde.ir.names import is_number

_ADDRESS = re.compile(r'blockaddress\((@(?:[-a-zA-Z$._0-9]+|"[^"]*")), (%(?:[-a-zA-Z$._0-9]+|"[^"]*"))\)')


def number_all_anew(module: Module) -> None:
    """Give parameters, blocks and values that have numbers the numbers that LLVM expects, and block addresses too.

    Cost: a walk over the module, and another one when numbers of blocks change.
    """
    renumbered = {}
    for function in module.defined_functions():
        if new := _new_numbers(function):
            _rename(function, new)
            renumbered[function.name] = new
    if renumbered:
        _rename_block_addresses(module, renumbered)


def _rename_block_addresses(module: Module, new_names: Mapping[str, Mapping[str, str]]) -> None:
    """Let `blockaddress(@function, %block)` name other blocks, wherever in the module it stands.

    Args:
        new_names: function -> old name of a block -> new name.
    """

    def changed(match: re.Match[str]) -> str:
        function, block = match.group(1), match.group(2)
        return f"blockaddress({function}, {new_names.get(function, {}).get(block, block)})"

    for value in module.globals.values():
        if "blockaddress(" in value.text:
            value.text = _ADDRESS.sub(changed, value.text)
    for each in module.defined_functions():
        for block in each.blocks:
            for instruction in block.instructions:
                for at in range(0, len(instruction.pieces), 2):
                    if "blockaddress(" in instruction.pieces[at]:
                        instruction.pieces[at] = _ADDRESS.sub(changed, instruction.pieces[at])


def _rename(function: Function, new: dict[str, str]) -> None:
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
