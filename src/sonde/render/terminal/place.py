"""Where a function is, in as few letters as tell it: `docutils/nodes.py:120`, not the whole path."""

from sonde.base.fitted_text import display_width, keep_end, printable
from sonde.events import Function

_LEAST_PLACE = 10
"""A place cut to less than this would not tell anything: `…ser.py:12`."""


def short_place(function: Function) -> str:
    """Write `file:line` with as many folders as the module's name has parts.

    >>> short_place(Function("parse", "app.parser", "/home/me/src/app/parser.py", 12))
    'app/parser.py:12'
    >>> short_place(Function("main", "__main__", "/home/me/run.py", 3))
    'run.py:3'
    >>> short_place(Function("list.append", "builtins", "", 0, "builtin"))
    '(built-in)'
    """
    if function.kind == "builtin" or not function.file:
        return "(built-in)" if function.module in ("", "builtins") else f"(built-in {printable(function.module)})"
    return f"{short_file(function)}:{function.first_line}"


def fitting_place(function: Function, width: int) -> str:
    """Write the place in so many columns: fewer folders first, then the end of the file name; else nothing."""
    place = short_place(function)
    while display_width(place) > width and "/" in place:
        place = place.partition("/")[2]
    if display_width(place) <= width:
        return place
    return keep_end(place, width) if width >= _LEAST_PLACE else ""


def short_file(function: Function) -> str:
    """Write the file as in `short_place`, without the line."""
    file = function.file
    if file.startswith("<"):
        return printable(file)
    parts = file.replace("\\", "/").split("/")
    is_package = parts[-1] in ("__init__.py", "__main__.py")
    depth = function.module.count(".") + 1 + (is_package and function.module != "__main__")
    return printable("/".join(parts[-max(depth, 1 + is_package) :]))
