"""Compare two profiles: what got hotter, colder, appeared or vanished.

    sonde diff before.sonde after.sonde
    sonde diff before.sonde after.sonde --normalise total      runs of different length, or machines
    sonde diff before.sonde after.sonde --normalise calls      runs that did different amounts of work
    sonde diff before.sonde after.sonde --metric calls         exact, without the noise of timing

Functions are matched by name, module and file name, call sites by their distance below the caller's
`def`: moved lines, other folders and moved modules do not matter, and functions that look renamed are
compared and marked. What could not be aligned, or only by guessing, is listed at the end.

Each profile is one run. Calls are exact counts; times include the noise of a single run, about which
two runs say nothing: record several before you believe a small change.

exit code: 0 no change of at least --min-change, 1 there are changes.
"""

import argparse
import sys
from pathlib import Path

from sonde.cli.numbers import add_size_options, share
from sonde.cli.output import add_json_option, print_json
from sonde.cli.profile_argument import resolve_profile
from sonde.errors import EXIT_FAILED, EXIT_OK
from sonde.profiles import read_profile
from sonde.profiles.comparison import METRICS, NORMALISATIONS, diff_contexts
from sonde.views.terminal.differences import DiffLimits, diff_as_data, print_diff


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde diff`."""
    defaults = DiffLimits()
    parser.add_argument("before", type=Path, help="a .sonde file")
    parser.add_argument("after", type=Path, help="another one")
    parser.add_argument(
        "--normalise",
        choices=NORMALISATIONS,
        default="none",
        help="compare values as measured, as shares of each run's total, or per call (default: none)",
    )
    parser.add_argument("--metric", choices=METRICS, help="what to compare (default: time when both have it)")
    parser.add_argument(
        "--min-change",
        type=share,
        default=0.005,
        metavar="SHARE",
        help="smallest change that counts, as a share of the heavier run (default: 0.5%%)",
    )
    add_size_options(parser, rows=defaults.rows, functions=defaults.functions)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare two profiles.

    Returns:
        `EXIT_FAILED` when something changed, `EXIT_OK` when nothing did.
    Raises:
        InputError: a profile cannot be read, or has no times to compare.
    """
    before, after = (
        read_profile(resolve_profile(path), with_sources=False) for path in (arguments.before, arguments.after)
    )
    diff = diff_contexts(
        before, after, normalise=arguments.normalise, metric=arguments.metric, min_change=arguments.min_change
    )
    if arguments.json:
        print_json("diff", 1, {"changed": diff.has_changes, **diff_as_data(diff)})
    else:
        limits = DiffLimits(arguments.rows, arguments.functions)
        print_diff(diff, sys.stdout, names=(str(arguments.before), str(arguments.after)), limits=limits)
    return EXIT_FAILED if diff.has_changes else EXIT_OK
