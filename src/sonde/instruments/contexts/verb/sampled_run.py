"""What was seen of a program from outside, as a profile; and why there may be none."""

import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sonde import __version__
from sonde._native import StackSampler
from sonde.base.free_threading import INSTEAD_3_13
from sonde.instruments.contexts.analyses import NativeSide, SeenStacks, stack_contexts, task_contexts
from sonde.instruments.contexts.profile import ContextProfile, Loss, MeasuredProcess, Run, TimeKind
from sonde.instruments.contexts.sources.sampling import (
    LOOKED_AT,
    Found,
    OwnSampling,
    StackSampling,
    StackSnapshot,
    Target,
    newer_pythons,
)
from sonde.instruments.contexts.verb.live_run import with_sources
from sonde.launch import Outcome


def profile_of(
    sampling: StackSampling | OwnSampling, outcome: Outcome | None, argv: tuple[str, ...], *, by_threads: bool = False
) -> ContextProfile:
    """The profile of what was seen.

    Args:
        by_threads: whether it is to hold what each thread ran, if they were kept apart.
        outcome: of the program, if we have started it.
        argv: its command; of a process that ran already, it is known from that.
    """
    targets = sampling.targets
    if outcome is not None:
        ended = outcome.in_words
    else:
        argv = tuple(targets[0].command.split(" ")) if targets else ()
        ended = "ended" if targets and targets[0].has_ended else "still running"
    run = Run(
        command=argv,
        started_at=datetime.fromtimestamp(sampling.began_at or time.time(), UTC).isoformat(timespec="milliseconds"),
        duration_ns=outcome.duration_ns if outcome is not None else sampling.ended_ns - sampling.began_ns,
        ended=ended,
        time_kind=time_kind_of(sampling),
        processor_ns=outcome.processor_ns if outcome is not None else 0,
        machine=f"{platform.system()} {platform.machine()}",
        sonde_version=__version__,
    )
    profile = seen_contexts(sampling, sampling.sampler, run)
    profile = replace(profile, losses=(*profile.losses, *layout_losses(targets)))
    return with_sources(profile if by_threads else replace(profile, threads=None))


def layout_losses(targets: Sequence[Target]) -> list[Loss]:
    """What was taken for granted of how interpreters are laid out."""
    losses = []
    if newer := newer_pythons(target.version for target in targets):
        detail = (
            f"Python {', '.join(newer)} is newer than this sonde: it was taken to be laid out as 3.15 says that it is"
        )
        losses.append(Loss("python-newer", len(targets), detail))
    if free := [target for target in targets if target.is_free_threaded]:
        versions = ", ".join(sorted({f"{target.version}t" for target in free}))
        detail = (
            f"Python {versions} is built without a GIL: it was read as its headers lay it out, which was never tried"
            " on a real one; garbage collection is not shown"
        )
        losses.append(Loss("python-free-threaded", len(free), detail))
    return losses


def seen_contexts(sampling: StackSampling | OwnSampling, seen: SeenStacks, run: Run) -> ContextProfile:
    """The contexts of what was seen, until its end or a moment, by the kind of what was looked at."""
    processes = processes_of(sampling)
    if _is_of_tasks(sampling):
        return task_contexts(seen, run, processes, period_ns=sampling.period_ns)
    native = None
    if isinstance(seen, StackSnapshot):
        native = NativeSide(seen.told_libraries)
    elif isinstance(seen, StackSampler):
        native = NativeSide(seen.libraries(), seen.native_sums())
    return stack_contexts(seen, run, processes, period_ns=sampling.period_ns, native=native)


def time_kind_of(sampling: StackSampling | OwnSampling) -> TimeKind:
    """What its times are of."""
    if _is_of_tasks(sampling):
        return "tasks"
    return "lock" if sampling.of_lock else "processor" if sampling.is_processor else "wall"


def _is_of_tasks(sampling: StackSampling | OwnSampling) -> bool:
    return isinstance(sampling, StackSampling) and sampling.of_tasks


def processes_of(sampling: StackSampling | OwnSampling) -> list[MeasuredProcess]:
    """The processes that were looked at, in the order in which they were found."""
    return [
        MeasuredProcess(
            pid=target.pid,
            parent_pid=0,
            command=target.command,
            python=target.version,
            mechanism=sampling.mechanism,
            threads=target.threads,
            calls=0,
            ended="ended" if target.has_ended else "still running",
        )
        for target in sampling.targets
    ]


def explain_nothing(sampling: StackSampling, outcome: Outcome | None) -> None:
    """Say on stderr why there is no profile."""
    message = "nothing was measured: "
    hint = ""
    found = set(sampling.found.values())
    if Found.FOUND in found and sampling.of_tasks:
        message += _why_no_tasks(sampling)
    elif Found.FOUND in found:
        message += "the program waited all the time" if sampling.sampler.sums()["looks"] > 1 else "it ended too soon"
        hint = "--what wall counts waiting, too; -r 10kHz sees more of what is short"
    elif Found.FORBIDDEN in found:
        message += "the system does not let sonde read the memory of the program"
        hint = f"in a container: --cap-add SYS_PTRACE{'' if os.getuid() == 0 else '; or sudo'}"
    elif Found.UNKNOWN_VERSION in found:
        message += f"the program runs no {LOOKED_AT} whose frames are where sonde expects them"
    elif Found.NO_LOCK in found:
        message += "the program's Python is built without a lock that --what gil could look at"
        hint = "--what wall tells what its threads wait for"
    elif Found.LOCKLESS_3_13 in found:
        message += "the program's Python 3.13 is built without a GIL (free-threaded)"
        hint = INSTEAD_3_13
    elif Found.NO_SYMBOLS in found:
        message += "the symbols of the program's Python, which is older than 3.13, were removed"
    elif Found.OTHER_MACHINE in found:
        message += "the program is one of another architecture"
    elif outcome is not None and outcome.duration_ns < 50_000_000:
        message += f"the program ended after {outcome.duration_ns / 1e6:.0f} ms, before its Python was there"
    else:
        message += "the program ran no CPython"
        hint = "if it starts one: --follow"
    print(f"sonde: {message}" + (f"\nhint: {hint}" if hint else ""), file=sys.stderr)


def _why_no_tasks(sampling: StackSampling) -> str:
    sums = sampling.sampler.sums()
    if sums["is_unknown"]:
        return "how this version of CPython keeps its tasks is not known"
    if not sums["has_asyncio"]:
        return "the program has no tasks of asyncio"
    return "no task of asyncio was there, or none for as long as from one sample to the next"
