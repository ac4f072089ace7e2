"""Where an answer goes: to a reader, a program, a pull request or a browser, as the command line asks."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from sonde.base.errors import UsageError
from sonde.options.deep_json import compact_json
from sonde.options.output import add_force_option, add_json_option, add_markdown_option, check_output_path
from sonde.render.report_json import report_data
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.report_text import print_report
from sonde.report import Report

_FORMS = ("html", "json", "markdown")


def add_answer_options(parser: argparse.ArgumentParser, *, has_page: bool = False) -> None:
    """Add `--json` and `--markdown`; and `--html FILE` with `--force` where there is a page."""
    if has_page:
        parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML page instead of printing")
    add_json_option(parser)
    add_markdown_option(parser)
    if has_page:
        add_force_option(parser)


def check_answer_options(arguments: argparse.Namespace) -> Path | None:
    """Refuse two forms at once, and a page that cannot be written, before any work.

    Returns:
        where the page goes, if one is asked for.
    Raises:
        UsageError: `two-outputs`, `output-exists`.
        SondeError: `cannot-write`.
    """
    asked = [form for form in _FORMS if getattr(arguments, form, None)]
    if len(asked) > 1:
        raise UsageError(
            f"cannot answer in two forms: --{asked[0]} and --{asked[1]} exclude each other",
            slug="two-outputs",
            hint="run the command once for each",
        )
    html: Path | None = getattr(arguments, "html", None)
    return None if html is None else check_output_path(html, force=arguments.force)


def print_answer(report: Report, arguments: argparse.Namespace, stream: TextIO) -> None:
    """Print a report: as JSON or Markdown on standard output, or as text on `stream`."""
    if getattr(arguments, "json", False):
        print(compact_json(report_data(report)))
    elif getattr(arguments, "markdown", False):
        sys.stdout.write(report_markdown(report))
    else:
        print_report(report, stream)
