"""Looking at a process that runs already, until it ends, the time is over, or somebody has seen enough."""

import contextlib
import signal
from collections.abc import Iterator
from os import geteuid, getuid
from pathlib import Path
from types import FrameType

from sonde._native import is_traced
from sonde.base.errors import InputError, MissingCapability, SondeError
from sonde.base.free_threading import INSTEAD_3_13
from sonde.base.process_state import state_of
from sonde.instruments.contexts.sources.sampling import LOOKED_AT, Found, StackSampling
from sonde.instruments.contexts.verb.sampled_live import SampledLive

_PATIENCE_S = 0.5
"""So often we ask whether there is more to look at; the end of the looking itself does not wait for it."""
_ENDING = (signal.SIGTERM, signal.SIGHUP)
_SETTLING_TRIES = 100
"""A process that has just begun is asked so often whether its interpreter is there, 10 ms apart."""


def look_at_process(sampling: StackSampling, pid: int, live: SampledLive | None = None) -> int | None:
    """Look at it.

    Args:
        live: the page that is shown meanwhile.
    Returns:
        the signal by which somebody has ended the looking, other than by Ctrl-C; we are to end by it when we have told
        what was seen. None: there was none.
    Raises:
        InputError: `no-such-process`, `not-python`, `unknown-python`, `no-global-lock`.
        MissingCapability: `process-not-readable`, `no-python-symbols`, `other-architecture`, `free-threaded`.
    """
    if sampling.is_native and is_traced(pid):
        raise MissingCapability(
            f"cannot sample C functions of process {pid}: another program traces it, and a process has one tracer",
            slug="already-traced",
            hint="end gdb, strace or whatever traces it, or leave out --native",
        )
    found = sampling.try_pid(pid)
    for _ in range(_SETTLING_TRIES):
        if found is not Found.NOT_READY:
            break
        sampling.wait(0.01)
        found = sampling.try_pid(pid)
    if found is not Found.FOUND:
        raise why_not(found, pid)
    ended_by: list[int] = []
    with _until_told_to_end(ended_by), contextlib.suppress(KeyboardInterrupt):
        sampling.begin()
        if live is not None:
            with live:
                live.watch()
        while not (live is not None and live.has_ended) and not sampling.wait(_PATIENCE_S):
            pass
    sampling.end()
    return ended_by[0] if ended_by else None


@contextlib.contextmanager
def _until_told_to_end(ended_by: list[int]) -> Iterator[None]:
    """Take signals that are to end us for Ctrl-C, and note them."""

    def end(number: int, _: FrameType | None) -> None:
        ended_by.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in _ENDING if signal.getsignal(number) == signal.SIG_DFL}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def why_not(found: Found, pid: int) -> SondeError:
    """Why a process cannot be looked at."""
    match found:
        case Found.NO_PROCESS if (state := state_of(pid)) is not None:  # without a program
            what = "it has ended, and its parent has not asked how" if state in "ZX" else "it is a part of the kernel"
            return InputError(f"cannot sample process {pid}: {what}", slug="not-python")
        case Found.NO_PROCESS:
            return InputError(
                f"cannot sample process {pid}: there is none of that number",
                slug="no-such-process",
                hint="ps -ef lists them; in a container, look from inside",
            )
        case Found.FORBIDDEN:
            return MissingCapability(
                f"cannot sample process {pid}: the system does not let this user read its memory",
                slug="process-not-readable",
                hint=_how_to_be_let(pid),
            )
        case Found.OTHER_MACHINE:
            return MissingCapability(
                f"cannot sample process {pid}: it is a program of another architecture", slug="other-architecture"
            )
        case Found.NO_SYMBOLS:
            return MissingCapability(
                f"cannot sample process {pid}: the symbols of its Python, which is older than 3.13, were removed",
                slug="no-python-symbols",
                hint="use a Python that was not stripped of '_PyRuntime'",
            )
        case Found.UNKNOWN_VERSION:
            return InputError(
                f"cannot sample process {pid}: it is no {LOOKED_AT} whose frames are where sonde expects them",
                slug="unknown-python",
                hint="sonde contexts measures what it starts itself; sonde doctor lists the versions",
            )
        case Found.NO_LOCK:
            return InputError(
                f"cannot tell who has the interpreter's lock in process {pid}: its Python is built without one",
                slug="no-global-lock",
                hint="--what wall tells what its threads wait for",
            )
        case Found.LOCKLESS_3_13:
            return MissingCapability(
                f"cannot sample process {pid}: its Python 3.13 is built without a GIL (free-threaded)",
                slug="free-threaded",
                hint=INSTEAD_3_13,
            )
        case Found.NOT_READY:
            return InputError(f"cannot sample process {pid}: its Python has not begun, or has ended", slug="not-python")
        case _:
            return InputError(
                f"cannot sample process {pid}: it runs no CPython",
                slug="not-python",
                hint="if it has started one: --follow, or the number of that process",
            )


def _how_to_be_let(pid: int) -> str:
    try:
        is_ours = Path(f"/proc/{pid}").stat().st_uid == getuid()
    except OSError:
        is_ours = False
    if geteuid() == 0:  # without the capability
        return "in a container: --cap-add SYS_PTRACE; or the system lets nobody: kernel.yama.ptrace_scope"
    if is_ours:
        return "sudo sysctl kernel.yama.ptrace_scope=0, sudo sonde, or in a container: --cap-add SYS_PTRACE"
    return "it is another user's: sudo sonde"
