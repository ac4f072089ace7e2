"""Compare two profiles: what got hotter, colder, appeared or vanished.

    sonde diff before.sonde after.sonde
    sonde diff before.sonde after.sonde --normalise total      runs of different length, or machines
    sonde diff before.sonde after.sonde --normalise calls      runs that did different amounts of work
    sonde diff before.sonde after.sonde --metric calls         exact, without the noise of timing
    sonde diff --accuracy exact.sonde approx.sonde             how well an approximate profile does

Functions are matched by name, module and file name, call sites by their distance below the caller's
`def`: moved lines, other folders and moved modules do not matter, and functions that look renamed are
compared and marked. What could not be aligned, or only by guessing, is listed at the end.

Each profile is one run. Calls are exact counts; times include the noise of a single run, about which
two runs say nothing: record several before you believe a small change.

Profiles of sonde memory are compared in counts of accesses and misses: functions, lines, types.

With --accuracy the first profile is exact and the second one an approximate or sampled one of the same
calls, and the answer is what that one found, missed and got wrong. Exit code 0 whatever it is.

exit code: 0 no change of at least --min-change, 1 there are changes, 2 a profile cannot be read or compared.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from sonde.base.errors import EXIT_FAILED, EXIT_OK
from sonde.base.units import format_count
from sonde.cli.kinds import kind_of_all, known_kinds, not_offered, options_of_kind, resolve_profile
from sonde.instruments.kind import Kind
from sonde.options.declared import add_options
from sonde.options.output import check_answer_options
from sonde.render.answers import add_answer_options, print_answer

EXITS_WITH_1_FOR_DIFFERENCES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde diff`: those of all kinds of profiles."""
    parser.add_argument("before", type=Path, help="a .sonde file")
    parser.add_argument("after", type=Path, help="another one")
    add_options(parser, *map(_options, known_kinds()))
    add_answer_options(parser, has_page=True)


def run(arguments: argparse.Namespace) -> int:
    """Compare two profiles.

    Returns:
        `EXIT_FAILED` when something changed, `EXIT_OK` when nothing did.
    Raises:
        UsageError: an option means nothing to this kind, or two were given that exclude each other.
        InputError: a profile cannot be read, has no times to compare, or cannot be judged.
    """
    paths = [resolve_profile(path) for path in (arguments.before, arguments.after)]
    kind = kind_of_all(paths)
    options = options_of_kind(arguments, kind, arguments.before, _options)
    if kind.compare is None:
        raise not_offered("compare", kind, arguments.before)
    page = check_answer_options(arguments)
    names = str(arguments.before), str(arguments.after)
    report = kind.compare(paths[0], paths[1], options, names, arguments.json or page is not None)
    if page is None:
        print_answer(report, arguments, sys.stdout)
    else:
        from sonde.render.html import write_report_page  # only this branch needs the page and its parts

        write_report_page(report, page)
        print(f"wrote {page}: {format_count(page.stat().st_size)} bytes; open it in a browser", file=sys.stderr)
    return EXIT_FAILED if report.changed else EXIT_OK


def _options(kind: Kind[Any]) -> type[Any]:
    return kind.diff_options
