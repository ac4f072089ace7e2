"""Tasks of asyncio in profiles: written and read, merged."""

import tempfile
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from sonde.instruments.contexts.profile import (
    ContextProfile,
    LoopTimes,
    TaskAwait,
    TaskGroup,
    TaskTimes,
    merge_profiles,
    read_profile,
    write_profile,
)
from strategies import profiles

_COUNTS = st.integers(0, 10**15)
_Value = TypeVar("_Value", TaskGroup, TaskAwait, LoopTimes)
_NAMES = st.sampled_from(["", "worker", "café"])


@st.composite
def with_tasks(draw: st.DrawFn) -> ContextProfile:
    """Profiles some of which have tasks: each group is of one coroutine, place and name."""
    profile = draw(profiles(pruned=False, timed=True))
    functions = st.integers(-1, len(profile.functions) - 1)
    keys = draw(st.lists(st.tuples(_NAMES, functions, functions, st.integers(0, 9)), max_size=4, unique=True))
    if not keys:
        return profile
    groups = tuple(_counted(draw, TaskGroup, *key) for key in keys)
    places = st.tuples(st.integers(0, len(groups) - 1), functions, st.integers(0, 9), functions, _NAMES)
    awaits = tuple(_counted(draw, TaskAwait, *key) for key in draw(st.lists(places, max_size=4, unique=True)))
    return replace(profile, tasks=TaskTimes(groups, awaits, _counted(draw, LoopTimes)))


def _counted(draw: st.DrawFn, kind: type[_Value], *key: Any) -> _Value:
    rest = fields(kind)[len(key) :]
    is_reference = [each.name in ("longest_in", "longest_of") for each in rest]
    return kind(*key, *(-1 if name else draw(_COUNTS) for name in is_reference))


def sums(profiles: list[ContextProfile]) -> tuple[Counter[tuple[object, ...]], ...]:
    """By what groups, places and loops are, in words: the sum of what is counted of them."""
    groups, awaits, loops = Counter[tuple[object, ...]](), Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
    for profile in profiles:
        tasks = profile.tasks
        if tasks is None:
            continue
        named = [*profile.functions, None]
        key_of = [(each.name, named[each.coroutine], named[each.made_in], each.made_at_line) for each in tasks.groups]
        for key, group in zip(key_of, tasks.groups, strict=True):
            for what in (
                "tasks",
                "ended",
                "cancelled",
                "failed",
                "steps",
                "life_ns",
                "run_ns",
                "awaited_ns",
                "ready_ns",
            ):
                groups[*key, what] += getattr(group, what)
        for each in tasks.awaits:
            place = (key_of[each.task], named[each.function], each.line, named[each.awaited], each.thing)
            for what in ("times", "awaited_ns", "ready_ns"):
                awaits[*place, what] += getattr(each, what)
        for what in ("loops", "span_ns", "held_ns"):
            loops[what,] += getattr(tasks.loops, what)
    return groups, awaits, loops


@given(with_tasks())
def test_what_is_written_is_read(profile: ContextProfile) -> None:
    profile.check_valid()
    with tempfile.TemporaryDirectory() as folder:
        write_profile(Path(folder, "run.sonde"), profile)
        assert read_profile(Path(folder, "run.sonde")).tasks == profile.tasks


@examples(0.5)
@given(st.lists(with_tasks(), min_size=1, max_size=3))
def test_merged_tasks_are_the_sums_of_the_parts(parts: list[ContextProfile]) -> None:
    merged = merge_profiles(parts)
    merged.check_valid()
    assert sums([merged]) == sums(parts)
    stepwise = parts[0]
    for part in parts[1:]:
        stepwise = merge_profiles([stepwise, part])
    assert stepwise.tasks == merged.tasks
    longest = [part.tasks.loops.longest_step_ns for part in parts if part.tasks is not None]
    assert (merged.tasks is None) == (not longest)
    assert merged.tasks is None or merged.tasks.loops.longest_step_ns == max(longest)
