"""Where code is from: the program's own, a library that was installed, the standard library, the interpreter."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from sonde.code.function import Function

Origin = Literal["own", "installed", "standard library", "system", "interpreter"]
"""`system` is what the operating system brings: the C library, headers of the compiler."""

_INSTALLED = re.compile(r"/(?:site|dist)-packages/")
_STANDARD = re.compile(r"/lib(?:64)?/(?:python|pypy)\d[\d.]*(?:/|\.zip/)|^<frozen ")
_INTERPRETER = re.compile(r"(?:^|/)(?:libpython[\d.]*\.so|python[\d.]*$|_?sonde[^/]*\.so)")
_SYSTEM = re.compile(r"^/(?:usr|lib\d*|opt)/|(?:^|/)ld-linux|^\[(?:vdso|vsyscall)\b")
_SYSTEM_LIBRARY = re.compile(r"^/(?:usr/)?lib\d*/|(?:^|/)ld-linux|^\[(?:vdso|vsyscall)\b")
_IMPORT_MODULES = frozenset(
    {"importlib._bootstrap", "importlib._bootstrap_external", "_frozen_importlib", "_frozen_importlib_external"}
)
_JAVA = re.compile(r"(?:java|javax|jdk|sun|com\.sun)[./]")


def origin_of(function: Function) -> Origin:
    """Where a function is from, as far as its file, library and name tell.

    What is in no known place is the program's own: nothing that a user wrote is taken for a library's, unless it was
    installed like one.

    >>> origin_of(Function("get", "requests", "/v/lib/python3.12/site-packages/requests/api.py", 1))
    'installed'
    >>> origin_of(Function("main", "__main__", "/home/ada/app.py", 1))
    'own'
    >>> origin_of(Function("len", "builtins", "", 0, "builtin"))
    'interpreter'
    >>> [origin_of(Function("__lt__", module, "<string>", 2)) for module in ("__main__", "app", "namedtuple_P", "enum")]
    ['own', 'own', 'standard library', 'standard library']
    """
    file = function.file.replace("\\", "/")
    match function.language:
        case "java":
            return "standard library" if _JAVA.match(function.name) else "own"
        case "python":
            return _of_python(function, file)
        case _:
            return _of_machine_code(file, function.library)


def is_import_machinery(function: Function) -> bool:
    """Whether it is a part of the interpreter's way to find, load and run modules of Python.

    >>> is_import_machinery(Function("_find_and_load", "", "<frozen importlib._bootstrap>", 1165))
    True
    """
    return function.module in _IMPORT_MODULES or function.file.startswith("<frozen importlib.")


def is_launch_machinery(function: Function) -> bool:
    """Whether it is a part of the way in which `python -m` runs a module.

    >>> is_launch_machinery(Function("_run_code", "runpy", "<frozen runpy>", 65))
    True
    """
    return function.module == "runpy" or function.file == "<frozen runpy>"


def has_known_place(function: Function) -> bool:
    """Whether its file or its module is known.

    Else it was compiled from a string, and by whom is not known: methods of named tuples, which are the standard
    library's, have no module where they are seen from outside.

    >>> known = Function("work", "", "/home/ada/app.py", 1), Function("f", "app", "<string>", 1)
    >>> [has_known_place(each) for each in (*known, Function("<lambda>", "", "<string>", 1))]
    [True, True, False]
    """
    return bool(function.module) or not function.file.startswith("<")


def origins_of(functions: Iterable[Function]) -> dict[Function, Origin]:
    """Where each function of one program is from.

    Code that was compiled from a string, such as the methods of a data class, is from where the rest of its package is.

    >>> of = origins_of([Function("visit", "black.nodes", "/v/lib/python3.12/site-packages/black/nodes.py", 1),
    ...     Function("__eq__", "black.mode", "<string>", 2), Function("__eq__", "app", "<string>", 2)])
    >>> list(of.values())
    ['installed', 'installed', 'own']
    """
    found = {function: origin_of(function) for function in functions}
    packages: dict[str, set[Origin]] = defaultdict(set)
    for function, origin in found.items():
        if function.file and not function.file.startswith("<"):
            packages[_package(function)].add(origin)
    for function in found:
        of_package = packages.get(_package(function), ())
        if function.file.startswith("<") and len(of_package) == 1 and _package(function) != "__main__":
            (found[function],) = of_package
    return found


def _package(function: Function) -> str:
    return function.module.partition(".")[0]


def _of_python(function: Function, file: str) -> Origin:
    if function.kind == "builtin":
        return "interpreter"
    if _INSTALLED.search(file):
        return "installed"
    if file.startswith("<") and _is_made_by_standard_library(function.module):
        return "standard library"
    return "standard library" if _STANDARD.search(file) else "own"


def _is_made_by_standard_library(module: str) -> bool:
    """Of code that was compiled from a string: `exec` in a module of it, or the methods of named tuples."""
    root = module.partition(".")[0]
    return root.startswith("namedtuple_") or (root != "__main__" and root in sys.stdlib_module_names)


def _of_machine_code(file: str, library: str) -> Origin:
    if _INSTALLED.search(file) or _INSTALLED.search(library):
        return "installed"
    if _INTERPRETER.search(library):
        return "interpreter"
    if _STANDARD.search(library):  # extension modules that come with Python
        return "standard library"
    # Debugging information of distributions names files without the folders they were built in: `malloc.c`,
    # `./stdlib/msort.c` of the C library.
    is_without_folder = "/" not in file or file.startswith(".")
    library_tells = _SYSTEM if not file else _SYSTEM_LIBRARY if is_without_folder else None
    return "system" if _SYSTEM.search(file) or (library_tells and library_tells.search(library)) else "own"
