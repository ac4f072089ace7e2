"""The options that say how measurements are judged: the fields of `Policy`."""

import argparse

from sonde.instruments.bench import Policy
from sonde.options.numbers import share, two_or_more


def add_policy_options(parser: argparse.ArgumentParser, *, about_metric: str = "") -> None:
    """Add `--level`, `--equivalent`, `--tolerance`, `--metric` and what says which iterations are steady.

    Args:
        about_metric: what else `--metric` takes.
    """
    usual = Policy()
    parser.add_argument(
        "--level", type=share, default=usual.level, metavar="SHARE", help="confidence of intervals (default: 95%%)"
    )
    parser.add_argument(
        "--equivalent",
        type=share,
        default=usual.equivalent,
        metavar="SHARE",
        help="differences up to this do not matter: the margin of 'no difference' (default: 1%%)",
    )
    parser.add_argument(
        "--tolerance",
        type=share,
        default=usual.tolerance,
        metavar="SHARE",
        help="getting worse by up to this is no regression (default: 0%%)",
    )
    parser.add_argument(
        "--metric",
        default=usual.metric,
        metavar="NAME",
        help=f"judge by wall, user, system, peak-memory or a counter{about_metric} (default: what each benchmark"
        " measures)",
    )
    parser.add_argument(
        "--better",
        choices=("lower", "higher"),
        default=usual.better,
        help="which way is better (default: by the unit: more of what is per second, less of all else)",
    )
    parser.add_argument(
        "--steady-by",
        choices=("change-points", "cov", "recorded", "all"),
        default=usual.steady_by,
        help="which iterations of an invocation count: after the last change point, from a coefficient of variation"
        " below --threshold on, after the warm-up that the measuring tool recorded, all (default: change-points)",
    )
    parser.add_argument(
        "--window",
        type=two_or_more,
        default=usual.window,
        metavar="N",
        help="iterations that cov looks at (default: 10)",
    )
    parser.add_argument(
        "--threshold",
        type=share,
        default=usual.threshold,
        metavar="SHARE",
        help="coefficient of variation from which cov calls them steady (default: 1%%)",
    )
    parser.add_argument(
        "--assume-independent",
        action="store_true",
        help="values do not depend on those before them: compare fewer than 20 that did not take turns, and take each"
        " for a process of its own where a file does not say which come from which",
    )


def policy_of(arguments: argparse.Namespace) -> Policy:
    """The policy that the command line asks for.

    Raises:
        UsageError: `bad-policy`.
    """
    return Policy(
        level=arguments.level,
        tolerance=arguments.tolerance,
        equivalent=arguments.equivalent,
        metric=arguments.metric,
        better=arguments.better,
        steady_by=arguments.steady_by,
        window=arguments.window,
        threshold=arguments.threshold,
        assume_independent=arguments.assume_independent,
    )
