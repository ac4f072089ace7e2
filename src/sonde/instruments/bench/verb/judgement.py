"""How `sonde bench` reports: text on stdout, one line of JSON, or an HTML page."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.options.numbers import positive
from sonde.options.output import add_force_option, add_json_option, check_output_path, print_json

if TYPE_CHECKING:
    from sonde.instruments.bench.judging import Judgement

PLOTS = ("sequence", "distribution", "intervals")


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add `--html`, `--plot`, `--rows`, `--json` and `--force`."""
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write a page that opens from disk")
    parser.add_argument("--plot", choices=PLOTS, action="append", default=[], help="also draw; may be repeated")
    parser.add_argument("--rows", type=positive, default=40, metavar="N", help="lines of tables, about (default: 40)")
    add_json_option(parser)
    add_force_option(parser)


def check_report_options(arguments: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written, before any work.

    Raises:
        UsageError: the page exists.
        SondeError: `cannot-write`.
    """
    if arguments.html is not None:
        check_output_path(arguments.html, force=arguments.force)


def report(judgement: "Judgement", arguments: argparse.Namespace) -> None:
    """Print what was asked for.

    Raises:
        SondeError: `cannot-write`.
    """
    # The views load NumPy, which the help does without.
    from sonde.instruments.bench.report.terminal import judgement_as_data, print_judgement

    if arguments.html is not None:
        from sonde.instruments.bench.report.html import write_bench_page

        write_bench_page(judgement, arguments.html)
    if arguments.json:
        print_json("bench", 1, judgement_as_data(judgement))
    else:
        print_judgement(judgement, sys.stdout, rows=arguments.rows, plots=arguments.plot)
    if arguments.html is not None and not arguments.json:
        print(f"sonde: wrote {arguments.html}", file=sys.stderr)
