"""The metadata that is one function's own, and copies of it for a clone."""

import re
from collections.abc import Iterable, Mapping

from sonde.ir.function import Function
from sonde.ir.metadata import kind_of, renumber
from sonde.ir.module import Module

_LOCAL_KINDS = frozenset(
    (
        "DILexicalBlock", "DILexicalBlockFile", "DICommonBlock", "DILocalVariable", "DILabel", "DILocation",
        "DIAssignID", "DIImportedEntity", "",
    )
)  # fmt: skip
"""What may belong to a function, besides its `DISubprogram`: types, files and units never do. Tuples have no kind."""

_PLAIN_REFERENCE = re.compile(r"!([0-9]+)")
_REFERENCE = re.compile(r'"[^"]*"|!([0-9]+)')
_SUBPROGRAM = re.compile(r"(?:^| )!dbg !([0-9]+)")
_LOOP = re.compile(r", !llvm\.loop !([0-9]+)")
_ASSIGNMENT = re.compile(r"!DIAssignID !([0-9]+)")


def references(text: str) -> list[int]:
    """As `sonde.ir.metadata.references`: half of the time of many edits is spent here, so it is said for speed."""
    if '"' not in text:
        return [int(number) for number in _PLAIN_REFERENCE.findall(text)]
    return [int(number) for number in _REFERENCE.findall(text) if number]


def metadata_roots(function: Function) -> set[int]:
    """The nodes that a function's text refers to."""
    found = set(references(function.signature.suffix))
    found.update(references(function.attachments))
    for instruction in function.instructions():
        for piece in instruction.pieces[::2]:
            if "!" in piece:
                found.update(references(piece))
        for record in instruction.records:
            for piece in record.pieces[::2]:
                if "!" in piece:
                    found.update(references(piece))
    return found


def own_nodes(module: Module, function: Function) -> list[int]:
    """The nodes that describe this function and no other, so that a clone needs its own.

    They are its `DISubprogram`; what is scoped in it, however deep: blocks, variables, labels, locations, and the
    locations of all that was inlined into it; its loops and assignments; and tuples that refer to any of these.
    Types declared in it stay the original's, as they do when LLVM clones: they are the same types.
    """
    seeds = {int(match.group(1)) for match in _SUBPROGRAM.finditer(function.signature.suffix)}
    for instruction in function.instructions():
        text = instruction.pieces[-1]
        if ", !llvm.loop !" in text or "!DIAssignID !" in text:
            seeds.update(int(number) for number in _LOOP.findall(text) + _ASSIGNMENT.findall(text))
    users = _users(module.metadata, metadata_roots(function), seeds)
    own = {seed for seed in seeds if seed in module.metadata}
    waiting = list(own)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in own:
                own.add(user)
                waiting.append(user)
    return sorted(own)


def copy_nodes(module: Module, nodes: Iterable[int]) -> dict[int, int]:
    """Add copies of nodes that refer to one another as the originals do.

    Returns: node -> its copy.
    """
    new_numbers = {node: module.add_metadata("") for node in nodes}
    for node, copy in new_numbers.items():
        module.metadata[copy] = renumber(module.metadata[node], new_numbers)
    return new_numbers


def _users(metadata: Mapping[int, str], roots: Iterable[int], seeds: Iterable[int]) -> dict[int, list[int]]:
    """Node -> the nodes that refer to it, as far as one can get from `roots` without leaving the function."""
    users: dict[int, list[int]] = {}
    seen = set(seeds)
    waiting = [*seen, *(root for root in roots if root not in seen)]
    seen.update(waiting)
    inside = set(seeds)
    while waiting:
        node = waiting.pop()
        text = metadata.get(node)
        if text is None or (node not in inside and kind_of(text) not in _LOCAL_KINDS):
            continue
        for other in references(text):
            users.setdefault(other, []).append(node)
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return users
