"""How `sonde bench` reports: text on stdout, Markdown, one line of JSON, or an HTML page."""

import argparse
import sys
from typing import TYPE_CHECKING

from sonde.instruments.bench.options import ReportOptions
from sonde.options.declared import add_options, options_from
from sonde.options.output import add_force_option, add_json_option, add_text_options

if TYPE_CHECKING:
    from sonde.instruments.bench.judging import Judgement


def add_report_options(parser: argparse.ArgumentParser, *declared: type) -> None:
    """Add what is declared, what an answer shows, `--json`, `--markdown`, `-v` and `--force`."""
    add_options(parser, *declared, ReportOptions)
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

    options = options_from(ReportOptions, arguments)
    if options.html is not None:
        from sonde.render.html import write_report_page

        page = judgement_report(judgement, rows=options.rows, kinds=options.plot, of_rows=True)
        write_report_page(page, options.html)
    print_answer(judgement_report(judgement, rows=options.rows, kinds=options.plot), arguments, sys.stdout)
    if options.html is not None and not arguments.json and not arguments.markdown:
        print(f"sonde: wrote {options.html}", file=sys.stderr)
