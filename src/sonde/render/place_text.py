"""Where code is, in as few letters as tell it: `docutils/nodes.py:120`, not the whole path."""

from dataclasses import replace

from sonde.base.fitted_text import display_width, keep_end, keep_start, printable
from sonde.code import Function, Place

LEAST_PLACE = 10
"""A place cut to less than this would not tell anything: `…ser.py:12`."""


def place_of(function: Function) -> Place:
    """Where a function begins."""
    return Place(function.file or function.library, function.first_line, function)


def short_place(place: Place) -> str:
    """Write `file:line` with as many folders as the module's name has parts, or one when it is not known.

    >>> short_place(Place("/home/me/src/app/parser.py", 12, Function("parse", "app.parser", "", 12)))
    'app/parser.py:12'
    >>> short_place(Place("/home/me/run.py", 3, Function("main", "__main__", "/home/me/run.py", 3)))
    'run.py:3'
    >>> short_place(Place("src/sum.c", 14))
    'src/sum.c:14'
    >>> short_place(place_of(Function("list.append", "builtins", "", 0, "builtin")))
    '(built-in)'
    >>> short_place(Place("alloc.h", 9, inlined_into=(Place("src/sum.c", 14),)))
    'src/sum.c:14 → alloc.h:9'
    """
    if place.inlined_into:
        innermost = short_place(replace(place, inlined_into=()))
        return f"{short_place(place.inlined_into[0])} → {innermost}"
    function = place.function
    if function is not None and function.kind == "thread":
        return printable(function.module)
    if function is not None and not place.file and function.kind != "builtin":
        return printable(function.label)
    if function is not None and function.kind == "builtin":
        return "(built-in)" if function.module in ("", "builtins") else f"(built-in {printable(function.module)})"
    file = _short_file(place)
    return f"{file}:{place.line}" if file and place.line else file


def fitting_place(place: Place, width: int) -> str:
    """Write the place in so many columns: fewer folders first, then the end of the file name; else nothing.

    >>> fitting_place(Place("src/summing/sum.c", 14), 10), fitting_place(Place("src/a_long_name.c", 14), 12)
    ('sum.c:14', '…g_name.c:14')
    >>> fitting_place(Place("std/alloc.h", 9, inlined_into=(Place("src/sum.c", 14),)), 20)
    'sum.c:14 → alloc.h:9'
    """
    text = short_place(place)
    if not place.inlined_into:
        return fitting_path(text, width)
    if display_width(text) <= width:
        return text
    outer, inner = place.inlined_into[0], replace(place, inlined_into=())
    return keep_start(f"{_bare_place(outer)} → {_bare_place(inner)}", width) if width >= LEAST_PLACE else ""


def _bare_place(place: Place) -> str:
    text = short_place(replace(place, inlined_into=()))
    return text.rpartition("/")[2] if place.file else text


def moved_place(before: Place | None, after: Place | None) -> str:
    """Write a place with its line before and after, where that is another one.

    >>> moved_place(Place("src/sum.c", 14), Place("src/sum.c", 16)), moved_place(Place("src/sum.c", 14), None)
    ('src/sum.c:14→16', 'src/sum.c:14')
    """
    place = after or before
    if place is None:
        return ""
    if before is None or not before.line or not place.line or before.line == place.line:
        return short_place(place)
    return f"{short_place(replace(place, line=0))}:{before.line}→{place.line}"


def fitting_path(text: str, width: int) -> str:
    """Leave out the first folders of a path until it fits; else keep its end, if that still tells anything."""
    while display_width(text) > width and "/" in text:
        text = text.partition("/")[2]
    if display_width(text) <= width:
        return text
    return keep_end(text, width) if width >= LEAST_PLACE else ""


def _short_file(place: Place) -> str:
    if not place.file or place.file.startswith("<"):
        return printable(place.file)
    parts = place.file.replace("\\", "/").split("/")
    module = place.function.module if place.function is not None else ""
    if not module:
        is_library = place.function is not None and place.file == place.function.library
        return printable("/".join(parts[-1 if is_library else -2 :]))
    is_package = parts[-1] in ("__init__.py", "__main__.py")
    depth = module.count(".") + 1 + (is_package and module != "__main__")
    return printable("/".join(parts[-max(depth, 1 + is_package) :]))
