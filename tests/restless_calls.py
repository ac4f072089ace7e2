"""Which calls `sampled_programs/restless.py` has: what a profile of it must not invent."""

from pathlib import Path

from sonde.code import Function
from sonde.instruments.contexts.profile import COLLECTING, NO_PARENT, ContextProfile

RESTLESS = Path(__file__).with_name("sampled_programs") / "restless.py"


def bare_name(function: Function) -> str:
    """A function's own name."""
    return function.name.rpartition(".")[2].split(" in ")[0]


def can_be(function: Function, caller: Function | None, line: int, source: list[str]) -> bool:
    """Whether the restless program has such a call; it may collect garbage anywhere."""
    if function == COLLECTING:
        return caller is not None
    name = bare_name(function)
    if function.file.startswith("made ") and name != "<module>":
        made = (f"made_{function.first_line}", f"made {function.first_line}")
        if (name, function.file) != made:
            return False
    if caller is None:
        return name in ("<module>", "_bootstrap", "_shutdown") or function.file.startswith("<frozen ")
    if caller.file.startswith("made "):
        return (name, line) == ("leaf", caller.first_line)
    if caller.file.endswith("restless.py"):
        text = source[line - 1]
        is_implicit = name == "<lambda>" and ("reduce" in text or "sorted" in text)
        return is_implicit or name.partition("_")[0] in text or name in text or "any" in text
    return True


def invented_calls(profile: ContextProfile) -> dict[object, int]:
    """Calls that the program does not have: function, caller, line; and their own nanoseconds."""
    source = RESTLESS.read_text(encoding="utf-8").splitlines()
    tree, functions = profile.contexts, profile.functions
    invented: dict[object, int] = {}
    for row, number in enumerate(tree.function):
        function, line = functions[number], tree.call_line[row]
        caller = None if tree.parent[row] == NO_PARENT else functions[tree.function[tree.parent[row]]]
        if not can_be(function, caller, line, source):
            invented[function, caller, line] = tree.self_ns[row]
    return invented
