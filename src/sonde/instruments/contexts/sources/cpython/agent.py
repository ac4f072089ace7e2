"""Run a command with the agent in it."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sonde.instruments.contexts.hotness import METRIC_NUMBERS
from sonde.launch import NowAndThen, Outcome, StartHook, agent_folder, run_to_end, with_start_hook

_HOOK = Path(__file__).with_name("start_hook.py")


class AgentOptions(NamedTuple):
    """What the agent does in the measured processes."""

    timed: bool = True
    """Measure time, at the price of two clock reads a call."""
    processor: bool = False
    """Of time, only that in which the thread runs."""
    sampled: bool = False
    """Let another process sample times (`sources.sampling`), in place of measuring them."""
    builtins: bool = False
    """Count calls of functions written in C too."""
    follow: bool = False
    """Also count in forked children and in subprocesses that run Python."""
    mechanism: str = ""
    """Name of the mechanism; empty: the best that the interpreter has."""
    metric: str = ""
    """`calls` or `time`: keep the contexts that are hot by it; empty: keep all."""
    space_saving: bool = False
    """Keep them by Space-Saving, by calls only; else by compaction."""
    counters: int = 0
    """One over the share of the whole that values may be wrong by."""
    nodes: int = 0
    """Contexts that are kept at most."""
    interval_ns: int = 0
    """From the start of a burst to that of the next; 0: the program is watched all the time."""
    burst_ns: int = 0
    """How long a burst lasts."""
    one_in: int = 0
    """A burst where many were before takes place one time in so many; 0: all take place."""
    raw: bool = False
    """Leave in the times what it costs to watch calls."""
    by_thread: bool = False
    """Keep the threads apart."""
    by_line: bool = False
    """Let lines be sampled from here (`sources.sampling`)."""
    probes: str = ""
    """What Numba compiles gets probes: `late`, after it was optimized, or `early`, and those of extension modules
    count; `cycles-none`, `cycles-chosen`, `cycles-all`: it gets such that measure cycles, with these stamps, and
    nothing else has probes; else why neither can be had."""
    trace: str = ""
    """Record every event into this file; empty: into none. Further processes add their number to it."""


def run_with_agent(
    argv: tuple[str, ...],
    spool: Path,
    options: AgentOptions,
    *,
    meanwhile: Callable[[], None] = lambda: None,
    now_and_then: NowAndThen | None = None,
) -> Outcome:
    """Run `argv` to its end with the agent writing into the folder `spool`.

    Args:
        meanwhile: called once after the program was started, e.g. to load what is needed later.
        now_and_then: what to do while it runs.
    Raises:
        SondeError: the command cannot be executed.
    """
    return run_to_end(argv, _environment(spool, options), meanwhile=meanwhile, now_and_then=now_and_then)


def _environment(spool: Path, options: AgentOptions) -> dict[str, str]:
    fields = (
        options.mechanism,
        str(_timed(options)),
        "1" if options.builtins else "",
        str(METRIC_NUMBERS[options.metric]),
        str(int(options.space_saving)),
        str(options.counters),
        str(options.nodes),
        str(options.interval_ns),
        str(options.burst_ns),
        str(options.one_in),
        str(int(options.raw)),
        str(int(options.by_thread)),
        str(int(options.by_line)),
        str(Path(options.trace).resolve()) if options.trace else "",
        options.probes,
    )
    return with_start_hook(os.environ, StartHook(_HOOK, spool, fields, options.follow, _agent_folder()))


def _timed(options: AgentOptions) -> int:
    """As the agent's `start` has it."""
    if not options.timed:
        return 0
    return 1 + options.processor + 2 * options.sampled


_agent_folder = partial(agent_folder, "sonde._agent")
