"""PROGRAM as it is written on the command line, and the command that runs it."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.base.program_sources import PROGRAM_SOURCES
from sonde.launch.command_search import find_command
from sonde.launch.notebook_file import refuse_notebook


class Program(NamedTuple):
    """A command that runs a Python program."""

    argv: tuple[str, ...]
    """As it would be typed without sonde."""


def is_compiled(words: list[str]) -> bool:
    """Whether PROGRAM begins with a file that sonde compiles itself."""
    return bool(words) and Path(words[0]).suffix in PROGRAM_SOURCES


def program_of_words(words: list[str], verb: str = "contexts") -> Program:
    """Understand `script.py args`, `-m module args`, `-c code args` or `-- command args`.

    Args:
        verb: which hints are to name.
    Raises:
        UsageError: no program, or one that does not exist.
    """
    if not words:
        raise UsageError(
            "cannot run anything: no program was given",
            slug="no-program",
            hint=f"sonde {verb} app.py, sonde {verb} -m module, or sonde {verb} -- command",
        )
    first, *rest = words
    if first == "--":
        return Program(tuple(_command(rest)))
    if first in ("-m", "-c"):
        if not rest:
            raise UsageError(f"cannot run '{first}': nothing follows it", slug="no-program")
        if first == "-m":
            _check_module(rest[0], verb)
        return Program((sys.executable, first, *rest))
    if first != "-":
        _check_script(first, verb)
    return Program((sys.executable, *words))


def _command(words: list[str]) -> list[str]:
    if not words:
        raise UsageError("cannot run '--': no command follows it", slug="no-program")
    find_command(words[0])
    return words


def _check_script(path: str, verb: str) -> None:
    if not Path(path).exists():
        hint = f"sonde {verb} -m {path}" if "." not in path and "/" not in path else "check the path"
        raise UsageError(f"cannot run '{path}': no such file", slug="no-program", hint=hint)
    if not os.access(path, os.R_OK):
        raise UsageError(f"cannot run '{path}': no permission to read it", slug="no-program")
    refuse_notebook(path)


def _check_module(name: str, verb: str) -> None:
    # The program's own start resolves dotted names, which may run code of the parent package;
    # here only the top one is looked at.
    top = name.partition(".")[0]
    sys.path.insert(0, "")  # the folder that is worked in, which may be gone
    try:
        found = find_spec(top) is not None
    except (ImportError, ValueError):
        found = False
    finally:
        del sys.path[0]
    if not found:
        raise UsageError(
            f"cannot run module '{name}': this Python ({sys.executable}) has no module '{top}'",
            slug="no-program",
            hint=f"install it there, or use the Python that has it: sonde {verb} -- /path/to/python -m {name}",
        )
