"""Addresses of blocks: where they are taken, and the tables of them that a function jumps through."""

import re
from collections.abc import Iterator, Mapping

from sonde.ir.function import Function
from sonde.ir.global_value import GlobalValue
from sonde.ir.instruction import Instruction
from sonde.ir.module import Module
from sonde.ir.names import globals_in

_ADDRESS = re.compile(r'blockaddress\((@(?:[-\w.$]+|"[^"]*")), (%(?:[-\w.$]+|"[^"]*"))\)')
_FUNCTION = re.compile(r'blockaddress\((@(?:[-\w.$]+|"[^"]*")), ')
_KEEP_LISTS = ("@llvm.used", "@llvm.compiler.used")


def address_taken_blocks(module: Module) -> dict[str, set[str]]:
    """Function -> its blocks whose addresses are written somewhere in the module.

    Cost: a walk over the module; ask once for many edits.
    """
    found: dict[str, set[str]] = {}
    for text in _texts(module):
        for function, block in _ADDRESS.findall(text):
            found.setdefault(function, set()).add(block)
    return found


def move_block_addresses(text: str, new_functions: Mapping[str, str]) -> str:
    """The same text, with block addresses of other functions.

    >>> move_block_addresses("store ptr blockaddress(@f, %a), ptr @f", {"@f": "@g"})
    'store ptr blockaddress(@g, %a), ptr @f'
    """
    if "blockaddress(" not in text:
        return text
    return _FUNCTION.sub(lambda match: f"blockaddress({new_functions.get(match.group(1), match.group(1))}, ", text)


def jump_tables(module: Module, function: Function) -> list[GlobalValue]:
    """The variables that hold addresses of the function's blocks; none when it never jumps to an address."""
    if not any(each.opcode == "indirectbr" for each in function.instructions()):
        return []
    wanted = f"blockaddress({function.name}, "
    return [value for value in module.globals.values() if wanted in value.text]


def check_can_be_doubled(module: Module, function: Function, tables: list[GlobalValue]) -> None:
    """Refuse a function of which a second copy could jump into the first.

    That is so where addresses of its blocks outlive a call of it, or come from elsewhere: they may be the other
    copy's when they are jumped to.

    Raises:
        ValueError: with the reason.
    """
    for table in tables:
        if user := _other_user(module, function, table):
            raise ValueError(f"{table.name} holds block addresses of {function.name} and is used by {user} as well")
        if table.kind != "constant" and not _is_only_read(function, table.name):
            raise ValueError(f"{table.name} holds block addresses of {function.name} and may be written to")
    if any(each.opcode == "indirectbr" for each in function.instructions()):
        definitions = function.definitions()
        for each in function.instructions():
            if each.opcode == "store" and "blockaddress(" in each.pieces[0] and not _is_to_own_frame(each, definitions):
                raise ValueError(f"{function.name} keeps the address of a block: '{each}'")


def _texts(module: Module) -> Iterator[str]:
    for value in module.globals.values():
        if "blockaddress(" in value.text:
            yield value.text
    for function in module.defined_functions():
        for instruction in function.instructions():
            if any("blockaddress(" in piece for piece in instruction.pieces):
                yield instruction.text


def _other_user(module: Module, function: Function, table: GlobalValue) -> str | None:
    for value in module.globals.values():
        if table.name in value.text and value.name not in _KEEP_LISTS and table.name in globals_in(value.text):
            return value.name
    for other in module.defined_functions():
        if other is not function and any(_names(each, table.name) for each in other.instructions()):
            return other.name
    return None


def _names(instruction: Instruction, name: str) -> bool:
    return any(name in piece and name in globals_in(piece) for piece in instruction.pieces[::2])


def _is_only_read(function: Function, table: str) -> bool:
    """Whether all that is done with the table, and with pointers into it, is to load."""
    pointers = {table}
    for each in function.instructions():  # definitions come before uses, but for phis, which are refused
        mentioned = _names(each, table) or any(name in pointers for name in each.uses())
        if not mentioned:
            continue
        if each.opcode == "getelementptr" and each.result is not None:
            pointers.add(each.result)
        elif each.opcode != "load" and not (each.opcode == "call" and _copies_from(each, pointers)):
            return False
    return True


def _copies_from(call: Instruction, pointers: set[str]) -> bool:
    """Whether it is a copy of memory that only reads through the pointers."""
    if "@llvm.memcpy." not in call.pieces[0] + call.text:
        return False
    destination = call.text.partition("(")[2].partition(",")[0]
    return destination.rpartition(" ")[2] not in pointers


def _is_to_own_frame(store: Instruction, definitions: Mapping[str, Instruction]) -> bool:
    """Whether it stores into a stack slot of the function."""
    pointer = next((part for part in reversed(store.pieces[1::2])), "")
    while (maker := definitions.get(pointer)) is not None and maker.opcode == "getelementptr":
        pointer = maker.pieces[1]
    return maker is not None and maker.opcode == "alloca"
