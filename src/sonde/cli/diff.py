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

from sonde.base.errors import EXIT_FAILED, EXIT_OK, UsageError
from sonde.cli.profile_argument import check_options, kind_of_all, resolve_profile
from sonde.instruments.contexts.profile import ContextProfile, read_profile
from sonde.instruments.contexts.profile.comparison import (
    METRICS,
    NORMALISATIONS,
    accuracy,
    accuracy_curve,
    diff_contexts,
)
from sonde.instruments.contexts.report.terminal import accuracy_as_data, print_accuracy
from sonde.instruments.contexts.report.terminal.differences import DiffLimits, diff_as_data, print_diff
from sonde.instruments.memory.verb.profiles import diff_memory
from sonde.options.numbers import add_size_options, share
from sonde.options.output import add_json_option, add_markdown_option, print_json

EXITS_WITH_1_FOR_DIFFERENCES = True


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
    parser.add_argument(
        "--accuracy",
        action="store_true",
        help="judge the second profile, an approximate one, by the first, an exact one",
    )
    parser.add_argument(
        "--phi",
        type=_phis,
        metavar="SHARE[,SHARE...]",
        help="with --accuracy: share of the whole from which a context is hot (default: that of the profile)",
    )
    parser.add_argument(
        "--sort", default="", metavar="WHAT", help="in profiles of memory: D1, L2, L3 (misses) or accesses come first"
    )
    add_size_options(parser, rows=defaults.rows, functions=defaults.functions)
    add_json_option(parser)
    add_markdown_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare two profiles.

    Returns:
        `EXIT_FAILED` when something changed, `EXIT_OK` when nothing did.
    Raises:
        UsageError: an option of the other kind of comparison was given.
        InputError: a profile cannot be read, has no times to compare, or cannot be judged.
    """
    _check_options(arguments)
    paths = [resolve_profile(path) for path in (arguments.before, arguments.after)]
    kind = kind_of_all(paths)
    if kind.name == "memory":
        check_options(kind, arguments.before, _of_contexts(arguments))
        return diff_memory(paths[0], paths[1], arguments)
    check_options(kind, arguments.before, {"--sort": bool(arguments.sort)})
    before, after = (read_profile(path, with_sources=False) for path in paths)
    if arguments.accuracy:
        return _judge(before, after, arguments)
    diff = diff_contexts(
        before, after, normalise=arguments.normalise, metric=arguments.metric, min_change=arguments.min_change
    )
    if arguments.json:
        print_json("diff", 1, {"changed": diff.has_changes, **diff_as_data(diff)})
    else:
        limits = DiffLimits(arguments.rows, arguments.functions)
        print_diff(diff, sys.stdout, names=(str(arguments.before), str(arguments.after)), limits=limits)
    return EXIT_FAILED if diff.has_changes else EXIT_OK


def _of_contexts(arguments: argparse.Namespace) -> dict[str, bool]:
    """Options that profiles of memory accesses do not have, and whether they were given."""
    return {
        "--metric": arguments.metric is not None,
        "--normalise": arguments.normalise != "none",
        "--accuracy": arguments.accuracy,
        "--phi": arguments.phi is not None,
        "--functions": arguments.functions != DiffLimits().functions,
    }


def _judge(exact: ContextProfile, approximate: ContextProfile, arguments: argparse.Namespace) -> int:
    """Print the accuracy at the first phi, and a curve over all given, or over the usual ones."""
    phis: list[float] | None = arguments.phi
    judged = accuracy(exact, approximate, phi=phis[0] if phis else None)
    if phis is None:  # nothing is to be learnt where phi is so large that nothing is hot
        curve = [point for point in accuracy_curve(exact, approximate) if point.hot_contexts or point.tree_contexts]
    else:
        curve = list(accuracy_curve(exact, approximate, phis)) if len(phis) > 1 else []
    if arguments.json:
        print_json("accuracy", 1, accuracy_as_data(judged, curve, approximate=approximate))
    else:
        names = (str(arguments.before), str(arguments.after))
        print_accuracy(judged, curve, sys.stdout, approximate=approximate, names=names)
    return EXIT_OK


def _check_options(arguments: argparse.Namespace) -> None:
    """Each kind of comparison has options that mean nothing to the other."""
    given = {
        "--metric": arguments.metric is not None,
        "--normalise": arguments.normalise != "none",
    }
    if arguments.accuracy:
        for option, is_given in given.items():
            if is_given:
                raise UsageError(
                    f"cannot use {option} with --accuracy: it judges what the profile approximates, as it is",
                    slug="accuracy-options",
                    hint=f"leave out {option}",
                )
    elif arguments.phi is not None:
        raise UsageError(
            "cannot use --phi without --accuracy: other comparisons have no hot contexts",
            slug="accuracy-options",
            hint="add --accuracy",
        )


def _phis(text: str) -> list[float]:
    values = [share(part) for part in text.split(",")]
    if not all(values):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of shares above 0: write 1e-4 or 1%,0.1%")
    return values
