"""When phases run: the calls of a profile as a timeline."""

from array import array

from sonde.instruments.phases.profile import NO_CALL, PhaseThread
from sonde.instruments.phases.report.told_phases import ToldProfile
from sonde.report import Timeline, TimelineLane

_MOST_NAMES = 12
"""Lines on paper."""
_MOST_MARKS = 20


def timeline_of(told: ToldProfile, most: int) -> Timeline:
    """The timeline of all threads; a lane for each depth of calls of phases.

    Cost: O(n) for n calls.
    """
    profile, regions = told.profile, told.regions
    sums = {each.phase: each.total_ns for each in told.sums}
    order = sorted(sums, key=lambda phase: -sums[phase])
    place = {phase: at for at, phase in enumerate(order)}
    lanes = [lane for thread in profile.threads for lane in _lanes(thread, place)]
    duration = max((thread.end_ns for thread in profile.threads), default=0)
    marks = tuple(region.start_ns for region in regions[1:])
    names = tuple(
        profile.phases[phase].function if profile.phases[phase].is_method else profile.phases[phase].component
        for phase in order
    )
    return Timeline(
        "when",
        "when",
        duration,
        names,
        tuple(lanes),
        marks if len(marks) <= _MOST_MARKS else (),
        ("each with all that it calls",),
        min(most, _MOST_NAMES),
    )


def _lanes(thread: PhaseThread, place: dict[int, int]) -> list[TimelineLane]:
    calls = thread.calls
    depth = array("q", bytes(8 * len(calls)))
    columns: list[tuple[array[int], array[int], array[int]]] = []
    for row, (parent, phase) in enumerate(zip(calls.parent, calls.phase, strict=True)):
        at = depth[parent] + 1 if parent != NO_CALL else 0
        depth[row] = at
        if at == len(columns):
            columns.append((array("q"), array("q"), array("q")))
        starts, ends, names = columns[at]
        starts.append(calls.start_ns[row])
        ends.append(calls.end_ns[row])
        names.append(place[phase])
    return [TimelineLane(thread.name, at, *each) for at, each in enumerate(columns)]
