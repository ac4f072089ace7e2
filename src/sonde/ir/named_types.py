"""Telling named types from values: `%T` may be either, and may be both."""

import re
from collections.abc import Container

from sonde.ir.function import Function

_TAKES_TYPE = re.compile(
    r"(?:^|[ ,(])(?:alloca|inalloca|load(?: atomic)?(?: volatile)?|landingpad|to"
    r"|getelementptr(?: \w+(?:\([^)]*\))?)*|\[[0-9]+ x|<[0-9]+ x|x|\{|<\{) $|\($"
)
"""What is written before a type that no value follows: `alloca `, `getelementptr inbounds `, `sret(`, members."""

_AFTER_VALUE = re.compile(r" (?:\]|\s*to |unwind|syncscope|unordered|monotonic|acquire|release|acq_rel|seq_cst)")
"""What is written after a value but not after a type."""


def keep_types(function: Function, types: Container[str]) -> None:
    """Make the names of types in a function's instructions plain text, so that only values and blocks are names.

    Where a name is both, it is a type where a type must stand: before a value, or where no value can be.
    """
    ambiguous = {name for name in function.local_names() if name in types}
    for instruction in function.instructions():
        if any(name in types for name in instruction.pieces[1::2]):
            instruction.pieces = _joined(instruction.pieces, types, ambiguous)
        for record in instruction.records:
            if any(name in types for name in record.pieces[1::2]):
                record.pieces = _joined(record.pieces, types, ambiguous)


def _joined(pieces: list[str], types: Container[str], ambiguous: Container[str]) -> list[str]:
    joined = [pieces[0]]
    for at in range(1, len(pieces), 2):
        name, after = pieces[at], pieces[at + 1]
        if name in types and (name not in ambiguous or _is_type(pieces, at)):
            joined[-1] += name + after
        else:
            joined += (name, after)
    return joined


def _is_type(pieces: list[str], at: int) -> bool:
    before, after = pieces[at - 1], pieces[at + 1]
    if before.endswith(("label ", "within ")):
        return False
    if _TAKES_TYPE.search(before):
        return True
    if before.endswith(", ") and (pieces[0].startswith("va_arg ") or after.startswith((")", ", ...)"))):
        return True  # what is read, or a parameter in the type of a function
    # A value follows, perhaps after attributes: `%T %x`, `%T zeroinitializer`, `%T { ... }`, `%T noundef %x`.
    return after.startswith(" ") and not _AFTER_VALUE.match(after)
