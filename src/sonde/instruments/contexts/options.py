"""Options of `sonde contexts` and `sonde replay`: what is hot, when to look, what is watched."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from sonde.base.errors import UsageError
from sonde.instruments.contexts.hotness import METRICS, PHI, HotLimits, hot_limits
from sonde.options.bursts import BURST, Bursts, checked_bursts
from sonde.options.declared import Option
from sonde.options.numbers import duration_ns, share, size_bytes

CLOCKS = ("wall", "cpu")
PROBES = ("late", "early")
STAMPS = ("none", "chosen", "all")
TIMES = ("measured", "sampled", "both")
SHORTEST_SAMPLE_NS = 50_000
"""Between samples, each of which takes some 20 us on virtual machines."""


def _sample_ns(text: str) -> int:
    if (found := duration_ns(text)) < SHORTEST_SAMPLE_NS:
        raise ArgumentTypeError(f"'{text}' is less than {SHORTEST_SAMPLE_NS // 1000}us, which samples take themselves")
    return found


# Named tuples, and no dataclasses: these are loaded before the program starts.
class HotOptions(NamedTuple):
    """What is hot, and what finding it may cost."""

    exact: Annotated[bool, Option("keep every context, whatever memory it takes")] = False
    metric: Annotated[
        str | None,
        Option(
            "what makes a context hot: its self time (default), or its calls (default with --no-time)", choices=METRICS
        ),
    ] = None
    phi: Annotated[
        float | None,
        Option(f"share of the whole from which a context is hot (default: {PHI:g})", parse=float, metavar="SHARE"),
    ] = None
    epsilon: Annotated[
        float | None,
        Option("share of the whole by which values may be too low (default: phi/5)", parse=float, metavar="SHARE"),
    ] = None
    memory: Annotated[
        int | None,
        Option(
            "keep as many contexts as fit, e.g. 1M (default: what epsilon takes, up to 44M)",
            parse=size_bytes,
            metavar="SIZE",
        ),
    ] = None
    space_saving: Annotated[
        bool,
        Option("with --metric calls: use lazy Space-Saving, which is slower and keeps more (default: compaction)"),
    ] = False
    burst: Annotated[tuple[int, int] | None, BURST] = None
    """In nanoseconds."""
    adaptive: Annotated[
        float | None,
        Option(
            "with --burst: in well-sampled contexts, let only this share of the bursts take place, e.g. 10%%",
            parse=share,
            metavar="SHARE",
        ),
    ] = None


class RunOptions(NamedTuple):
    """What of a program is watched, and where it goes."""

    record: Annotated[
        Path | None,
        Option(
            "also write every event into a trace, for sonde replay (further processes add their number to FILE)",
            parse=Path,
            metavar="FILE",
        ),
    ] = None
    concurrent: Annotated[
        bool,
        Option("count in a process of sonde's own while the program runs, instead of inside it (needs a second core)"),
    ] = False
    live: Annotated[bool, Option("show the report on stderr while the program runs, once a second")] = False
    no_time: Annotated[bool, Option("count calls only, which costs less")] = False
    clock: Annotated[
        str,
        Option(
            "measure wall (elapsed) time, or cpu (processor) time, which leaves out waiting: for input, a lock, the"
            " GIL, or a processor",
            choices=CLOCKS,
        ),
    ] = "wall"
    raw: Annotated[bool, Option("do not subtract the cost of watching calls from the times")] = False
    builtins: Annotated[bool, Option("also count calls of functions written in C (slower)")] = False
    follow: Annotated[bool, Option("also measure forked children and subprocesses that run Python")] = False
    threads: Annotated[
        bool, Option("keep threads and processes apart, beside the sums (up to 255 threads of a process)")
    ] = False
    tasks: Annotated[
        bool, Option("show what tasks of asyncio awaited, and how long they waited for their event loop")
    ] = False
    lines: Annotated[
        bool,
        Option("show what each line of source costs, in place of the tree; self times of lines are sampled"),
    ] = False
    mechanism: Annotated[
        str,
        Option(
            "how calls are seen: cpython-eval-hook (3.11), cpython-monitoring (3.12+), cpython-set-profile"
            " (slow; default: the fastest there is)",
            metavar="NAME",
            suggested=("cpython-eval-hook", "cpython-monitoring", "cpython-set-profile"),
        ),
    ] = ""
    probes: Annotated[
        str,
        Option(
            "for a program that sonde compiles, and what Numba compiles: count calls as the optimiser leaves them"
            " (late, the default), or as they are written (early, slow)",
            choices=PROBES,
        ),
    ] = ""
    cycles: Annotated[
        bool,
        Option(
            "for a program that sonde compiles, and what Numba compiles: the self time of each compiled function, and"
            " its inlined functions and lines, in place of calling contexts"
        ),
    ] = False
    stamps: Annotated[
        str,
        Option(
            "with --cycles: measure a function's time always (all), as often as costs little (chosen, the default), or"
            " never (none): entries are counted, and times estimated",
            choices=STAMPS,
        ),
    ] = ""
    time: Annotated[
        str,
        Option(
            "for a Python program: measure times by a clock at each call (measured, the default), or estimate them from"
            " samples taken from outside (sampled), which costs less and does not distort short calls. With --cycles:"
            " measure by probes (default); sample, without any probe in the code (sampled); or measure, and divide"
            " among inlined functions by samples (both)",
            choices=TIMES,
        ),
    ] = ""
    every: Annotated[
        int | None,
        Option(
            "with --time sampled or both: time between two samples of a thread; with --cycles, 100us and less may slow"
            " the program down by a third (default: 1ms)",
            parse=_sample_ns,
            metavar="TIME",
        ),
    ] = None
    """In nanoseconds."""
    build: Annotated[
        bool,
        Option(
            "run the command after '--', which builds a project in C or C++, with compilers that put probes in; then"
            " measure what it has built: sonde contexts -- ./app"
        ),
    ] = False

    @property
    def time_kind(self) -> Literal["wall", "processor"] | None:
        """The time that is asked for; None: none."""
        if self.no_time:
            return None
        return "processor" if self.clock == "cpu" else "wall"


def limits_of(options: HotOptions, *, timed: bool) -> HotLimits | None:
    """What is hot; None when everything is to be kept.

    Args:
        timed: whether time is measured.
    Raises:
        UsageError: options that exclude one another, or as `hot_limits`.
    """
    asked = {name for name in ("metric", "phi", "epsilon", "memory", "burst") if getattr(options, name) is not None}
    if options.space_saving:
        asked.add("space-saving")
    if options.exact:
        if asked:
            first = min(asked)
            raise UsageError(
                f"cannot keep every context and only the hot ones: --exact and --{first} exclude each other",
                slug="exact-and-hot",
            )
        return None
    if options.metric == "time" and not timed:
        raise UsageError(
            "cannot find contexts that are hot by time: --no-time measures none",
            slug="bad-metric",
            hint="leave out --no-time, or --metric calls",
        )
    metric = options.metric or ("time" if timed else "calls")
    phi = PHI if options.phi is None else options.phi
    return hot_limits(metric, phi, options.epsilon, memory_bytes=options.memory, space_saving=options.space_saving)


def check_clock(options: RunOptions) -> None:
    """See to it that the clock that is asked for can be had.

    Raises:
        UsageError: processor time of a trace, which has one clock for all threads, or of a run without times.
    """
    if options.clock != "cpu":
        return
    if options.no_time:
        raise UsageError(
            "cannot measure processor time: --no-time measures none",
            slug="bad-clock",
            hint="leave out --no-time, or --clock cpu",
        )
    for name, is_given in (("record", options.record is not None), ("concurrent", options.concurrent)):
        if is_given:
            raise UsageError(
                f"cannot use --{name} with --clock cpu: what is recorded has one clock for all threads, and the time"
                " that a thread runs is a clock of its own",
                slug="bad-clock",
                hint=f"leave out --{name}, or --clock cpu",
            )


def check_threads_apart(options: RunOptions) -> None:
    """See to it that threads are kept apart where that is done: in the measured processes.

    Raises:
        UsageError: `threads-concurrent`, another process is to count.
    """
    if options.threads and options.concurrent:
        raise UsageError(
            "cannot keep threads apart that are counted concurrently: --concurrent has one tree for all of them",
            slug="threads-concurrent",
            hint="leave out --threads, or --concurrent",
        )


def bursts_of(options: HotOptions) -> Bursts | None:
    """When to look; None: all the time.

    Raises:
        UsageError: the bursts are longer than their interval, or `--adaptive` has no bursts to leave out.
    """
    if options.burst is None:
        if options.adaptive is not None:
            raise UsageError("cannot leave out bursts where there are none: --adaptive needs --burst", slug="bad-burst")
        return None
    bursts = checked_bursts(*options.burst)
    if options.adaptive is not None:
        if not options.adaptive:
            raise UsageError("cannot let none of the bursts take place: --adaptive is more than 0", slug="bad-burst")
        bursts = bursts._replace(one_in=round(1 / options.adaptive))
    return bursts
