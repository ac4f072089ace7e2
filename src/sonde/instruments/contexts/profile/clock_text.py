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


def time_name(profile: ContextProfile) -> str:
    """What times are of: of the threads, of the processor, of the interpreter's lock, or of tasks."""
    return {"processor": "processor time", "lock": "time with the lock", "tasks": "time of tasks"}.get(
        profile.run.time_kind, "thread time"
    )


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
