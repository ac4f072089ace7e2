"""Optimization remarks written by hand, as LLVM writes them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a made-up program."""

    symbol: str
    line: int
    """Of its declaration."""
    brace: int = 0
    """Lines from there to its brace."""
    file: str = "prog.c"

    @property
    def begin(self) -> str:
        return f"{{ File: {self.file}, Line: {self.line + self.brace}, Column: 0 }}"


def place(file: str, line: int, column: int) -> str:
    return f"{{ File: {file}, Line: {line}, Column: {column} }}"


def remark(
    kind: str,
    pass_name: str,
    name: str,
    function: str,
    where: str | None,
    *arguments: tuple[str, str] | tuple[str, str, str],
) -> str:
    """One remark; an argument is a key, a value, and perhaps a place."""
    lines = [f"--- !{kind}", f"Pass:            {pass_name}", f"Name:            {name}"]
    if where is not None:
        lines.append(f"DebugLoc:        {where}")
    lines.append(f"Function:        {function}")
    if arguments:
        lines.append("Args:")
    for key, value, *rest in arguments:
        quoted = "'" + value.replace("'", "''") + "'"
        lines.append(f"  - {key}: {quoted}")
        lines += [f"    DebugLoc: {each}" for each in rest]
    return "\n".join([*lines, "...", ""])


def inlined(
    callee: Function, caller: Function, chain: Sequence[tuple[Function, int, int]], cost: int = 5, threshold: int = 225
) -> str:
    """`callee` was inlined; the chain is innermost first: the function that has the call, its line, its column."""
    links: list[tuple[str, str]] = []
    for number, (function, line, column) in enumerate(chain):
        links += [("String", " @ ")] if number else []
        relative = str((line - function.line) % (1 << 32))
        links += [
            ("String", function.symbol),
            ("String", ":"),
            ("Line", relative),
            ("String", ":"),
            ("Column", str(column)),
        ]
    innermost, line, column = chain[0]
    return remark(
        "Passed", "inline", "Inlined", caller.symbol, place(innermost.file, line, column),
        ("String", "'"), ("Callee", callee.symbol, callee.begin), ("String", "' inlined into '"),
        ("Caller", caller.symbol, caller.begin), ("String", "'"), ("String", " with "), ("String", "(cost="),
        ("Cost", str(cost)), ("String", ", threshold="), ("Threshold", str(threshold)), ("String", ")"),
        ("String", " at callsite "), *links, ("String", ";"),
    )  # fmt: skip


def too_costly(callee: Function, caller: Function, where: str, cost: int = 500, threshold: int = 225) -> str:
    """`callee` was not inlined."""
    return remark(
        "Missed", "inline", "TooCostly", caller.symbol, where,
        ("String", "'"), ("Callee", callee.symbol, callee.begin), ("String", "' not inlined into '"),
        ("Caller", caller.symbol, caller.begin), ("String", "' because too costly to inline "), ("String", "(cost="),
        ("Cost", str(cost)), ("String", ", threshold="), ("Threshold", str(threshold)), ("String", ")"),
    )  # fmt: skip


def stack_size(function: Function) -> str:
    """What is said of each function of which code was made."""
    return remark(
        "Analysis", "prologepilog", "StackSize", function.symbol, function.begin,
        ("NumStackBytes", "8"), ("String", " stack bytes in function '"), ("Function", function.symbol),
        ("String", "'"),
    )  # fmt: skip
