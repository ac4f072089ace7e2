"""The program's own time against that of the parts of the virtual machine."""

from typing import NamedTuple

from sonde.instruments.phases.analysis.phase_sums import PhaseSum
from sonde.instruments.phases.profile import PhaseProfile

APPLICATION, WAITING = "application", "waiting"
_TASK_CLOCK = "task-clock"


class MachinePart(NamedTuple):
    """One part."""

    name: str
    time_ns: int
    """Processor time, where that was counted; else elapsed time."""
    counts: tuple[int, ...]
    """Of each counter."""


def machine_parts(profile: PhaseProfile, sums: tuple[PhaseSum, ...]) -> tuple[MachinePart, ...]:
    """The application, garbage collection, import, compilation, and waiting: all of the time, each moment once.

    Of threads that wait, all the time that is not processor time is waiting: for input and output, for locks, that of
    the interpreter among them, and for a processor.

    Guarantee: times add up to the program's, and counts to its counts.
    Source: Buytaert, table 3.5 and figure 3.6.
    Differs: the document's parts have threads of their own, and threads that wait are not told of.
    """
    names = [counter.name for counter in profile.counters]
    clock = names.index(_TASK_CLOCK) if _TASK_CLOCK in names else None
    times: dict[str, int] = {}
    counts: dict[str, list[int]] = {}
    for each in sums:
        component = profile.phases[each.phase].component
        if component in ("application", "module bodies"):
            continue
        time_ns = each.own_ns if clock is None else min(max(each.own[clock], 0), each.own_ns)
        times[component] = times.get(component, 0) + time_ns
        so_far = counts.setdefault(component, [0] * len(names))
        for at, count in enumerate(each.own):
            so_far[at] += count
    whole = profile.whole_ns
    ran = whole if clock is None else min(profile.total(clock), whole)
    parts = [MachinePart(name, time_ns, tuple(counts[name])) for name, time_ns in times.items()]
    rest = tuple(profile.total(at) - sum(part.counts[at] for part in parts) for at in range(len(names)))
    application = MachinePart(APPLICATION, max(ran - sum(times.values()), 0), rest)
    waiting = [MachinePart(WAITING, whole - ran, (0,) * len(names))] if clock is not None else []
    return (application, *sorted(parts, key=lambda part: -part.time_ns), *waiting)
