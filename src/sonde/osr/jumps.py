"""Jumps to addresses of blocks (`indirectbr`) in continuations: they must stay within the continuation.

A continuation has blocks, and tables of their addresses, of its own. An address that the function that is left has
taken already, and hands over, would lead back into it.
"""

import re
from collections.abc import Iterable, Mapping

from sonde.ir import Function, Instruction, Module
from sonde.ir.names import globals_in
from sonde.osr.refusals import Refused

_ADDRESS = re.compile(r'blockaddress\((@(?:[-\w.$]+|"[^"]*")), (%(?:[-\w.$]+|"[^"]*"))\)')
_FROM_POINTERS = ("phi", "select", "freeze", "getelementptr", "load", "bitcast", "addrspacecast", "inttoptr")


def settle_jumps(module: Module, g: Function, tables: Iterable[str], given: Iterable[str]) -> None:
    """Take out the tables that a continuation does not use, and refuse it where it may jump elsewhere.

    Args:
        tables: the continuation's own.
        given: its parameters.
    Raises:
        Refused: `indirect branch`.
    """
    texts = [piece for each in g.instructions() for piece in each.pieces[::2] if "@" in piece]
    used = {name for text in texts for name in globals_in(text)}
    for table in tables:
        if table not in used:
            del module.globals[table]
        else:
            texts.append(module.globals[table].text)
    blocks = {each.name for each in g.blocks}
    for text in texts:
        if "blockaddress(" in text:
            for function, block in _ADDRESS.findall(text):
                if function == g.name and block not in blocks:
                    raise Refused("indirect branch", f"{g.name} goes on to use the address of {block}, which it left")
    jumps = [each for each in g.instructions() if each.opcode == "indirectbr"]
    if jumps:
        _check_sources(g, jumps, set(given))


def _check_sources(g: Function, jumps: list[Instruction], given: set[str]) -> None:
    """Refuse a jump to an address that may be a parameter's, or be loaded through one."""
    definitions: Mapping[str, Instruction] = g.definitions()
    waiting, seen = [each.pieces[1] for each in jumps], set[str]()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in given:
            raise Refused("indirect branch", f"{g.name} may jump to an address of a block that it was handed over")
        made = definitions.get(value)
        if made is not None and made.opcode in _FROM_POINTERS:
            sources = [*made.uses()]
            if made.opcode in ("getelementptr", "load"):  # of these, the pointer alone is an address
                sources = sources[:1] if made.pieces[0].endswith("ptr ") else []
            waiting += sources
