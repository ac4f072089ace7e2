"""What it cost to watch the calls of a run, in words."""

from sonde.base.units import format_duration
from sonde.instruments.contexts.profile.context_profile import ContextProfile


def watching_cost_text(profile: ContextProfile) -> str:
    """What watching the calls cost, if that was taken out of the times; empty: nothing was.

    >>> from sonde.instruments.contexts.profile.context_profile import MeasuredProcess, contexts_from_self
    >>> process = MeasuredProcess(7, 1, "app", "3.12.1", "cpython-monitoring", 1, 8, "exited 0", 440, (20.0, 35.0))
    >>> nothing = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    >>> watching_cost_text(ContextProfile((), nothing, processes=(process,)))
    'taken out of the times: 440 ns that it cost to watch the calls, 55 ns each'
    """
    if not profile.taken_ns:
        return ""
    calls = sum(process.calls for process in profile.processes if process.costs_ns)
    each = f", {format_duration(round(profile.taken_ns / calls))} each" if calls else ""
    return f"taken out of the times: {format_duration(profile.taken_ns)} that it cost to watch the calls{each}"
