"""Looking at a program in bursts: when they begin, how long they last, and how that is written."""

from argparse import ArgumentTypeError
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.options.declared import Option
from sonde.options.numbers import duration_ns


# A named tuple, and no dataclass: this is loaded before the program starts.
class Bursts(NamedTuple):
    """When to look at the program."""

    interval_ns: int
    """From the start of a burst to that of the next."""
    burst_ns: int
    """How long a burst lasts."""
    one_in: int = 0
    """A burst where many began before takes place one time in so many; 0: all take place."""


def _interval_and_length(text: str) -> tuple[int, int]:
    interval, slash, length = text.partition("/")
    if not slash:
        raise ArgumentTypeError(f"'{text}' is not INTERVAL/LENGTH: write 20ms/2ms")
    return duration_ns(interval), duration_ns(length)


BURST = Option(
    "watch the program for LENGTH at the start of every INTERVAL only, e.g. 20ms/2ms",
    parse=_interval_and_length,
    metavar="INTERVAL/LENGTH",
)
"""Of a field that is a pair of times in nanoseconds, or None."""


def checked_bursts(interval_ns: int, burst_ns: int, one_in: int = 0) -> Bursts:
    """The bursts that are asked for.

    Raises:
        UsageError: `bad-burst`, they are longer than their interval.
    """
    if burst_ns >= interval_ns:
        raise UsageError(
            f"cannot watch for {burst_ns / 1e6:g} ms in every {interval_ns / 1e6:g} ms:"
            " a burst must be shorter than its interval",
            slug="bad-burst",
            hint="--burst 20ms/2ms watches a tenth of the time; leave it out to watch all the time",
        )
    return Bursts(interval_ns, burst_ns, one_in)
