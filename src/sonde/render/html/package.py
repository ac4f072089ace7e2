"""Whose code a function is: the group that gives a frame its colour."""

import sys
from pathlib import PurePath

from sonde.code import Function, origin_of

BUILT_IN = "built-in"
STANDARD_LIBRARY = "standard library"
SYSTEM = "system"
UNKNOWN = "unknown"


def package_of(function: Function) -> str:
    """The top-level package of a function, with two groups of our own for Python itself; of compiled code, its file.

    >>> package_of(Function("loads", "json", "/usr/lib/python3.11/json/__init__.py", 299))
    'standard library'
    >>> package_of(Function("Parser.parse", "docutils.parsers.rst", "states.py", 1))
    'docutils'
    >>> package_of(Function("insert", "", "/src/tree.c", 7, language="jit"))
    'tree.c'
    """
    if function.kind == "builtin":
        return BUILT_IN
    if function.kind == "thread":
        return function.module
    if function.language in ("native", "jit") and not function.module:
        return (
            SYSTEM if origin_of(function) == "system" else PurePath(function.file or function.library).name or UNKNOWN
        )
    top = function.module.partition(".")[0]
    # A module of the program may carry the name of a standard one: where it lies decides.
    if top in sys.stdlib_module_names and "site-packages" not in function.file:
        return STANDARD_LIBRARY
    return top or UNKNOWN
