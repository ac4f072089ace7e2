"""What each thread spent, as a table and in a sentence: its time, its calls, and where most of that went."""

from dataclasses import dataclass

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import counted, format_share
from sonde.code import Function
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, is_group_label, time_name
from sonde.report import Column, Row, Table, Unit

_MOST = 12
"""Rows on paper."""
_SPAN, _COST = "from its first counted call to its end", "with what it cost to watch it"
_LONGEST_NAME = 20
"""Of a thread and of a function in the sentence."""


@dataclass(frozen=True, slots=True)
class _Thread:
    row: int
    """Of the root that stands for it."""
    hottest: Function | None
    """The function with the largest own weight on it; None if there is none."""
    own: int


def thread_table(profile: ContextProfile, apart: ContextProfile) -> Table:
    """Threads, heaviest first, each with the function that has the largest own weight on it.

    Those that were over before they were seen to run are left out and counted: a server has one for each request.

    Args:
        apart: the profile by thread, see `by_thread`.
    Cost: O(n) for n contexts.
    """
    tree, trees = apart.contexts, profile.threads
    threads = trees.threads if trees is not None else ()
    weights = apart.weights()
    rows: list[Row] = []
    unseen = 0
    for each in sorted(_threads(apart), key=lambda each: (-weights[each.row], each.row)):
        function = tree.function[each.row]
        thread = threads[function - len(profile.functions)]
        if not weights[each.row] and not thread.elapsed_ns and rows:
            unseen += 1
            continue
        pid = str(profile.processes[thread.process].pid) if profile.processes else None
        calls = (tree.total_calls[each.row],) if apart.has_time and apart.has_calls else ()
        times = (thread.elapsed_ns, thread.processor_ns)
        of_hottest = (each.own, each.hottest)
        rows.append(
            Row((weights[each.row], *times, apart.functions[function], pid, *calls, *of_hottest, thread.number))
        )
    what = "calls"
    if apart.has_time:
        what = f"{time_name(apart)}, waiting included" if apart.is_wall_time else time_name(apart)
    is_one_process = len({thread.process for thread in threads}) == 1
    is_cost_seen = apart.has_time and any(
        (threads[tree.function[each.row] - len(profile.functions)].processor_ns or 0) > weights[each.row]
        for each in _threads(apart)
    )
    legend = f"elapsed, processor: {_COST}; that was taken out of total and self" if is_cost_seen else ""
    if unseen:
        legend = "; ".join(filter(None, (legend, f"left out: {counted(unseen, 'thread')} not seen to run")))
    columns = _columns(apart, is_one_process)
    return Table("threads", "threads", columns, rows, (f"by {what}",), "thread", _MOST, legend=legend)


def thread_headline(profile: ContextProfile, apart: ContextProfile) -> tuple[str, ...]:
    """The thread that has most, and the function that has most of that; nothing if nothing ran.

    Where threads wait, another one may have run most: that is said, too.

    Args:
        apart: the profile by thread, see `by_thread`.
    Cost: O(n) for n contexts.
    """
    weights = apart.weights()
    found = sorted(_threads(apart), key=lambda each: (-weights[each.row], each.row))
    if not found or not weights[found[0].row]:
        return ()
    first = found[0]
    weight = weights[first.row]
    thread = apart.functions[apart.contexts.function[first.row]]
    name = keep_both_ends(thread.label, _LONGEST_NAME)
    if len(profile.processes) > 1:
        name += f" of {thread.module}"
    where = ""
    if first.hottest is not None:
        where = f"{format_share(first.own, weight)} of it in {keep_both_ends(first.hottest.label, _LONGEST_NAME)}"
    is_group = is_group_label(thread.name)
    if len(found) == 1 and not is_group:
        return (f"{name} is the only thread{f', {where}' if where else ''}.",)
    is_lock_time = profile.run.time_kind == "lock"
    time = "time" if apart.is_wall_time else time_name(apart)
    what = "calls" if not apart.has_time else time if is_lock_time else f"{time} in threads"
    said = f"{name} {'have' if is_group else 'has'} most {what}: {format_share(weight, apart.whole)}"
    return (f"{said}{f', {where}' if where else ''}.", *_ran_most(profile, thread, apart))


def _ran_most(profile: ContextProfile, first: Function, apart: ContextProfile) -> tuple[str, ...]:
    """The thread with most processor time, where times have waiting in them, and it is not the one with most time."""
    threads = () if profile.threads is None else profile.threads.threads
    ran = [thread.processor_ns or 0 for thread in threads]
    if not apart.is_wall_time or not any(ran):
        return ()
    at = ran.index(max(ran))
    most = apart.functions[len(profile.functions) + at]
    if most == first:
        return ()
    name, share = keep_both_ends(most.label, _LONGEST_NAME), format_share(ran[at], sum(ran))
    return (f"{name} ran most: {share} of their processor time.",)


def _columns(apart: ContextProfile, is_one_process: bool) -> tuple[Column, ...]:
    unit: Unit = "duration" if apart.has_time else "count"
    return (
        Column("total", "total" if apart.has_time else "calls", unit, apart.whole, "both"),
        Column("elapsed", "elapsed", "duration", priority=2, meaning=f"{_SPAN}, {_COST}"),
        Column("processor", "processor", "duration", priority=1, meaning=f"processor time, {_COST}"),
        Column("thread", "thread", "name"),
        Column("process", "process", shown="data" if is_one_process else "amount"),
        *((Column("calls", "calls", "count", priority=1),) if apart.has_time and apart.has_calls else ()),
        Column("self", "self" if apart.has_time else "calls of", unit, meaning="on this thread, of the function named"),
        Column("function", "most of it in", "name"),
        Column("number", "number", "number", shown="data"),
    )


def _threads(apart: ContextProfile) -> list[_Thread]:
    tree = apart.contexts
    own_column = tree.self_ns if apart.has_time else tree.calls
    root_of: list[int] = []
    own: dict[int, dict[int, int]] = {}
    for row, (parent, function) in enumerate(zip(tree.parent, tree.function, strict=True)):
        root_of.append(row if parent == NO_PARENT else root_of[parent])
        of_thread = own.setdefault(root_of[row], {})
        of_thread[function] = of_thread.get(function, 0) + own_column[row]
    threads = []
    for root, of_thread in own.items():
        hottest = max(of_thread, key=of_thread.__getitem__)
        threads.append(_Thread(root, apart.functions[hottest] if of_thread[hottest] else None, of_thread[hottest]))
    return threads
