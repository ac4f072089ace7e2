"""Suggest optimisations from a path profile: loops to unroll, orders to rely on, branch sides that hardly ever run.

  sonde paths advise run.sonde                      of all functions that took paths
  sonde paths advise run.sonde --function filter    of one
  sonde paths advise run.sonde --json               schema sonde.report/1
  sonde paths advise run.sonde --html advice.html   as a page

A loop that takes the same path many times in a row can be unrolled selectively: a copy for each such path, and the
original loop for mixed iterations. Where paths alternate, each copy of an unrolled loop knows the outcome of its
branches. Profiles of longer sequences (-k) show more. Measure every suggestion (`sonde bench`).
"""

import argparse
from pathlib import Path

from sonde.base.errors import EXIT_OK
from sonde.instruments.paths.options import PathAdviceOptions
from sonde.instruments.paths.profile import read_path_profile
from sonde.instruments.paths.report import advice_report
from sonde.options.declared import add_options, options_from
from sonde.options.output import check_answer_options
from sonde.render.answers import add_answer_options, tell_answer


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("profile", type=Path, help="a file that sonde paths -o wrote")
    add_options(parser, PathAdviceOptions)
    add_answer_options(parser, has_page=True)


def run(arguments: argparse.Namespace) -> int:
    """Read the profile, and tell.

    Raises:
        InputError: it cannot be read, or is of another kind.
        UsageError: `no-such-function`; the page exists.
        SondeError: `cannot-write`.
    """
    page = check_answer_options(arguments)
    report = advice_report(read_path_profile(arguments.profile), options_from(PathAdviceOptions, arguments))
    tell_answer(report, arguments, page, arguments.profile.name)
    return EXIT_OK
