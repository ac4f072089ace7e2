"""Profiles whose threads are kept apart: written and read, added up, merged."""

import tempfile
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.base.errors import InternalError, UsageError
from sonde.instruments.contexts.profile import (
    NO_PARENT,
    ContextProfile,
    Contexts,
    MeasuredProcess,
    MeasuredThread,
    ThreadTrees,
    by_thread,
    check_threads,
    contexts_from_self,
    merge_profiles,
    read_profile,
    write_profile,
)
from strategies import profiles


@st.composite
def threaded(draw: st.DrawFn) -> ContextProfile:
    """Exact profiles, every context of which is divided among up to three threads."""
    whole = draw(profiles(pruned=False, timed=True))
    count = draw(st.integers(1, 3))
    tree = whole.contexts
    parent, function, line = [NO_PARENT] * count, [-1 - thread for thread in range(count)], [0] * count
    calls, self_ns = [0] * count, [0] * count
    row_of: dict[tuple[int, int], int] = {(thread, NO_PARENT): thread for thread in range(count)}
    for row in range(len(tree)):
        parts = [sorted(draw(st.lists(st.integers(0, each), min_size=count - 1, max_size=count - 1)))
                 for each in (tree.calls[row], tree.self_ns[row])]  # fmt: skip
        for thread in range(count):
            row_of[thread, row] = len(parent)
            parent.append(row_of[thread, tree.parent[row]])
            function.append(tree.function[row])
            line.append(tree.call_line[row])
            for column, cuts, value in zip((calls, self_ns), parts, (tree.calls[row], tree.self_ns[row]), strict=True):
                edges = [0, *cuts, value]
                column.append(edges[thread + 1] - edges[thread])
    contexts = contexts_from_self(parent=parent, function=function, call_line=line, calls=calls, self_ns=self_ns)
    process = MeasuredProcess(10, 1, "app.py", "3.12.1", "cpython-monitoring", count, whole.total_calls, "exited 0")
    names, times = st.sampled_from(["", "worker"]), st.none() | st.integers(0, 9)
    threads = tuple(MeasuredThread(0, number + 1, draw(names), draw(times), draw(times)) for number in range(count))
    return replace(whole, processes=(process,), threads=ThreadTrees(threads, contexts))


@given(threaded())
def test_threads_are_written_and_read_back(profile: ContextProfile) -> None:
    check_threads(profile)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sonde"
        write_profile(path, profile)

        assert read_profile(path) == profile


@given(threaded())
def test_a_profile_by_thread_has_the_same_totals_below_one_root_for_each(profile: ContextProfile) -> None:
    assert profile.threads is not None
    apart = by_thread(profile)

    apart.check_valid()
    assert (apart.total_calls, apart.total_ns) == (profile.total_calls, profile.total_ns)
    roots = [row for row, parent in enumerate(apart.contexts.parent) if parent == NO_PARENT]
    assert [apart.functions[apart.contexts.function[row]].kind for row in roots] == ["thread"] * len(roots)
    assert [apart.functions[apart.contexts.function[row]].label for row in roots] == [
        thread.name or f"thread {number}" for number, thread in enumerate(profile.threads.threads, 1)
    ]


@given(threaded(), threaded())
def test_merged_profiles_have_the_threads_of_all(one: ContextProfile, other: ContextProfile) -> None:
    merged = merge_profiles([one, other])

    assert merged.threads is not None
    check_threads(merged)
    ours, theirs = by_thread(one), by_thread(other)
    both = by_thread(merged)
    for name in ("call_line", "calls", "total_calls", "self_ns", "total_ns"):
        columns = [list(getattr(each.contexts, name)) for each in (ours, theirs, both)]
        assert columns[0] + columns[1] == columns[2]
    labels = [[each.functions[number] for number in each.contexts.function] for each in (ours, theirs, both)]
    assert labels[0] + labels[1] == labels[2]
    assert merge_profiles([one, replace(other, threads=None)]).threads is None


@given(threaded())
def test_threads_that_make_no_sense_are_found(profile: ContextProfile) -> None:
    assert profile.threads is not None
    tree = profile.threads.contexts
    wrong: list[Contexts] = [
        replace(tree, function=array("q", [-7, *tree.function[1:]])),
        replace(tree, calls=array("q", [1, *tree.calls[1:]])),
    ]
    for contexts in wrong:
        with pytest.raises(InternalError):
            check_threads(replace(profile, threads=replace(profile.threads, contexts=contexts)))
    with pytest.raises(UsageError, match="cannot tell threads apart"):
        by_thread(replace(profile, threads=None))
