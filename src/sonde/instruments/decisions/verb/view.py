"""`sonde view` of what a compiler decided: the same as `sonde decisions show` and `diff`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import UsageError
from sonde.instruments.decisions.unit_options import UnitOptions
from sonde.instruments.decisions.verb.decisions import QUESTIONS
from sonde.options.declared import words_of
from sonde.options.parser import run_question

_PROFILE = b"SQLite format 3\0"
"""A .sonde profile begins so; records of compilers do not."""


def is_decision_run(path: Path) -> bool:
    """Whether a path names a run of `sonde decisions`, not a profile: a folder, or a file with a known record."""
    if path.is_dir():
        return True
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            if file.read(len(_PROFILE)) == _PROFILE:
                return False
    except OSError:
        return False  # said when it is read as a profile
    from sonde.instruments.decisions.readers import READERS, RunPlace, reader_named
    from sonde.instruments.decisions.verb.run import plugged_in

    place, more = RunPlace(path), plugged_in()
    return any(reader_named(name, more).recognises(place) for name in (*READERS, *more))


def view_decisions(paths: Sequence[Path], arguments: argparse.Namespace) -> int:
    """Show a run, or the differences of two.

    Raises:
        UsageError: `one-at-a-time`, more than two runs.
    """
    if len(paths) > 2:
        raise UsageError(
            f"cannot show '{paths[2]}' beside '{paths[0]}' and '{paths[1]}': two runs are compared",
            slug="one-at-a-time",
            hint="name one run, or two",
        )
    question = "show" if len(paths) == 1 else "diff"
    words = [str(path) for path in paths]
    if arguments.html is not None:
        words += ["--html", str(arguments.html)]
    words += words_of(UnitOptions, arguments)
    words += [f"--{option}" for option in ("json", "markdown", "verbose", "force") if getattr(arguments, option, False)]
    return run_question("decisions", QUESTIONS, [question, *words])
