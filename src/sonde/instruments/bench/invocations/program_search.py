"""Which file a command's first word names, found before anything is measured."""

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sonde.base.errors import UsageError
from sonde.base.near_names import did_you_mean, near_names


def find_program(word: str, *, folder: Path, search_path: str) -> Path:
    """The file that running `word` would execute.

    Args:
        word: a name to look for, or a path when there is a slash in it.
        folder: what relative paths are relative to.
        search_path: folders separated by colons, as in `PATH`.
    Raises:
        UsageError: `no-such-command`; `cannot-execute`: it exists and is not a program.
    """
    found = _search(word, folder, search_path)
    if not os.access(found, os.X_OK):  # it was there before, and is no more
        _search.cache_clear()
        found = _search(word, folder, search_path)
    return found


@lru_cache(maxsize=256)  # looking into every folder of a long PATH takes longer than starting a process
def _search(word: str, folder: Path, search_path: str) -> Path:
    candidates = [folder / word] if "/" in word else [folder / place / word for place in search_path.split(":")]
    there: Path | None = None
    for candidate in candidates:
        try:
            mode = candidate.stat().st_mode
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(mode) and os.access(candidate, os.X_OK):
            _check_interpreter(word, candidate)
            return candidate
        there = there or candidate
    if there is None:
        raise _no_such_command(word, folder, search_path)
    fact = "is a folder" if there.is_dir() else "may not be executed"
    hint = None if there.is_dir() else _how_to_run(there)
    raise UsageError(f"cannot run '{word}': '{there}' {fact}", slug="cannot-execute", hint=hint)


def _check_interpreter(word: str, program: Path) -> None:
    """A script whose interpreter is missing fails as if it were missing itself: say which one is."""
    try:
        with program.open("rb") as stream:
            first = stream.readline(256)
    except OSError:  # may be executed, may not be read
        return
    words = first[2:].split()
    if first.startswith(b"#!") and words and not os.path.exists(words[0]):  # noqa: PTH110 - bytes are no Path
        raise UsageError(
            f"cannot run '{word}': its first line asks for '{os.fsdecode(words[0])}', which does not exist",
            slug="cannot-execute",
        )


def _how_to_run(file: Path) -> str | None:
    if file.suffix == ".py":
        return f"python {file}"
    return f"chmod +x {file}" if file.suffix else None


def _no_such_command(word: str, folder: Path, search_path: str) -> UsageError:
    if "/" in word:
        fact = "no such file" if Path(word).is_absolute() else f"no such file in '{folder}'"
        try:
            names = {entry.name for entry in (folder / word).parent.iterdir()}
        except OSError:
            names = set()
        near = [str(Path(word).parent / name) for name in near_names(Path(word).name, names)]
    else:
        fact = "no program of that name is on PATH"
        near = near_names(word, set(_programs(search_path)))
        if (folder / word).is_file():
            near = [f"./{word}", *near]
    return UsageError(f"cannot run '{word}': {fact}", slug="no-such-command", hint=did_you_mean(near, None))


def _programs(search_path: str) -> Iterator[str]:
    for place in search_path.split(":"):
        try:
            yield from os.listdir(place or ".")  # noqa: PTH208 - names are all that is asked for
        except OSError:
            continue
