"""`sonde view` of what a compiler decided: the same as `sonde decisions show` and `diff`."""

import argparse
from importlib import import_module
from pathlib import Path

from sonde.base.errors import UsageError
from sonde.instruments.contexts.report.terminal import ContextLimits
from sonde.options.parser import parser_for, run_parsed

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


def view_decisions(arguments: argparse.Namespace) -> int:
    """Show a run, or the differences of two.

    Raises:
        UsageError: `view-of-decisions`, an option is given that only profiles have.
    """
    usual = ContextLimits()
    of_profiles = {
        "--focus": arguments.focus is not None,
        "--min-share": arguments.min_share != usual.min_share,
        "--functions": arguments.functions != usual.functions,
    }
    question = "show" if arguments.other is None else "diff"
    for option, is_given in of_profiles.items():
        if is_given:
            raise UsageError(
                f"cannot use {option} on '{arguments.profile}': it is no profile, but what a compiler decided",
                slug="view-of-decisions",
                hint=f"sonde decisions {question} --help",
            )
    words = [str(path) for path in (arguments.profile, arguments.other) if path is not None]
    if arguments.html is not None:
        words += ["--html", str(arguments.html)]
    if arguments.rows != usual.rows:
        words += ["--rows", str(arguments.rows)]
    words += [option for option, is_given in (("--json", arguments.json), ("--force", arguments.force)) if is_given]
    module = import_module(f"sonde.instruments.decisions.verb.{question}")
    return run_parsed(module, parser_for(f"decisions {question}", module), words)
