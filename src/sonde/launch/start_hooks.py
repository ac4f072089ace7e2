"""Code of sonde that a Python program runs at its start, before its own: each instrument has a hook, and one way there.

A hook is a file with a function `start(process, *fields)`; `process` is the `StartingProcess` of
`start_up/sitecustomize.py`, by which it loads an agent, or sonde. It needs nothing but the standard library, as it runs
in the program's interpreter, and leaves nothing behind that the program can see.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import sonde

START_UP = Path(__file__).resolve().with_name("start_up")
"""Folder on PYTHONPATH, in which Python finds a `sitecustomize` that runs hooks."""
_VARIABLE = "SONDE_START"


class StartHook(NamedTuple):
    """What programs run at their start."""

    file: Path
    folder: Path
    """Of the run: a process in which the hook fails leaves a note there (`refusals_in`)."""
    fields: tuple[str, ...] = ()
    """What `start` is given besides the process."""
    follow: bool = False
    """Processes that the program starts run it, too."""
    package: Path = Path(sonde.__file__).parent
    """Where sonde lies, with the agents for that Python."""


def with_start_hook(environment: Mapping[str, str], hook: StartHook) -> dict[str, str]:
    """The environment in which a Python runs a hook, before those that it would run without.

    A hook of the same file, which this process was given for those that it starts, is replaced.
    """
    paths = environment.get("PYTHONPATH")
    given = environment.get(_VARIABLE)
    had_path, *others = given.split(";") if given is not None else ["0" if paths is None else "1"]
    file = _hexadecimal(str(hook.file.resolve()))
    words = (str(hook.package), str(hook.folder.resolve()), str(os.getpid()), "1" if hook.follow else "", *hook.fields)
    hooks = (":".join((file, *map(_hexadecimal, words))), *(each for each in others if each.split(":")[0] != file))
    rest = [entry for entry in (paths or "").split(os.pathsep) if entry != str(START_UP)] if paths else []
    return {
        **environment,
        "PYTHONPATH": os.pathsep.join((str(START_UP), *rest)),
        _VARIABLE: ";".join((had_path, *hooks)),
    }


def _hexadecimal(word: str) -> str:
    return os.fsencode(word).hex()
