"""Profiles of compiled code with probes: from what its numbers say to lines, inlined functions and sampled times."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isqrt

from sonde.code import Place
from sonde.instruments.contexts.analyses.inlined_calls import with_inlined_functions
from sonde.instruments.contexts.profile import ContextProfile, MeasuredProcess, Sampling, TimeKind

PERIOD_NS = 1_000_000
"""Between two looks at a thread, on average."""
_SPREAD = 13 / 12
"""Mean square of the time between two looks, in squares of its mean: it is uniform from half the mean to half more."""


def of_compiled_code(
    profile: ContextProfile, place: Callable[[int], Place], sampled_time: TimeKind | None, mechanism: str = ""
) -> ContextProfile:
    """The profile of a program with probes.

    Args:
        profile: of its spools, one for each thread, with numbers of places for lines.
        place: of a number.
        sampled_time: the time that was sampled; None: none was.
        mechanism: how calls were seen; empty: as the spools say.
    """
    profile = replace(
        with_inlined_functions(profile, place),
        processes=_with_threads_together(profile.processes, mechanism),
        run=replace(profile.run, clock="none" if sampled_time is None else "sampled", time_kind=sampled_time or "wall"),
    )
    return profile if sampled_time is None else _sampled(profile)


def _sampled(profile: ContextProfile) -> ContextProfile:
    """With the standard errors of times that were seen at looks of one period: those of counts, each worth a period."""
    tree = profile.contexts
    deviation = array("q", (_rounded_up_root(int(_SPREAD * own * PERIOD_NS)) for own in tree.self_ns))
    looks = profile.total_ns // PERIOD_NS
    return replace(
        profile,
        contexts=replace(tree, ns_deviation=deviation),
        sampling=Sampling(interval_ns=PERIOD_NS, burst_ns=0, bursts=looks, fraction=1.0),
    )


def _rounded_up_root(square: int) -> int:
    return isqrt(square - 1) + 1 if square > 0 else 0


def _with_threads_together(spools: Sequence[MeasuredProcess], mechanism: str) -> tuple[MeasuredProcess, ...]:
    """Each process once: every one of its threads had a spool."""
    found: dict[int, MeasuredProcess] = {}
    for each in spools:
        known = found.get(each.pid)
        if known is not None:
            each = replace(known, threads=known.threads + each.threads, calls=known.calls + each.calls)
        found[each.pid] = replace(each, mechanism=mechanism or each.mechanism)
    return tuple(found.values())
