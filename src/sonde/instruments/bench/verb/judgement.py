"""How `sonde bench` reports: text on stdout, Markdown, one line of JSON, or an HTML page."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.options.numbers import positive
from sonde.options.output import add_force_option, add_json_option, add_text_options

if TYPE_CHECKING:
    from sonde.instruments.bench.judging import Judgement

PLOTS = ("sequence", "distribution", "intervals")


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add `--html`, a page besides what is printed, `--plot`, `--rows`, `--json`, `--markdown` and `--force`."""
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write a page that opens from disk")
    parser.add_argument("--plot", choices=PLOTS, action="append", default=[], help="also draw; may be repeated")
    parser.add_argument("--rows", type=positive, default=40, metavar="N", help="lines of tables, about (default: 40)")
    add_json_option(parser)
    add_text_options(parser)
    add_force_option(parser)


def report(judgement: "Judgement", arguments: argparse.Namespace) -> None:
    """Print what was asked for.

    Raises:
        SondeError: `cannot-write`.
    """
    # NumPy, which the help does without.
    from sonde.instruments.bench.report import judgement_report
    from sonde.render.answers import print_answer

    if arguments.html is not None:
        from sonde.render.html import write_report_page

        page = judgement_report(judgement, rows=arguments.rows, kinds=arguments.plot, of_rows=True)
        write_report_page(page, arguments.html)
    print_answer(judgement_report(judgement, rows=arguments.rows, kinds=arguments.plot), arguments, sys.stdout)
    if arguments.html is not None and not arguments.json and not arguments.markdown:
        print(f"sonde: wrote {arguments.html}", file=sys.stderr)
