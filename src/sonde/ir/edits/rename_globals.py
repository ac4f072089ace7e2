"""Other names for functions, variables and aliases, wherever in a module they are mentioned."""

from collections.abc import Mapping
from dataclasses import replace

from sonde.ir.edits.linkage import with_explicit_comdat
from sonde.ir.function import Function
from sonde.ir.module import Module
from sonde.ir.names import rename_globals


def rename_globals_everywhere(module: Module, new_names: Mapping[str, str]) -> None:
    """Give symbols other names, all at once, so that two may change places.

    Comdats keep their names. Assembler text is not looked into. Summaries, which count symbols, are dropped.

    Args:
        new_names: old name -> new name, with sigils.
    Raises:
        ValueError: a new name is taken by what keeps its name, or is given twice, or an old one does not exist.
    Guarantee: no mention of one symbol becomes a mention of another.
    Cost: a walk over the module.
    """
    names = {old: new for old, new in new_names.items() if old != new}
    if not names:
        return
    _check(module, names)
    module.header = [line for line in module.header if not line.startswith("^")]
    for value in module.globals.values():
        if value.name in names:
            value.text = with_explicit_comdat(value.text, value.name)
            value.name = names[value.name]
        value.text = rename_globals(value.text, names)
    for function in module.functions.values():
        _rename_in(function, names)
    module.globals = {value.name: value for value in module.globals.values()}
    module.functions = {function.name: function for function in module.functions.values()}
    for node, text in module.metadata.items():
        if "@" in text:
            module.metadata[node] = rename_globals(text, names)


def _check(module: Module, names: Mapping[str, str]) -> None:
    taken = module.global_names()
    if missing := names.keys() - taken:
        raise ValueError(f"there is no {min(missing)}")
    if len(set(names.values())) < len(names):
        raise ValueError("two symbols cannot have one name")
    if captured := set(names.values()) & (taken - names.keys()):
        raise ValueError(f"{min(captured)} is taken")


def _rename_in(function: Function, names: dict[str, str]) -> None:
    signature = function.signature
    suffix = signature.suffix
    if signature.name in names:
        suffix = with_explicit_comdat(suffix, signature.name)
    function.signature = replace(
        signature, name=names.get(signature.name, signature.name), suffix=rename_globals(suffix, names)
    )
    for block in function.blocks:
        for instruction in block.instructions:
            _rename_in_pieces(instruction.pieces, names)
            for record in instruction.records:
                _rename_in_pieces(record.pieces, names)


def _rename_in_pieces(pieces: list[str], names: dict[str, str]) -> None:
    for at in range(0, len(pieces), 2):
        if "@" in pieces[at]:
            pieces[at] = rename_globals(pieces[at], names)
