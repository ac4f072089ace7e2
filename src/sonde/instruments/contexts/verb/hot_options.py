"""Options of verbs that find hot contexts: what is hot, how much memory, in which bursts to look."""

import argparse

from sonde.base.errors import UsageError
from sonde.instruments.contexts.hotness import PHI, Bursts, HotLimits, hot_limits
from sonde.options.numbers import duration_ns, share, size_bytes

OPTIONS_WITH_VALUE = ("--metric", "--phi", "--epsilon", "--memory", "--burst", "--adaptive")


def add_hot_options(parser: argparse.ArgumentParser) -> None:
    """Add `--exact`, `--metric`, `--phi`, `--epsilon`, `--memory`, `--space-saving`, `--burst` and `--adaptive`."""
    parser.add_argument("--exact", action="store_true", help="keep every context, whatever memory it takes")
    parser.add_argument(
        "--metric",
        choices=("time", "calls"),
        help="what makes a context hot: its own time (default), or its calls (default with --no-time)",
    )
    parser.add_argument(
        "--phi",
        type=float,
        metavar="SHARE",
        help=f"share of the whole from which a context is hot (default: {PHI:g})",
    )
    parser.add_argument(
        "--epsilon",
        type=float,
        metavar="SHARE",
        help="share of the whole that values are wrong by at most (default: phi/5)",
    )
    parser.add_argument(
        "--memory",
        type=size_bytes,
        metavar="SIZE",
        help="keep as many contexts as fit, e.g. 1M (default: what epsilon takes, up to 44M)",
    )
    parser.add_argument(
        "--space-saving",
        action="store_true",
        help="with --metric calls: by lazy Space-Saving, which is slower and keeps more (default: compaction)",
    )
    parser.add_argument(
        "--burst",
        type=_bursts,
        metavar="INTERVAL/LENGTH",
        help="look at the program for LENGTH at the start of every INTERVAL only, e.g. 20ms/2ms",
    )
    parser.add_argument(
        "--adaptive",
        type=share,
        metavar="SHARE",
        help="with --burst: where many bursts began before, let only this share of them take place, e.g. 10%%",
    )


def limits_of(arguments: argparse.Namespace, *, timed: bool) -> HotLimits | None:
    """What is hot; None when everything is to be kept.

    Args:
        timed: whether time is measured.
    Raises:
        UsageError: options that exclude one another, or as `hot_limits`.
    """
    asked = {name for name in ("metric", "phi", "epsilon", "memory", "burst") if getattr(arguments, name) is not None}
    if arguments.space_saving:
        asked.add("space-saving")
    if arguments.exact:
        if asked:
            first = min(asked)
            raise UsageError(
                f"cannot keep every context and only the hot ones: --exact and --{first} exclude each other",
                slug="exact-and-hot",
            )
        return None
    if arguments.metric == "time" and not timed:
        raise UsageError(
            "cannot find contexts that are hot by time: --no-time measures none",
            slug="bad-metric",
            hint="leave out --no-time, or --metric calls",
        )
    metric = arguments.metric or ("time" if timed else "calls")
    phi = PHI if arguments.phi is None else arguments.phi
    return hot_limits(
        metric, phi, arguments.epsilon, memory_bytes=arguments.memory, space_saving=arguments.space_saving
    )


def bursts_of(arguments: argparse.Namespace) -> Bursts | None:
    """When to look; None: all the time.

    Raises:
        UsageError: the bursts are longer than their interval, or `--adaptive` has no bursts to leave out.
    """
    if arguments.burst is None:
        if arguments.adaptive is not None:
            raise UsageError("cannot leave out bursts where there are none: --adaptive needs --burst", slug="bad-burst")
        return None
    interval_ns, burst_ns = arguments.burst
    if burst_ns >= interval_ns:
        raise UsageError(
            f"cannot look for {burst_ns / 1e6:g} ms in every {interval_ns / 1e6:g} ms:"
            " a burst must be shorter than its interval",
            slug="bad-burst",
            hint="--burst 20ms/2ms looks a tenth of the time; leave it out to look all the time",
        )
    one_in = 0
    if arguments.adaptive is not None:
        if not arguments.adaptive:
            raise UsageError("cannot let none of the bursts take place: --adaptive is more than 0", slug="bad-burst")
        one_in = round(1 / arguments.adaptive)
    return Bursts(interval_ns, burst_ns, one_in)


def _bursts(text: str) -> tuple[int, int]:
    interval, slash, length = text.partition("/")
    if not slash:
        raise argparse.ArgumentTypeError(f"'{text}' is not INTERVAL/LENGTH: write 20ms/2ms")
    return duration_ns(interval), duration_ns(length)
