"""Where output goes: paths that are checked before any work, JSON with a version."""

import argparse
import os
from pathlib import Path
from shlex import quote
from typing import Any

from sonde.base.errors import SondeError, UsageError
from sonde.base.whole_file import goal_of
from sonde.options.deep_json import compact_json

_FORMS = ("html", "json", "markdown")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add `--json`, the machine-readable form of a verb's answer."""
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead of text")


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Add `--markdown`, the form of an answer for pull requests and CI, and `-v`, by which text tells more."""
    parser.add_argument("--markdown", action="store_true", help="print Markdown instead of text, for a pull request")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="say how it was measured, and all that is doubtful"
    )


def add_force_option(parser: argparse.ArgumentParser) -> None:
    """Add `--force`, without which nothing that exists is overwritten."""
    parser.add_argument("--force", action="store_true", help="overwrite the output if it exists")


def check_answer_options(arguments: argparse.Namespace, *, page_besides: bool = False) -> Path | None:
    """Refuse two forms at once, and a page that cannot be written, before any work.

    Args:
        page_besides: whether the page is written besides what is printed.
    Returns:
        where the page goes, if one is asked for.
    Raises:
        UsageError: `two-outputs`, `output-exists`.
        SondeError: `cannot-write`.
    """
    forms = [form for form in _FORMS if form != "html" or not page_besides]
    asked = [form for form in forms if getattr(arguments, form, None)]
    if len(asked) > 1:
        raise UsageError(
            f"cannot answer in two forms: --{asked[0]} and --{asked[1]} exclude each other",
            slug="two-outputs",
            hint="run the command once for each",
        )
    html: Path | None = getattr(arguments, "html", None)
    return None if html is None else check_output_path(html, force=arguments.force)


def check_output_path(
    path: Path, *, force: bool, device_allowed: bool = True, overwriting: str = "add --force to overwrite it"
) -> Path:
    """Refuse an output that exists or cannot be created, before any work is done.

    Args:
        overwriting: how the caller is told to overwrite, if not by an option of a command.
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
        raise UsageError(f"cannot write '{path}': it exists already", slug="output-exists", hint=overwriting)
    folder = _folder_of_target(path)
    if not folder.is_dir():
        raise SondeError(
            f"cannot write '{path}': there is no folder '{folder}'",
            slug="cannot-write",
            hint=f"mkdir -p {quote(str(folder))}",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SondeError(
            f"cannot write '{path}': no permission to write in '{folder}'",
            slug="cannot-write",
            hint="choose another place with -o",
        )
    return path


def _folder_of_target(path: Path) -> Path:
    """The folder that is written in: of what a link leads to."""
    if not path.is_symlink():
        return path.parent
    try:
        return goal_of(path).parent
    except OSError:
        raise SondeError(
            f"cannot write '{path}': its links lead in a circle", slug="cannot-write", hint="name another file"
        ) from None


def print_json(kind: str, version: int, fields: dict[str, Any]) -> None:
    """Print `{"schema": "sonde.<kind>/<version>", ...}` as one line on stdout."""
    print(compact_json({"schema": f"sonde.{kind}/{version}", **fields}))
