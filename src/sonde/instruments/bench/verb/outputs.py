"""The files that a run writes and reads: none may be another one, or something that is there already."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import SondeError, UsageError
from sonde.instruments.bench.options import MeasuringOptions
from sonde.options.output import check_answer_options, check_output_path

if TYPE_CHECKING:
    from sonde.instruments.bench.runs.plan import Plan

_NO_FILES = ("discard", "drain", "show")


def check_current_folder() -> None:
    """Refuse to begin in a folder that was removed: nothing relative could be found.

    Raises:
        UsageError: `no-such-folder`.
    """
    try:
        Path.cwd()
    except OSError as error:
        raise UsageError(
            f"cannot measure in the current folder: {error.strerror}", slug="no-such-folder", hint="cd to another one"
        ) from error


def check_outputs(plan: "Plan", arguments: argparse.Namespace, options: MeasuringOptions) -> None:
    """Refuse what cannot be written, or would overwrite something, before any work.

    Raises:
        UsageError: `output-exists`; `usage`, two of the files are one.
        SondeError: `cannot-write`.
    """
    force = arguments.force or options.resume
    if options.results is not None:
        check_output_path(options.results, force=force, device_allowed=False)
    html = check_answer_options(arguments, page_besides=True)
    outputs = {Path(work.output) for _, one in plan.cells() if (work := one.work).output not in _NO_FILES}
    for output in sorted(outputs):
        check_output_path(output, force=force)
    read = {Path(stdin) for _, one in plan.cells() if (stdin := getattr(one.work, "stdin", ""))}
    named = [
        *((path, "the suite") for path in [getattr(arguments, "suite", None)] if path is not None),
        *((path, "the input of commands") for path in sorted(read)),
        *((path, "results") for path in [options.results] if path is not None),
        *((path, "the page") for path in [html] if path is not None),
        *((path, "the output of commands") for path in sorted(outputs)),
    ]
    seen: dict[object, tuple[Path, str]] = {}
    for path, what in named:
        other = seen.setdefault(_key(path), (path, what))
        if what != other[1] and not _is_device(path):
            raise UsageError(
                f"cannot write {what} to '{path}': it is the file of {other[1]}",
                slug="usage",
                hint="name another file for one of them",
            )


def _key(path: Path) -> object:
    """Agrees for paths of one file."""
    try:
        status = path.stat()
    except OSError:
        return _absolute(path)
    return status.st_dev, status.st_ino


def _absolute(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise SondeError(f"cannot write '{path}': {error}", slug="cannot-write") from error


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()
