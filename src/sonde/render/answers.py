"""Where an answer goes: to a reader, a program, a pull request or a browser, as the command line asks."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from sonde.base.units import format_count
from sonde.options.deep_json import compact_json
from sonde.options.output import add_force_option, add_json_option, add_text_options, check_answer_options
from sonde.render.report_json import report_data
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.report_text import print_report
from sonde.report import Report

__all__ = ["add_answer_options", "add_text_options", "check_answer_options", "print_answer", "tell_answer", "tell_page"]


def add_answer_options(parser: argparse.ArgumentParser, *, has_page: bool = False) -> None:
    """Add `--json` and `--markdown`; and `--html FILE` with `--force` where there is a page."""
    if has_page:
        parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML page instead of printing")
    add_json_option(parser)
    add_text_options(parser)
    if has_page:
        add_force_option(parser)


def tell_answer(report: Report, arguments: argparse.Namespace, page: Path | None, title: str = "") -> None:
    """Print a report on standard output, or write it as a page and say so.

    Args:
        page: from `check_answer_options`.
        title: of the page; that of the report if not given.
    """
    if page is None:
        print_answer(report, arguments, sys.stdout)
        return
    from sonde.render.html import write_report_page  # only this branch needs the page and its parts

    write_report_page(report, page, title)
    tell_page(page)


def tell_page(page: Path) -> None:
    """Say that a page was written."""
    print(f"wrote {page}: {format_count(page.stat().st_size)} bytes; open it in a browser", file=sys.stderr)


def print_answer(report: Report, arguments: argparse.Namespace, stream: TextIO) -> None:
    """Print a report: as JSON or Markdown on standard output, or as text on `stream`."""
    if getattr(arguments, "json", False):
        print(compact_json(report_data(report)))
    elif getattr(arguments, "markdown", False):
        sys.stdout.write(report_markdown(report))
    else:
        print_report(report, stream, is_verbose=getattr(arguments, "verbose", False))
