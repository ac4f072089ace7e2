"""From what CPython says of a code object to what a person calls it."""

from sonde.code import IMPLICIT, Function, FunctionKind

_OPTIMIZED = 0x0001
"""CO_OPTIMIZED: set for functions, not for modules, class bodies and exec'd code."""
_BUILTIN = 0x8000_0000
"""Set by the agent for functions written in C."""


def function_of_code(qualified_name: str, module: str, file: str, first_line: int, flags: int) -> Function:
    """Name a code object, or a C function, as a person would.

    Args:
        qualified_name: `co_qualname`, or the name that the agent gave to a C function.
        module: `__name__` of the globals that it first ran in; may be empty.
        flags: `co_flags`, or `0x80000000` for a C function.

    >>> function_of_code("Task.run.<locals>.<listcomp>", "app", "app.py", 9, 0x13).label
    'list comprehension in Task.run'
    >>> function_of_code("Shape", "app", "app.py", 20, 0x0).label
    'class Shape'
    >>> function_of_code("<module>", "app.shapes", "shapes.py", 1, 0x0).label
    '<module app.shapes>'
    >>> function_of_code("<module>", "__main__", "<string>", 1, 0x0).label
    '<code string>'
    """
    if flags & _BUILTIN:
        qualifier = f"{module}." if module and module != "builtins" else ""
        return Function(f"{qualifier}{qualified_name}", module, "", 0, "builtin")
    kind: FunctionKind
    outer, _, name = qualified_name.rpartition(".")
    outer = outer.removesuffix(".<locals>")
    if name in IMPLICIT:
        kind = "generator expression" if name == "<genexpr>" else "comprehension"
        return Function(f"{IMPLICIT[name]} in {outer or module or file}", module, file, first_line, kind)
    if name == "<lambda>":
        kind = "lambda"
    elif flags & _OPTIMIZED:
        kind = "function"
    elif name != "<module>":
        kind = "class body"
    else:
        kind = "dynamic code" if file.startswith("<") and not file.startswith("<frozen ") else "module"
    return Function(qualified_name, module, file, first_line, kind)
