"""Options of `sonde sample`: what is looked at, how often, for how long."""

from argparse import ArgumentTypeError
from typing import Annotated, NamedTuple

from sonde.base.errors import UsageError
from sonde.options.declared import Option
from sonde.options.numbers import duration_ns, rate_hz

FASTEST_HZ = 10_000
"""A look takes some ten microseconds, and we are not to use more than a tenth of a processor."""
SLOWEST_HZ = 0.1
TASKS = "tasks"
KINDS = ("cpu", "wall", "gil", TASKS)
_USUAL_HZ, _OF_TASKS_HZ = 1000.0, 100.0
"""Tasks wait for long, and each look is at all of them."""


def _process(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise ArgumentTypeError(f"'{text}' is not the number of a process: ps -ef lists them")
    return int(text)


def _rate(text: str) -> float:
    rate = rate_hz(text)
    if not SLOWEST_HZ <= rate <= FASTEST_HZ:
        raise ArgumentTypeError(f"'{text}' is out of reach: from outside, rates are 0.1Hz to 10kHz")
    return rate


# A named tuple, and no dataclass: it is loaded before the program starts.
class SampleOptions(NamedTuple):
    """What is looked at, and how."""

    pid: Annotated[
        int | None,
        Option("sample this running process, in place of PROGRAM", parse=_process, metavar="PID"),
    ] = None
    for_: Annotated[
        int | None,
        Option("sample for so long, e.g. 30s (default: until it ends, or Ctrl-C)", parse=duration_ns, metavar="TIME"),
    ] = None
    """In nanoseconds."""
    rate: Annotated[
        float | None,
        Option(
            "samples a second, e.g. 250Hz (default: 1000Hz; 100Hz of tasks)", parse=_rate, metavar="RATE", short="-r"
        ),
    ] = None
    what: Annotated[
        str,
        Option(
            "cpu: processor time; wall: elapsed time of every thread, with waiting shown apart; gil: time for which"
            " they hold the interpreter's lock; tasks: elapsed time of all tasks of asyncio, with what they await",
            choices=KINDS,
        ),
    ] = "cpu"
    follow: Annotated[bool, Option("also Python processes that it starts")] = False
    threads: Annotated[bool, Option("keep threads and processes apart, beside the sums")] = False
    tasks: Annotated[
        bool, Option("keep tasks of asyncio apart, by their names; those without one by their coroutines")
    ] = False
    native: Annotated[
        bool,
        Option(
            "C functions and Python functions in one stack; each sample stops its thread, for some tens of microseconds"
        ),
    ] = False
    lines: Annotated[bool, Option("show what each line of source costs, in place of the tree")] = False
    live: Annotated[bool, Option("show functions, lines or threads while it runs, as top does; the report follows")] = (
        False
    )

    now: Annotated[bool, Option("show once what all tasks of asyncio of the process await at this moment")] = False

    @property
    def is_apart(self) -> bool:
        """Whether the report tells threads, or tasks, apart."""
        return self.threads or self.tasks or self.what == TASKS

    @property
    def period_ns(self) -> int:
        """Mean time from one look to the next."""
        return round(1e9 / (self.rate or (_OF_TASKS_HZ if self.what == TASKS else _USUAL_HZ)))


def check_target(options: SampleOptions, words: list[str]) -> None:
    """See to it that there is one thing to look at.

    Raises:
        UsageError: `no-program`, `pid-and-program`, `native-of-tasks`.
    """
    if options.pid is None and not words:
        raise UsageError(
            "cannot sample anything: neither a program nor a process was given",
            slug="no-program",
            hint="sonde sample app.py, or sonde sample --pid PID --for 30s",
        )
    if options.pid is not None and words:
        raise UsageError(
            f"cannot sample process {options.pid} and '{words[0]}': one of them",
            slug="pid-and-program",
            hint="leave out --pid, or the program",
        )
    if options.native and options.what == TASKS:
        raise UsageError(
            "cannot use --native with --what tasks: what a task awaits is Python",
            slug="native-of-tasks",
            hint="leave out one of them; --what wall --native has the C functions in which threads wait",
        )
