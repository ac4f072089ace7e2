"""Names of modules, where only their files are known."""

import re
from functools import cache
from pathlib import Path

_LIBRARY = re.compile(r"/lib(?:64)?/python\d[\d.]*/(?:lib-dynload/)?(?=[^/])")
_INSTALLED = re.compile(r"/(?:site|dist)-packages/(?=[^/])")
_FROZEN = re.compile(r"<frozen (.+)>")


@cache
def module_of_file(file: str) -> str:
    """The module that a file is imported as, as far as its path and the packages around it tell; empty: unknown.

    >>> module_of_file("/v/lib/python3.12/site-packages/requests/api.py")
    'requests.api'
    >>> module_of_file("/usr/lib/python3.12/threading.py"), module_of_file("/usr/lib/python3.12/json/__init__.py")
    ('threading', 'json')
    >>> module_of_file("<frozen importlib._bootstrap>"), module_of_file("<string>")
    ('importlib._bootstrap', '')
    """
    if frozen := _FROZEN.fullmatch(file):
        return frozen[1]
    if not file.endswith(".py"):
        return ""
    found = list(_INSTALLED.finditer(file)) or list(_LIBRARY.finditer(file))
    parts = file[found[-1].end() :].split("/") if found else _in_packages(Path(file))
    parts[-1] = parts[-1].removesuffix(".py")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def _in_packages(path: Path) -> list[str]:
    """The names of the packages that a file is in, and its own."""
    parts = [path.name]
    for folder in path.parents:
        try:
            is_package = bool(folder.name) and (folder / "__init__.py").is_file()
        except OSError:
            is_package = False
        if not is_package:
            break
        parts.insert(0, folder.name)
    return parts
