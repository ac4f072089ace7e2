"""By which clock times were measured, in words."""

from sonde.base.units import format_duration
from sonde.instruments.contexts.profile.context_profile import ContextProfile

KINDS_OF_TIME = {
    "wall": "wall-clock time",
    "processor": "processor time",
    "lock": "time with the interpreter's lock",
    "tasks": "time of tasks",
}
"""`Run.time_kind` in words."""
_CLOCKS = {"wall": "wall", "processor": "cpu"}
"""What `--clock` of `sonde contexts`, and `--what` of `sonde sample`, call the kinds of time that both can measure."""


def time_name(profile: ContextProfile) -> str:
    """What times are of: of the threads, of the processor, of the interpreter's lock, or of tasks."""
    return {"processor": "processor time", "lock": "time with the lock", "tasks": "time of tasks"}.get(
        profile.run.time_kind, "thread time"
    )


def same_clock_hint(one: ContextProfile, other: ContextProfile) -> str:
    """How to record two profiles, whose times are of different kinds, so that these can be compared.

    >>> from dataclasses import replace
    >>> from sonde.instruments.contexts.profile.context_profile import Run, contexts_from_self
    >>> nothing = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    >>> one = ContextProfile((), nothing, Run(clock="tsc"))
    >>> same_clock_hint(one, replace(one, run=Run(clock="tsc", time_kind="processor")))
    'record both with the same --clock'
    """
    if one.has_calls == other.has_calls:
        return f"record both with the same {'--clock' if one.has_calls else '--what'}"
    counted, sampled = (one, other) if one.has_calls else (other, one)
    ways = []
    if clock := _CLOCKS.get(sampled.run.time_kind):
        ways.append(f"the one whose calls were counted by sonde contexts --clock {clock}")
    if clock := _CLOCKS.get(counted.run.time_kind):
        ways.append(f"the sampled one by sonde sample --what {clock}")
    return f"record {', or '.join(ways)}"


def clock_text(profile: ContextProfile, name: str = "") -> str:
    """The clock, and what it does not see.

    Args:
        name: what stands for the clock's name; empty: itself.

    >>> from sonde.instruments.contexts.profile.context_profile import Run, contexts_from_self
    >>> nothing = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    >>> clock_text(ContextProfile((), nothing, Run(clock="tsc", time_kind="processor", unseen_wait_ns=21_000)))
    'clock tsc, processor time: a wait counts only if it is shorter than 21.0 us'
    >>> clock_text(ContextProfile((), nothing, Run(clock="tsc")))
    'clock tsc'
    >>> clock_text(ContextProfile((), nothing))
    'calls only, no times'
    """
    if not profile.has_time:
        return "calls only, no times"
    clock = f"clock {name or profile.run.clock}"
    if profile.run.time_kind == "lock":
        return f"{clock}, time in which threads have the interpreter's lock"
    if profile.run.time_kind == "tasks":
        return f"{clock}, elapsed time of tasks of asyncio"
    if not profile.is_processor_time:
        return clock
    if not profile.run.unseen_wait_ns:
        return f"{clock}, processor time"
    unseen = format_duration(profile.run.unseen_wait_ns)
    return f"{clock}, processor time: a wait counts only if it is shorter than {unseen}"
