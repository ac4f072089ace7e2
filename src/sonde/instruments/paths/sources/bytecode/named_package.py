"""The package that `-m` names: it is the program, wherever it is installed. Runs in the measured process."""

import os
from collections.abc import Sequence
from importlib.util import find_spec

_WITH_VALUE = frozenset(("-W", "-X", "--check-hash-based-pycs"))
"""Options of Python's that take the next word."""


def named_package(words: Sequence[str]) -> str:
    """What the files of the package or module begin with that a command line of Python runs; empty if it runs none.

    The package is found, and not imported.

    >>> named_package(["python", "-X", "dev", "-m", "json.tool", "x"]).endswith("/json/")
    True
    >>> named_package(["python", "app.py", "-m", "json.tool"]), named_package(["python", "-m", "no_such_module"])
    ('', '')
    """
    name = _module_of(words).partition(".")[0]
    try:
        spec = find_spec(name) if name else None
    except (ImportError, ValueError):
        return ""
    if spec is None:
        return ""
    folders = list(spec.submodule_search_locations or ())
    return f"{folders[0]}{os.sep}" if folders else spec.origin or ""


def _module_of(words: Sequence[str]) -> str:
    at = 1
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        if word in ("-", "--", "-c") or word.startswith("-c"):
            return ""
        if word.startswith("-m"):
            return word[2:] or "".join(words[at + 1 : at + 2])
        if not word.startswith("--") and word.endswith("m"):  # several letters in one word: `-Im`
            return "".join(words[at + 1 : at + 2])
        at += 2 if word in _WITH_VALUE else 1
    return ""
