"""Tasks of asyncio, as a table and in sentences: what they awaited, and how long they had to wait for their loop."""

from collections import defaultdict

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import format_duration, format_share
from sonde.code import Function, Place, origin_of
from sonde.instruments.contexts.analysis.loop_callbacks import loop_callbacks
from sonde.instruments.contexts.analysis.task_waits import heaviest_await, heaviest_path
from sonde.instruments.contexts.profile import ContextProfile, LoopTimes, TaskAwait, TaskGroup, TaskTimes
from sonde.instruments.contexts.report.node_label import place_of
from sonde.render.place_text import fitting_place
from sonde.report import Cell, Column, Named, Row, Table

_MOST = 8
"""Groups on paper."""
_MOST_AWAITS = 3
"""Places below a group; the others are one row."""
_NOTABLE = 0.01
"""Share of the tasks' time from which something is worth a word."""
_LONGEST_NAME, _LONGEST_PLACE = 24, 20
_GATHERING = "_GatheringFuture"
_LEGEND = "ready: it was there, but the loop was busy; a task stands where it was made"


def task_table(profile: ContextProfile, tasks: TaskTimes) -> Table:
    """Groups of tasks, those that lived longest first, each with what it awaited most below it.

    Cost: O(n log n) for n groups and places.
    """
    whole = sum(map(_life, tasks.groups))
    of_group: dict[int, list[TaskAwait]] = defaultdict(list)
    for wait in tasks.awaits:
        of_group[wait.task].append(wait)
    order = sorted(range(len(tasks.groups)), key=lambda number: (-_life(tasks.groups[number]), number))
    rows = [_group_row(profile, tasks.groups[number], of_group[number]) for number in order]
    return Table(
        "tasks",
        "tasks",
        _columns(whole),
        rows,
        ("by life, elapsed time",),
        "group",
        _MOST,
        legend=_LEGEND,
        is_grouped=True,
    )


def await_table(profile: ContextProfile, tasks: TaskTimes) -> Table:
    """All places at which tasks awaited something, for programs and pages.

    Cost: O(n log n) for n places.
    """
    rows = []
    for wait in sorted(tasks.awaits, key=lambda wait: (-wait.awaited_ns - wait.ready_ns, wait.function, wait.line)):
        amounts = (wait.awaited_ns, wait.ready_ns, wait.longest_ns, wait.times)
        of = _task_name(profile, tasks.groups[wait.task])
        rows.append(Row((*amounts, _await_name(profile, wait), _place(profile, wait.function, wait.line), of)))
    whole = sum(map(_life, tasks.groups))
    columns = (
        *_columns(whole)[:2],
        Column("longest", "longest await", "duration"),
        Column("times", "times", "count"),
        Column("awaited_thing", "awaited", "name"),
        Column("place", "", "place"),
        Column("task", "by task", "name"),
    )
    return Table("task_awaits", "what tasks awaited", columns, rows, noun="place", is_secondary=True)


def task_headline(profile: ContextProfile, tasks: TaskTimes) -> tuple[str, ...]:
    """Who holds the loop, and what is awaited most; nothing where neither is worth a word.

    Cost: O(n) for n contexts and places.
    """
    return (*_held(profile, tasks), *_awaited(profile, tasks))


def is_the_story(tasks: TaskTimes) -> bool:
    """Whether waiting is what the tasks of a program do, or have to do."""
    life = sum(map(_life, tasks.groups))
    waits = sum(group.awaited_ns + group.ready_ns for group in tasks.groups)
    return 2 * waits >= life > 0


def _columns(whole: int) -> tuple[Column, ...]:
    return (
        Column("awaited", "await", "duration", whole, "both", is_hot=True, meaning="what was awaited was not there"),
        Column("ready", "ready", "duration", whole, meaning="it was there, and the loop was busy"),
        Column("run", "run", "duration", whole, priority=1, meaning="in steps of the task"),
        Column("longest", "longest step", "duration", priority=3, meaning="which held the loop"),
        Column("count", "times", "count", priority=1, meaning="tasks that were made, or times that they awaited this"),
        Column("task", "task", "name"),
        Column("place", "", "place"),
        *(Column(key, key, "count", shown="data") for key in ("steps", "ended", "cancelled", "failed")),
        Column("life", "life", "duration", shown="data"),
    )


def _group_row(profile: ContextProfile, group: TaskGroup, waits: list[TaskAwait]) -> Row:
    waits = sorted(waits, key=lambda wait: (-wait.awaited_ns - wait.ready_ns, wait.line))
    below = [_await_row(profile, wait) for wait in waits[:_MOST_AWAITS]]
    if rest := waits[_MOST_AWAITS:]:
        sums = (sum(each.awaited_ns for each in rest), sum(each.ready_ns for each in rest))
        times = sum(each.times for each in rest)
        below.append(Row((*sums, None, None, times, f"… {len(rest)} more", *(None,) * 6), tone="faint"))
    amounts = (group.awaited_ns, group.ready_ns, group.run_ns, group.longest_step_ns, group.tasks)
    made = _place(profile, group.made_in, group.made_at_line)
    details = (group.steps, group.ended, group.cancelled, group.failed, _life(group))
    return Row((*amounts, _task_name(profile, group), made, *details), tuple(below))


def _task_name(profile: ContextProfile, group: TaskGroup) -> Cell:
    if group.coroutine < 0:
        return group.name or "(further tasks)"
    function = profile.functions[group.coroutine]
    return Named(f"{group.name}: {function.label}", function) if group.name else function


def _await_row(profile: ContextProfile, wait: TaskAwait) -> Row:
    amounts = (wait.awaited_ns, wait.ready_ns, None, None, wait.times)
    return Row((*amounts, _await_name(profile, wait), _place(profile, wait.function, wait.line), *(None,) * 5))


def _await_name(profile: ContextProfile, wait: TaskAwait) -> Cell:
    text = _thing(profile, wait)
    function = profile.functions[wait.awaited] if wait.awaited >= 0 else None
    return function if function is not None and text == function.label else Named(text, function)


def _thing(profile: ContextProfile, wait: TaskAwait) -> str:
    """What is awaited, in words."""
    label = profile.functions[wait.awaited].label if wait.awaited >= 0 else ""
    if label:
        return f"{label} (task)" if wait.thing == "task" else label
    return "gather" if wait.thing == _GATHERING else wait.thing or "(the next round)"


def _place(profile: ContextProfile, function: int, line: int) -> Place | None:
    return None if function < 0 else _placed(profile.functions[function], line)


def _placed(function: Function, line: int) -> Place:
    return Place(function.file, line or function.first_line, function)


def _life(group: TaskGroup) -> int:
    """Nanoseconds; of tasks that lived when the process was killed, only the parts are known."""
    return max(group.life_ns, group.run_ns + group.awaited_ns + group.ready_ns)


def _held(profile: ContextProfile, tasks: TaskTimes) -> list[str]:
    """Who holds loops: tasks, or callbacks that are none, whichever hold them longer."""
    loops, ready = tasks.loops, sum(group.ready_ns for group in tasks.groups)
    callbacks = loop_callbacks(profile, tasks)
    by_callbacks = callbacks.total()
    is_notable = max(loops.held_ns, by_callbacks) >= _NOTABLE * loops.span_ns
    if not is_notable or ready < _NOTABLE * sum(map(_life, tasks.groups)):
        return []
    loop = "the loop" if loops.loops == 1 else "loops"
    waited = f"tasks waited {format_duration(ready)} for {'it' if loops.loops == 1 else 'them'}"
    if by_callbacks > loops.held_ns:
        ((first, _),) = callbacks.most_common(1)
        held = _share_of_span(by_callbacks, loops)
        return [f"Callbacks that are no tasks held {loop}{held}, above all {_runs(profile, first)}; {waited}."]
    if loops.longest_in < 0 or loops.longest_of < 0:
        return []
    held = f"{_share_of_span(loops.held_ns, loops)}," if loops.span_ns else ""
    longest = f"longest {format_duration(loops.longest_step_ns)} {_by_whom(profile, tasks)}"
    return [f"{loop.capitalize()} {'was' if loops.loops == 1 else 'were'} held{held} {longest}; {waited}."]


def _share_of_span(held: int, loops: LoopTimes) -> str:
    """Empty where the run was cut off before a loop ended."""
    return f" {format_share(held, loops.span_ns)} of the time" if loops.span_ns else ""


def _by_whom(profile: ContextProfile, tasks: TaskTimes) -> str:
    """Who held the loop longest: not what went on first, which may end at once, and its callers run on."""
    loops, functions = tasks.loops, profile.functions
    coroutine = tasks.groups[loops.longest_of].coroutine
    first = loops.longest_in if coroutine < 0 else coroutine
    is_own_known = any(origin_of(functions[each]) == "own" for each in heaviest_path(profile, first))
    if not is_own_known and loops.longest_at_line and origin_of(functions[loops.longest_in]) == "own":
        place = fitting_place(_placed(functions[loops.longest_in], loops.longest_at_line), _LONGEST_PLACE)
        return f"after an await in {_short(functions[loops.longest_in])} ({place})"
    return f"by {_runs(profile, first)}"


def _runs(profile: ContextProfile, first: int) -> str:
    """The function of the program that a function mostly runs, if there is one, and what that mostly runs in turn."""
    functions, path = profile.functions, heaviest_path(profile, first)
    own = next((each for each in path if origin_of(functions[each]) == "own"), first)
    mostly = f", mostly in {_short(functions[path[-1]])}" if path[-1] != own else ""
    return f"{_named(functions[own])}{mostly}"


def _awaited(profile: ContextProfile, tasks: TaskTimes) -> list[str]:
    found = heaviest_await(profile, tasks)
    if not found:
        return []
    where, line, of = profile.functions[found[0].function], found[0].line, tasks.groups[found[0].task]
    what = keep_both_ends(_thing(profile, found[0]), _LONGEST_NAME)
    place, made = fitting_place(_placed(where, line), _LONGEST_PLACE), ""
    if origin_of(where) != "own" and of.made_in >= 0:  # a task of a library: the program's line is where it was made
        maker = profile.functions[of.made_in]
        place, made = fitting_place(_placed(maker, of.made_at_line), _LONGEST_PLACE), f", made in {_short(maker)}"
    longest = format_duration(max(wait.longest_ns for wait in found))
    awaited = format_duration(sum(wait.awaited_ns for wait in found))
    return [f"Tasks awaited {what} most, in {_short(where)}{made} ({place}): {awaited}, longest {longest}."]


def _named(function: Function) -> str:
    return f"{_short(function)} ({fitting_place(place_of(function), _LONGEST_PLACE)})"


def _short(function: Function) -> str:
    return keep_both_ends(function.label, _LONGEST_NAME)
