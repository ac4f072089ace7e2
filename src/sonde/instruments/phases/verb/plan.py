"""Tell what thresholds would select, what measuring that would cost, and how much of the time it would tell of.

  sonde phases plan run.sonde                  of a profile of sonde phases --steps
  sonde phases plan calls.sonde                of one of sonde contexts --exact: before anything is measured
  sonde phases plan calls.sonde --json         schema sonde.report/1
  sonde phases plan calls.sonde --html p.html  as a page, with plots of phases and cost

A method is a phase if all its calls take at least the share theta-weight of the time, and one of them at least
theta-grain on average. The cost is the number of calls times what watching one takes on this machine. Covered is the
time in phases; resolved is that in phases that take less than nine tenths of it all.
"""

import argparse
from pathlib import Path

from sonde.base.errors import EXIT_OK, InputError
from sonde.instruments.phases.analysis import plan_phases
from sonde.instruments.phases.known_counters import DEFAULT_COUNTERS
from sonde.instruments.phases.options import PhasePlanOptions
from sonde.instruments.phases.profile import read_phase_profile
from sonde.instruments.phases.report import plan_report
from sonde.instruments.phases.sources.cpython import watching_costs
from sonde.instruments.phases.sources.first_step import read_times
from sonde.instruments.phases.stored_kind import STORED
from sonde.instruments.phases.verb.second_step import calls_of_machine
from sonde.options.declared import add_options, options_from
from sonde.options.output import check_answer_options
from sonde.render.answers import add_answer_options, tell_answer
from sonde.report import Report
from sonde.store.reading import kind_of_file


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    wrote = "sonde phases --steps -o or sonde contexts --exact -o"
    parser.add_argument("profile", type=Path, help=f"a file that {wrote} wrote")
    add_options(parser, PhasePlanOptions)
    add_answer_options(parser, has_page=True)


def run(arguments: argparse.Namespace) -> int:
    """Read the profile, and tell.

    Raises:
        InputError: it cannot be read, is of another kind, or has no times.
        UsageError: the page exists.
        SondeError: `cannot-write`.
    """
    page = check_answer_options(arguments)
    report = _report(arguments.profile, options_from(PhasePlanOptions, arguments))
    tell_answer(report, arguments, page, arguments.profile.name)
    return EXIT_OK


def _report(path: Path, options: PhasePlanOptions) -> Report:
    costs = watching_costs(DEFAULT_COUNTERS)
    if kind_of_file(path).name != STORED.name:
        tree = read_times(path)
        return plan_report(
            (str(path),), tree, plan_phases(tree, *costs, always=calls_of_machine(tree)), costs.call_ns, options
        )
    profile = read_phase_profile(path)
    if not profile.plans:
        raise InputError(
            f"cannot plan by '{path}': it does not have the time of every call",
            slug="no-plan",
            hint="sonde phases --steps -o run.sonde app.py, or sonde contexts --exact -o run.sonde app.py",
        )
    return plan_report(profile.command, None, profile.plans[1:], costs.call_ns, options)
