"""Files that are named for profiles and are none: what they are, and what to do with them, or which was meant."""

import os
from itertools import islice
from pathlib import Path
from shlex import quote

from sonde.base.errors import InputError
from sonde.base.near_names import did_you_mean, near_names
from sonde.base.program_sources import PROGRAM_SOURCES

_TRACES = {b"SONDETRC": "a trace of calls", b"SONDEADR": "a trace of addresses"}
"""How other files of sonde's begin, and what they are."""
_ELF = b"\x7fELF"
"""A native program begins so."""
_FILES_COMPARED = 2000
"""Names in a folder that are compared with one that is not in it: more would take longer than people wait for a no."""


def other_file(path: Path, beginning: bytes) -> InputError:
    """The error for a file that is none of the store's, by its first bytes."""
    what, hint = _what(path, beginning)
    return InputError(f"cannot read '{path}': it is {what}", slug="not-a-profile", hint=hint)


def near_files(path: Path) -> str | None:
    """The hint for a file that is not there: those in its folder that are called much the same."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, _FILES_COMPARED)]
    except OSError:
        return None
    return did_you_mean((str(path.with_name(name)) for name in near_names(path.name, names)), None)


def _what(path: Path, beginning: bytes) -> tuple[str, str]:
    """What it is, and the hint."""
    word = quote(str(path))
    if beginning[:8] in _TRACES:
        return _TRACES[beginning[:8]], f"sonde replay {word}"
    if _is_python(path, beginning):
        return "a Python program, and no profile of one", f"sonde contexts {word}"
    if beginning.startswith(_ELF):
        return "a program, and no profile of one", f"sonde memory -- {quote(str(path.resolve()))}"
    if path.suffix in PROGRAM_SOURCES:
        return "the source of a program, and no profile of one", f"sonde contexts {word}"
    what = "not a SQLite database, as all profiles and results are"
    if path.suffix == ".json":
        return what, f"measurements of another tool: sonde bench compare {word} OTHER"
    return what, "sonde contexts -o run.sonde app.py records a profile"


def _is_python(path: Path, beginning: bytes) -> bool:
    return path.suffix in (".py", ".pyw") or (
        beginning.startswith(b"#!") and b"python" in beginning.partition(b"\n")[0]
    )
