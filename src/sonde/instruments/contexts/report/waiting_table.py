"""All tasks of asyncio that were looked at from outside, as a table and in sentences: what they wait for."""

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import format_share
from sonde.code import Function, Place
from sonde.instruments.contexts.analysis.awaited_places import AwaitedPlace, TaskTime, WaitingGroup
from sonde.instruments.contexts.analysis.uncertainty import DEVIATIONS_OF_95_PERCENT
from sonde.instruments.contexts.profile import ContextProfile
from sonde.render.place_text import fitting_place
from sonde.report import Cell, Column, Margin, Named, Row, Table

_MOST = 8
"""Groups on paper."""
_MOST_PLACES = 3
"""Below a group; the others are one row."""
_NOTABLE = 0.01
"""Share of the tasks' time from which something is worth a word."""
_LONGEST_NAME, _LONGEST_PLACE = 28, 24
_LEGEND = "tasks: at once, on average; ready: what they waited for was there, but the loop was busy"


def waiting_table(profile: ContextProfile, groups: list[WaitingGroup]) -> Table:
    """Groups of tasks, those with most time first, each with the places at which it waits most below it.

    Cost: O(n log n) for n places.
    """
    whole = sum(group.time.whole_ns for group in groups)
    elapsed = _looked_ns(profile)
    columns = (
        Column("awaited", "wait", "duration", whole, "both", is_hot=True, meaning="for tasks, too"),
        Column("awaited_margin", "±", "margin"),
        Column("for_tasks", "for tasks", "duration", whole, priority=4, meaning="of that, for other tasks"),
        Column("ready", "ready", "duration", whole, priority=3, meaning="the loop was busy with something else"),
        Column("run", "run", "duration", whole),
        Column("count", "tasks", "number", meaning="at once, on average"),
        Column("task", "task", "name"),
        Column("place", "", "place"),
        Column("life", "life", "duration", shown="data"),
        Column("waits_in", "waits in", "name", shown="data"),
    )
    rows = [_group_row(profile, group, elapsed) for group in groups]
    return Table(
        "waiting_tasks",
        "tasks",
        columns,
        rows,
        ("by time, elapsed",),
        "group",
        _MOST,
        legend=_LEGEND,
        is_grouped=True,
    )


def waiting_headline(profile: ContextProfile, groups: list[WaitingGroup]) -> tuple[str, ...]:
    """How many tasks there were, what they did, and what they waited for most.

    Cost: O(n) for n places.
    """
    whole = sum(group.time.whole_ns for group in groups)
    if not whole:
        return ()
    states = (
        ("for other tasks", sum(group.time.for_tasks_ns for group in groups)),
        ("were ready while the loop was busy", sum(group.time.ready_ns for group in groups)),
        ("ran", sum(group.time.running_ns for group in groups)),
    )
    did = [f"waited {format_share(sum(group.time.waiting_ns for group in groups), whole)} of their time"]
    did += [f"{what} {format_share(ns, whole)}" for what, ns in states if ns >= _NOTABLE * whole]
    said = f"Tasks{_at_once(profile, whole)} {', '.join(did)}."
    return (said, *_heaviest(profile, groups, whole))


def _at_once(profile: ContextProfile, whole: int) -> str:
    elapsed = _looked_ns(profile)
    return f", {_rounded(whole / elapsed):,g} at once," if elapsed else ""


def _looked_ns(profile: ContextProfile) -> int:
    """From the first look to the last."""
    sampling = profile.sampling
    return 0 if sampling is None else sampling.interval_ns * (sampling.bursts - 1)


def _rounded(count: float) -> float:
    """To three digits, without a fraction where it is many."""
    return round(count) if count >= 100 else float(f"{count:.3g}")


def _heaviest(profile: ContextProfile, groups: list[WaitingGroup], whole: int) -> list[str]:
    """The place at which most is waited for what is no task."""
    sums: dict[AwaitedPlace, int] = {}
    for group in groups:
        for place, time in group.places.items():
            sums[place] = sums.get(place, 0) + time.waiting_ns
    if not sums:
        return []
    place = max(sums, key=sums.__getitem__)
    if sums[place] < _NOTABLE * whole or place.function < 0:
        return []
    where = profile.functions[place.function]
    what = "" if place.innermost == place.function else f", in {_short(profile.functions[place.innermost])}"
    at = fitting_place(_placed(where, place.line), _LONGEST_PLACE)
    return [f"They waited longest in {_short(where)} ({at}){what}: {format_share(sums[place], whole)}."]


def _group_row(profile: ContextProfile, group: WaitingGroup, elapsed: int) -> Row:
    places = sorted(group.places.items(), key=lambda item: (-item[1].awaited_ns, item[0].function, item[0].line))
    below = [_place_row(profile, place, time) for place, time in places[:_MOST_PLACES]]
    if rest := [time for _, time in places[_MOST_PLACES:]]:
        awaited, for_tasks = sum(time.awaited_ns for time in rest), sum(time.for_tasks_ns for time in rest)
        below.append(Row((awaited, None, for_tasks, *(None,) * 3, f"… {len(rest)} more", *(None,) * 3), tone="faint"))
    time = group.time
    count = _rounded(time.whole_ns / elapsed) if elapsed else None
    amounts = (time.awaited_ns, _margin(time), time.for_tasks_ns, time.ready_ns, time.running_ns, count)
    return Row((*amounts, group.name, None, time.whole_ns, None), tuple(below))


def _place_row(profile: ContextProfile, place: AwaitedPlace, time: TaskTime) -> Row:
    if place.function < 0:  # its coroutine is none of Python's
        name: Cell = "(not Python)"
        return Row((time.awaited_ns, _margin(time), time.for_tasks_ns, *(None,) * 3, name, *(None,) * 3), tone="faint")
    where, awaited = profile.functions[place.function], profile.functions[place.awaited]
    label = f"{where.label} → {awaited.label}" if awaited != where else where.label
    cells = (Named(label, where), _placed(where, place.line), None, profile.functions[place.innermost])
    return Row((time.awaited_ns, _margin(time), time.for_tasks_ns, None, None, None, *cells))


def _margin(time: TaskTime) -> Margin | None:
    if not time.awaited_ns and not time.variance:
        return None
    return Margin(time.awaited_ns, round(DEVIATIONS_OF_95_PERCENT * time.variance**0.5))


def _placed(function: Function, line: int) -> Place:
    return Place(function.file, line or function.first_line, function)


def _short(function: Function) -> str:
    return keep_both_ends(function.label, _LONGEST_NAME)
