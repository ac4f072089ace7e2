"""What a call calls, as the program spells it: `len`, `self.items.append`.

A compiler of Python gives each instruction the range of source that it comes from. A call and what it calls begin at
the same place, its arguments elsewhere: what is called is what was loaded last before the call from the place where the
call begins.
"""

from collections.abc import Sequence

from sonde.instruments.decisions.readers.cpython.record import Instruction, RecordedCode

_PASSED_OVER = {"PUSH_NULL", "PRECALL", "KW_NAMES", "RESUME", "NOP", "COPY_FREE_VARS", "COPY"}
_GLOBALS = {"LOAD_NAME": 0, "LOAD_GLOBAL": 1}
"""Instruction -> by how many bits the index of the name is shifted."""
_LOCALS = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF", "LOAD_CLASSDEREF"}
_UNKNOWN = "?"


def called_name(code: RecordedCode, instructions: Sequence[Instruction], index: int, minor: int) -> str | None:
    """Name what the call at `index` calls; None where it has no name, e.g. `f()()` or the end of a `with`.

    What a name's attribute is looked up in may be no name: `f(x).append` is `?.append`.
    """
    return _loaded(code, instructions, index, minor)


def _loaded(code: RecordedCode, instructions: Sequence[Instruction], before: int, minor: int) -> str | None:
    start = _start(instructions[before])
    if start == (None, None):
        return None
    for index in range(before - 1, -1, -1):
        instruction = instructions[index]
        if _start(instruction) != start or instruction.name in _PASSED_OVER:
            continue
        name, argument = instruction.name, instruction.argument
        if name in _GLOBALS:
            return _item(code.names, argument >> _GLOBALS[name])
        if name in _LOCALS:
            return _item(code.local_names, argument)
        if name in ("LOAD_ATTR", "LOAD_METHOD"):
            attribute = _item(code.names, argument >> 1 if minor >= 12 and name == "LOAD_ATTR" else argument)
            owner = _loaded(code, instructions, index, minor)
            return attribute and f"{owner or _UNKNOWN}.{attribute}"
        if name == "LOAD_SUPER_ATTR":
            attribute = _item(code.names, argument >> 2)
            return attribute and f"super().{attribute}"
        if name == "LOAD_BUILD_CLASS":
            return "__build_class__"
        return None
    return None


def _start(instruction: Instruction) -> tuple[int | None, int | None]:
    return instruction.span.line, instruction.span.column


def _item(names: Sequence[str], index: int) -> str | None:
    return names[index] if index < len(names) else None
