"""The profile of a block, from the marks between which it was open."""

import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sonde import __version__
from sonde.base.errors import SondeError
from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.contexts.analyses import BlockContexts, SpooledContexts
from sonde.instruments.contexts.profile import ContextProfile, MeasuredProcess, Run
from sonde.instruments.contexts.sources.spool import SpooledProcess
from sonde.instruments.contexts.verb.live_run import with_sources
from sonde.native import Spool

_OURS = ("sonde.api.", "sonde.notebook.", "sonde.pytest_plugin.")


def clock_rate(mark: bytes) -> float:
    """Nanoseconds per tick of the clock of a mark, as it is estimated now: a little better each time."""
    return _read(Spool(mark)).ns_per_tick()


def profile_of_block(
    spans: Sequence[tuple[bytes, bytes]],
    *,
    ns_per_tick: float,
    started_at: float,
    duration_ns: int,
    ended: str,
    why_not: str = "",
) -> ContextProfile:
    """What was counted between pairs of moments.

    Args:
        spans: files of marks of this process.
        ns_per_tick: one rate for all of them; by two, what did not run would have the difference.
        started_at: seconds since 1970.
        ended: in words.
        why_not: why blocks count nothing in this process; empty: they do.
    Raises:
        SondeError: `nothing-counted`, no call was made, and no time passed in a function.
    """
    contexts = BlockContexts(_is_ours)
    losses: dict[tuple[str, str], int] = {}
    processes: list[MeasuredProcess] = []
    clock = "none"
    for first, last in spans:
        clock = _read(Spool(last)).clock
        before, after = (_at(path, ns_per_tick, ended) for path in (first, last))
        contexts.add(before, after)
        processes.append(_process_between(before.processes[0], after.processes[0]))
        earlier = {(loss.kind, loss.detail): loss.amount for loss in before.losses}
        for loss in after.losses:
            key = (loss.kind, loss.detail)
            losses[key] = losses.get(key, 0) + loss.amount - earlier.get(key, 0)
    functions, tree = contexts.snapshot()
    if not len(tree):
        raise SondeError(
            f"cannot tell of a block: {why_not or 'it has counted nothing'}",
            slug="nothing-counted",
            hint=None if why_not else "enter it first: with sonde.profile() as p: ...",
        )
    return with_sources(
        ContextProfile(
            functions=functions,
            contexts=tree,
            run=Run(
                command=_command(),
                started_at=datetime.fromtimestamp(started_at, UTC).isoformat(timespec="milliseconds"),
                duration_ns=duration_ns,
                ended=ended,
                clock=clock,
                machine=f"{platform.system()} {platform.machine()}",
                sonde_version=__version__,
            ),
            processes=(_together(processes, sum(tree.calls)),),
            losses=tuple(Loss(kind, amount, detail) for (kind, detail), amount in losses.items() if amount),
        )
    )


def _read(spool: Spool) -> SpooledProcess:
    return SpooledProcess(spool, alive=True, is_last=True, end_ticks=spool.end_ticks)


def _at(path: bytes, ns_per_tick: float, ended: str) -> ContextProfile:
    spool = Spool(path)
    contexts = SpooledContexts()
    contexts.update(spool, ns_per_tick=ns_per_tick, end_ticks=spool.end_ticks, ended=ended)
    return contexts.snapshot(Run())


def _command() -> tuple[str, ...]:
    """What runs; that of a kernel says nothing to those who look at its notebook."""
    return ("this", "notebook") if "ipykernel" in sys.modules else tuple(sys.orig_argv)


def _is_ours(function: Function) -> bool:
    return function.module.startswith(_OURS)


def _process_between(before: MeasuredProcess, after: MeasuredProcess) -> MeasuredProcess:
    return replace(
        after, threads=max(1, after.threads - before.threads), taken_ns=max(0, after.taken_ns - before.taken_ns)
    )


def _together(processes: Sequence[MeasuredProcess], calls: int) -> MeasuredProcess:
    """One process, which was looked at several times."""
    return replace(
        processes[-1],
        threads=max(each.threads for each in processes),
        taken_ns=sum(each.taken_ns for each in processes),
        calls=calls,
    )
