"""Which of a run's times are sampled, by `--time sampled`."""

from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.instruments.contexts.options import HotOptions, RunOptions
from sonde.options.declared import flag_of

LOOK_NS = 1_000_000
"""Between two looks, on average: a function with 1 % of a run of ten seconds is seen a hundred times."""


class SampledTimes(NamedTuple):
    """Times of a Python program whose calls are counted, and which is looked at from outside."""

    look_ns: int
    """Mean time from one look to the next."""


def sampled_times_of(word: str, options: RunOptions, asked: HotOptions, *, is_compiled: bool) -> SampledTimes | None:
    """How times are sampled of calling contexts; None: they are measured, or none are asked for.

    Args:
        word: the program.
        is_compiled: whether it is one with probes, of which times are always sampled.
    Raises:
        UsageError: `not-of-cycles`, or `not-of-sampled-times`: what cannot be had of them is asked for.
    """
    if options.stamps:
        raise UsageError("cannot choose --stamps without --cycles: there are none", slug="not-of-cycles")
    if options.time == "both":
        raise UsageError(
            "cannot choose --time both without --cycles: calling contexts have times of one kind",
            slug="not-of-cycles",
            hint="--time sampled, or --time measured",
        )
    if is_compiled and (options.time or options.every):
        raise UsageError(
            f"cannot choose {'--time' if options.time else '--every'} for '{word}' without --cycles: times of contexts"
            " of compiled programs are always sampled, once a millisecond",
            slug="not-of-cycles",
            hint="leave it out, or add --cycles",
        )
    if options.time != "sampled":
        if options.every is not None:
            raise UsageError(
                "cannot use --every where times are measured: there are no samples",
                slug="not-of-sampled-times",
                hint="add --time sampled, or leave out --every",
            )
        return None
    refused = {
        "--no-time": (options.no_time, "it asks for none"),
        "--record": (options.record is not None, "a trace has the time of each event, and there is no clock"),
        "--concurrent": (options.concurrent, "what is counted in another process has the time of each event"),
        flag_of("burst"): (asked.burst is not None, "bursts leave out calls, and samples are not of bursts"),
    }
    for flag, (is_given, reason) in refused.items():
        if is_given:
            raise UsageError(
                f"cannot use {flag} with --time sampled: {reason}",
                slug="not-of-sampled-times",
                hint=f"leave out {flag}, or --time sampled",
            )
    return SampledTimes(options.every or LOOK_NS)
