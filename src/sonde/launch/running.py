"""Running a program to its end, and being as good as not there while it runs."""

import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, NoReturn

from sonde.launch.end_witness import EndWitness
from sonde.launch.outcome import Outcome
from sonde.launch.signal_relay import SignalRelay
from sonde.launch.spawning import spawn

# Values here are named tuples: this is loaded before the program starts, and `dataclasses` alone would take a tenth of
# the time that may pass until then.

_PR_SET_PDEATHSIG = 1
_ROUNDED_S = 0.02
"""User and system time are each told in hundredths of a second, rounded down."""


def _told_nobody(_pid: int) -> None:
    """For who does not ask for the process id."""


class NowAndThen(NamedTuple):
    """A chore of ours for as long as the program runs."""

    every_s: float
    """Seconds between one time and the next."""
    do: Callable[[], None]
    """Must not raise: the program goes on, and is to be waited for."""


def run_to_end(
    argv: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    meanwhile: Callable[[], None] = lambda: None,
    now_and_then: NowAndThen | None = None,
    started: Callable[[int], None] = _told_nobody,
) -> Outcome:
    """Run a program to its end.

    It is a child process with its usual streams, arguments, working directory and process group, and gets each signal
    once.

    Args:
        environment: all of it; None: sonde's own.
        meanwhile: called once after the program was started, e.g. to load what is needed later.
        now_and_then: what to do while it runs.
        started: told its process id at once.
    Raises:
        SondeError: `cannot-execute`.
    """
    given = os.environ if environment is None else environment
    return _run(lambda mask: spawn(argv, given, mask), meanwhile, now_and_then, started)


def run_fork(
    become: Callable[[], NoReturn],
    *,
    meanwhile: Callable[[], None] = lambda: None,
    now_and_then: NowAndThen | None = None,
) -> Outcome:
    """Run a program that a fork of this process becomes; it has the signals as they were before.

    Args: as of `run_to_end`.
    """
    outcome = _run(lambda _: os.fork(), meanwhile, now_and_then)
    if not outcome.pid:
        become()
    return outcome


def end_with(parent: int) -> None:
    """Let this process, a fork, end with another one, which has made it.

    Args:
        parent: its process id.
    """
    import ctypes  # few runs need it

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before
        os._exit(128 + signal.SIGKILL)


def _run(
    start: Callable[[Iterable[int]], int],
    meanwhile: Callable[[], None],
    now_and_then: NowAndThen | None,
    started: Callable[[int], None] = _told_nobody,
) -> Outcome:
    """See `run_to_end`; `start` gives the process id, 0 in a fork, which leaves at once."""
    with SignalRelay() as relay:
        started_at, start_ns, ran_before = time.time(), time.monotonic_ns(), _children_ran_s()
        pid = start(relay.mask_before)
        if not pid:
            return Outcome(0, 0, started_at, 0)
        relay.begin()
        witness = EndWitness(pid)
        try:
            started(pid)
            meanwhile()
        finally:  # whatever happens to us, the program is waited for
            status = relay.wait(pid, *(now_and_then or ()))
            ended_ns = witness.ended_ns() or time.monotonic_ns()
            processor_ns = round((_children_ran_s() - ran_before + _ROUNDED_S) * 1e9)
            witness.end()
        return Outcome(
            pid, status, started_at, ended_ns - start_ns, processor_ns, relay.asked_to_end_by, ended_ns=ended_ns
        )


def _children_ran_s() -> float:
    """Processor time of child processes that were waited for, and of theirs."""
    times = os.times()
    return times.children_user + times.children_system
