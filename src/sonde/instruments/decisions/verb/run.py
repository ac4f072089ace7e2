"""Runs as they are named on the command line, and which of their compilation units are hot."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import InputError, UsageError
from sonde.instruments.decisions.unit_options import UnitOptions
from sonde.instruments.decisions.verb.options import FormOptions
from sonde.options.declared import options_from
from sonde.options.output import check_answer_options
from sonde.registry import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from sonde.instruments.decisions.experiments import Experiment, HeatPolicy
    from sonde.instruments.decisions.model import DecisionRun
    from sonde.instruments.decisions.options import UnitFilter
    from sonde.instruments.decisions.readers import DecisionReader
    from sonde.report import Report

_WIDE = 10_000
"""Columns: names are no longer."""


def read_argument(path: Path, *, profile: Path | None = None, reader: str | None = None) -> "DecisionRun":
    """Read a run.

    Args:
        profile: the value of `--profile`; None: what lies beside the record.
        reader: the value of `--reader`.
    Raises:
        InputError, UsageError: as `read_run` does.
    """
    from sonde.instruments.decisions.readers import read_run  # what parses records, which --help does without

    return read_run(path, profile=profile, reader=reader, more=plugged_in())


def plugged_in() -> "dict[str, Callable[[], DecisionReader]]":
    """Readers of other packages, by name."""
    return {name: entry.load for name, entry in entries("decision-reader").items() if entry.publisher != "sonde"}


def check_forms(arguments: argparse.Namespace, form: FormOptions, units: UnitOptions) -> None:
    """Refuse more than one form of the answer, and a page that cannot be written.

    Raises:
        UsageError: `two-outputs`, `output-exists`; or profdiff's text is asked for with filters, which it has not.
    """
    check_answer_options(arguments)
    if form.format == "profdiff" and not units.is_everything:
        raise UsageError(
            "cannot leave out units as profdiff does: it shows the hot ones",
            slug="profdiff-shows-hot-units",
            hint="leave out --format profdiff, or the filters",
        )
    if form.format == "profdiff" and (arguments.html or arguments.json or arguments.markdown):
        raise UsageError(
            "cannot answer in two forms: --format profdiff is text of its own",
            slug="two-outputs",
            hint="run it once for each",
        )


def units_of(arguments: argparse.Namespace) -> "tuple[UnitOptions, UnitFilter]":
    """Which units are told, as the command line says."""
    from sonde.instruments.decisions.options import UnitFilter

    units = options_from(UnitOptions, arguments)
    return units, UnitFilter(units.selection, units.min_share or 0.0)


def print_report_of(report: "Report", arguments: argparse.Namespace, *, wide: bool) -> None:
    """Print an answer in the form that is asked for; if it is wide, with lines as long as names are."""
    from sonde.render.answers import print_answer
    from sonde.render.terminal.report_text import print_report

    if wide and not (arguments.json or arguments.markdown):
        print_report(report, sys.stdout, width=_WIDE, is_verbose=arguments.verbose)
    else:
        print_answer(report, arguments, sys.stdout)


def write_page(report: "Report", path: Path, *, title: str = "") -> None:
    """Write an answer as a page, and say so; the title is the report's if not given."""
    from sonde.render.html import write_report_page

    write_report_page(report, path, title)
    print(f"sonde: wrote {path}; open it in a browser", file=sys.stderr)


def check_graal(*runs: "DecisionRun") -> None:
    """Refuse to print as profdiff what profdiff does not know.

    Raises:
        UsageError: `profdiff-needs-graal`.
    """
    for run in runs:
        if run.kind != "graal":
            raise UsageError(
                f"cannot print '{run.name}' as profdiff does: it is a run of {run.kind}, and profdiff is Graal's",
                slug="profdiff-needs-graal",
                hint="leave out --format profdiff",
            )


def mark_hot(first: "Experiment", second: "Experiment", policy: "HeatPolicy") -> None:
    """Find what is hot on two sides, also where times of one or both are not known.

    With one profile, what is hot on the other side are the methods that are in hot units of the profiled one; with
    none, everything is.
    """
    sides = (first, second)
    profiled = [side for side in sides if side.run.profile is not None]
    for side in profiled:
        side.mark_hot(policy)
    if not profiled:
        print("sonde: no profile on either side: all compilation units are compared", file=sys.stderr)
        for side in sides:
            side.mark(side.run.units)
    elif len(profiled) == 1:
        from sonde.instruments.decisions.profdiff import mark_inlined_methods

        other = second if profiled[0] is first else first
        print(
            f"sonde: no profile for '{other.run.name}':"
            f" what is hot there are the methods that are in hot units of '{profiled[0].run.name}'",
            file=sys.stderr,
        )
        mark_inlined_methods(profiled[0], other)


def check_comparable(first: "DecisionRun", second: "DecisionRun") -> None:
    """Refuse runs of two compilers, whose decisions have nothing to do with each other.

    Raises:
        InputError: `different-compilers`.
    """
    if first.kind != second.kind:
        raise InputError(
            f"cannot compare '{first.name}' with '{second.name}':"
            f" the first is a run of {first.kind}, the second of {second.kind}",
            slug="different-compilers",
            hint="compare runs of one compiler",
        )
