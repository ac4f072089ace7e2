"""Run a command with the agent in it, and be as good as not there while it runs.

The measured program is a child process with its usual interpreter start-up, standard
streams, arguments, working directory and process group, and each signal once.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from sonde.errors import MissingCapability
from sonde.launch import SignalRelay, spawn

_INJECT = Path(__file__).with_name("inject")
_AGENT_VARIABLE = "SONDE_AGENT"
_METRICS = ("", "calls", "time")
"""As the agent numbers them."""


# These values are named tuples: this file is loaded before the program starts, and
# `dataclasses` alone would take a tenth of the time that may pass until then.


class AgentOptions(NamedTuple):
    """What the agent does in the measured processes."""

    timed: bool = True
    """Measure time, at the price of two clock reads a call."""
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
    trace: str = ""
    """Record every event into this file; empty: into none. Further processes add their number to it."""


class NowAndThen(NamedTuple):
    """A chore of ours for as long as the program runs."""

    every_s: float
    """Seconds between one time and the next."""
    do: Callable[[], None]
    """Must not raise: the program goes on, and is to be waited for."""


class Outcome(NamedTuple):
    """How the measured program ended."""

    pid: int
    status: int
    """As `os.waitpid` gives it."""
    started_at: float
    """Seconds since the epoch."""
    duration_ns: int

    @property
    def exit_code(self) -> int | None:
        """The exit code; None when a signal killed it."""
        return os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None

    @property
    def signal(self) -> int | None:
        """The signal that killed it, if one did."""
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None

    @property
    def in_words(self) -> str:
        """`exited 0` or `killed by SIGTERM`."""
        return f"exited {self.exit_code}" if self.signal is None else f"killed by {_signal_name(self.signal)}"


def launch(
    argv: tuple[str, ...],
    spool: Path,
    options: AgentOptions,
    *,
    meanwhile: Callable[[], None] = lambda: None,
    now_and_then: "NowAndThen | None" = None,
) -> Outcome:
    """Run `argv` to its end with the agent writing into the folder `spool`.

    Args:
        meanwhile: called once after the program was started, e.g. to load what is needed later.
        now_and_then: what to do while it runs.
    Raises:
        SondeError: the command cannot be executed.
    """
    return run_to_end(argv, _environment(spool, options), meanwhile=meanwhile, now_and_then=now_and_then)


def run_to_end(
    argv: tuple[str, ...],
    environment: Mapping[str, str],
    *,
    meanwhile: Callable[[], None] = lambda: None,
    now_and_then: "NowAndThen | None" = None,
) -> Outcome:
    """Run `argv` with `environment` to its end; the arguments and errors are those of `launch`."""
    with SignalRelay() as relay:
        started_at, start_ns = time.time(), time.monotonic_ns()
        pid = spawn(argv, environment, relay.mask_before)
        try:
            meanwhile()
        finally:  # whatever happens to us, the program is waited for
            status = relay.wait(pid, *(now_and_then or ()))
        return Outcome(pid, status, started_at, time.monotonic_ns() - start_ns)


def with_start_up_file(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment in which Python loads `sitecustomize` from `folder`."""
    path = environment.get("PYTHONPATH")
    return {**environment, "PYTHONPATH": str(folder) if not path else f"{folder}{os.pathsep}{path}"}


def die_by(number: int) -> None:
    """End this process by the signal that ended the program, so that a shell sees the same."""
    import resource  # only the rare path needs it

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)


def _environment(spool: Path, options: AgentOptions) -> dict[str, str]:
    path = os.environ.get("PYTHONPATH")
    environment = with_start_up_file(os.environ, _INJECT)
    environment[_AGENT_VARIABLE] = ":".join(
        os.fsencode(field).hex()
        for field in (
            str(_agent_folder()),
            str(spool.resolve()),
            options.mechanism,
            "1" if options.timed else "",
            "1" if options.builtins else "",
            "1" if options.follow else "",
            str(os.getpid()),
            "1" if path is not None else "",
            str(_METRICS.index(options.metric)),
            str(int(options.space_saving)),
            str(options.counters),
            str(options.nodes),
            str(options.interval_ns),
            str(options.burst_ns),
            str(options.one_in),
            str(int(options.raw)),
            str(Path(options.trace).resolve()) if options.trace else "",
        )
    )
    return environment


def _agent_folder() -> Path:
    """Where the agent's extension lies; found without loading it into this process.

    Raises:
        MissingCapability: the package was built without it.
    """
    spec = find_spec("sonde._agent")
    if spec is None or spec.origin is None:
        raise MissingCapability(
            "cannot measure anything: this installation of sonde has no agent",
            slug="no-agent",
            hint="python -m pip install --force-reinstall sonde",
        )
    return Path(spec.origin).parent


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
