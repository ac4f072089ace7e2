"""Where output goes: paths that are checked before any work, files that are whole, JSON with a version."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from sonde.cli.deep_json import compact_json
from sonde.errors import SondeError, UsageError


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add `--json`, the machine-readable form of a verb's answer."""
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead of text")


def add_force_option(parser: argparse.ArgumentParser) -> None:
    """Add `--force`, without which nothing that exists is overwritten."""
    parser.add_argument("--force", action="store_true", help="overwrite the output if it exists")


def check_output_path(path: Path, *, force: bool, device_allowed: bool = True) -> Path:
    """Refuse an output that exists or cannot be created, before any work is done.

    Args:
        device_allowed: whether a device or pipe will do, which need no `force`.
    Raises:
        UsageError: it exists and `force` is false.
        SondeError: its folder is missing or not writable, or it is a folder; or it is `-`, which stands for a stream.
    """
    if str(path) == "-":  # verbs that write to a stream do not ask
        raise SondeError(
            "cannot write to '-': this output goes into a file, not into a stream",
            slug="cannot-write",
            hint="name a file",
        )
    if path.is_dir():
        raise SondeError(f"cannot write '{path}': it is a folder", slug="cannot-write", hint="name a file in it")
    if path.exists() and not path.is_file():
        if device_allowed:
            return path
        raise SondeError(f"cannot write '{path}': it is not a regular file", slug="cannot-write")
    if path.exists() and not force:
        raise UsageError(
            f"cannot write '{path}': it exists already", slug="output-exists", hint="add --force to overwrite it"
        )
    folder = path.parent
    if not folder.is_dir():
        raise SondeError(
            f"cannot write '{path}': there is no folder '{folder}'", slug="cannot-write", hint=f"mkdir -p {folder}"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SondeError(
            f"cannot write '{path}': no permission to write in '{folder}'",
            slug="cannot-write",
            hint="choose another place with -o",
        )
    return path


def print_json(kind: str, version: int, fields: dict[str, Any]) -> None:
    """Print `{"schema": "sonde.<kind>/<version>", ...}` as one line on stdout."""
    print(compact_json({"schema": f"sonde.{kind}/{version}", **fields}))


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name when it is whole, and is deleted when it does not get that far.

    A device or pipe is written directly, a link is followed: replacing either with a file is
    not what was asked.

    Raises:
        SondeError: `cannot-write`.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield stream
            return
        goal = path.resolve()
        partial = goal.with_name(f".{goal.name}.{os.getpid()}.partial")
        try:
            with partial.open("wb") as stream:
                yield stream
            partial.replace(goal)
        finally:
            partial.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SondeError(
            f"cannot write '{path}': {error.strerror or error}",
            slug="cannot-write",
            hint="choose another place with -o, or make room",
        ) from error
