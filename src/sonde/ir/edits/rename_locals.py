"""Other names for the parameters, values and blocks of a function."""

import re
from collections.abc import Mapping
from dataclasses import replace

from sonde.ir.function import Function
from sonde.ir.module import Module
from sonde.ir.names import fresh_name, is_number

_NEEDS_NO_QUOTES = re.compile(rb"[-a-zA-Z._][-a-zA-Z._0-9]*\Z")
_ESCAPE = re.compile(rb"\\([0-9a-fA-F]{2})")


def canonical_name(name: str) -> str:
    r"""The one way in which LLVM prints a name: two names are the same exactly if these are.

    >>> canonical_name('%"x"'), canonical_name('%"1"'), canonical_name(r'@"\41 b\0a"'), canonical_name("%1")
    ('%x', '%"1"', '@"A b\\0A"', '%1')
    """
    if is_number(name):
        return name
    body = name[1:].encode()
    if body.startswith(b'"'):
        body = _ESCAPE.sub(lambda match: bytes([int(match.group(1), 16)]), body[1:-1])
    if _NEEDS_NO_QUOTES.match(body):
        return name[0] + body.decode()
    written = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in body)
    return f'{name[0]}"{written}"'


def rename_locals(module: Module, function: Function, new_names: Mapping[str, str]) -> dict[str, str]:
    """Give parameters, values and blocks other names, all at once, so that two may change places.

    A name that is taken by something that keeps its name gets a number at its end. Names that are numbers are no
    names to LLVM: printing counts them anew.

    Args:
        new_names: old name -> wanted name, with sigils.
    Returns: old name -> the name it got.
    Raises:
        ValueError: the function has no such name.
    Guarantee: no use of one value or block becomes a use of another.
    Cost: a walk over the function, and over the module when blocks are among them, for their addresses.
    """
    taken = {canonical_name(name) for name in function.local_names()}
    if missing := new_names.keys() - function.local_names():
        raise ValueError(f"{function.name} has no {min(missing)}")
    taken -= {canonical_name(old) for old in new_names}
    got = {}
    for old, wanted in new_names.items():
        got[old] = fresh_name(canonical_name(wanted), taken)
        taken.add(got[old])
    _rename_in(function, got)
    blocks = {block.name for block in function.blocks}
    if moved := {old: new for old, new in got.items() if new in blocks}:
        _rename_addresses(module, function, moved)
    return got


def _rename_in(function: Function, names: Mapping[str, str]) -> None:
    signature = function.signature
    function.signature = replace(
        signature, parameters=tuple(replace(each, name=names.get(each.name, each.name)) for each in function.parameters)
    )
    for block in function.blocks:
        block.name = names.get(block.name, block.name)
        for instruction in block.instructions:
            if instruction.result is not None:
                instruction.result = names.get(instruction.result, instruction.result)
            _rename_in_pieces(instruction.pieces, names)
            for record in instruction.records:
                _rename_in_pieces(record.pieces, names)


def _rename_in_pieces(pieces: list[str], names: Mapping[str, str]) -> None:
    for at in range(1, len(pieces), 2):
        if pieces[at] in names:
            pieces[at] = names[pieces[at]]


def _rename_addresses(module: Module, function: Function, names: Mapping[str, str]) -> None:
    before = f"blockaddress({function.name}, "
    address = re.compile(rf'(?<={re.escape(before)})%(?:[-\w.$]+|"[^"]*")')

    def renamed(text: str) -> str:
        if before not in text:
            return text
        return address.sub(lambda match: names.get(match.group(0), match.group(0)), text)

    for value in module.globals.values():
        value.text = renamed(value.text)
    for other in module.defined_functions():
        for instruction in other.instructions():
            instruction.edit_text(renamed)
