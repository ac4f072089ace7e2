"""Threads kept apart: what each of them ran, beside the tree of all."""

from array import array
from collections.abc import Sequence
from dataclasses import fields, replace

from sonde.base.errors import InternalError, UsageError
from sonde.events import Function
from sonde.instruments.contexts.profile.context_profile import (
    NO_PARENT,
    ContextProfile,
    Contexts,
    MeasuredThread,
    ThreadTrees,
)

_VALUES = fields(Contexts)[2:]


def by_thread(profile: ContextProfile) -> ContextProfile:
    """The profile as a tree whose roots are its threads; functions that stand for them follow the others.

    Raises:
        UsageError: `no-threads`, it was recorded without `--threads`.
    Guarantee: totals are those of the profile. What bounds its contexts bounds each thread's part of them.
    Cost: O(n) for n contexts of threads.
    """
    trees = profile.threads
    if trees is None:
        raise UsageError(
            "cannot tell threads apart: this profile has the sums over all threads only",
            slug="no-threads",
            hint="record it with sonde contexts --threads",
        )
    count = len(profile.functions)
    contexts = trees.contexts
    function = array("q", (each if each >= 0 else count - 1 - each for each in contexts.function))
    apart = replace(
        profile,
        functions=(*profile.functions, *(_as_function(profile, thread) for thread in trees.threads)),
        contexts=replace(contexts, function=function),
        pruned_contexts=0,
        pruned_root_calls=0,
        pruned_root_ns=0,
        threads=None,
    )
    return replace(
        apart,
        pruned_root_calls=max(0, profile.total_calls - apart.total_calls),
        pruned_root_ns=max(0, profile.total_ns - apart.total_ns),
    )


def check_threads(profile: ContextProfile) -> None:
    """Check every invariant of the trees of threads, if there are any.

    Raises:
        InternalError: the first that is broken.
    """
    trees = profile.threads
    if trees is None:
        return
    roots = [row for row, parent in enumerate(trees.contexts.parent) if parent == NO_PARENT]
    named = sorted(-1 - trees.contexts.function[row] for row in roots)
    if named != list(range(len(trees.threads))):
        raise _broken(f"{len(trees.threads)} threads have {len(roots)} roots, which name {named[:9]}")
    if any(function < 0 for row, function in enumerate(trees.contexts.function) if trees.contexts.parent[row] >= 0):
        raise _broken("a context of a thread has no function")
    if any(not 0 <= thread.process < max(1, len(profile.processes)) for thread in trees.threads):
        raise _broken("a thread is of no process")
    apart = by_thread(profile)
    apart.check_valid()
    is_rounded = profile.sampling is not None  # each estimate to a whole number
    if not is_rounded and (apart.total_calls, apart.total_ns) != (profile.total_calls, profile.total_ns):
        raise _broken("its threads have more than all of them together")


def merged_threads(profiles: Sequence[ContextProfile], numbers: Sequence[Sequence[int]]) -> ThreadTrees | None:
    """The threads of several profiles, one after the other; None if one of them does not tell its threads apart.

    Args:
        numbers: for each profile, by function, its number in the merged one.
    Cost: O(n) for all contexts of threads together.
    """
    threads: list[MeasuredThread] = []
    parts: list[ThreadTrees] = []
    processes = 0
    for profile in profiles:
        if profile.threads is None:
            return None
        parts.append(profile.threads)
        threads += (replace(each, process=each.process + processes) for each in profile.threads.threads)
        processes += len(profile.processes)
    rows = count = 0
    parent, function = array("q"), array("q")
    for part, number in zip(parts, numbers, strict=True):
        parent.extend(above if above == NO_PARENT else above + rows for above in part.contexts.parent)
        function.extend(number[each] if each >= 0 else each - count for each in part.contexts.function)
        rows, count = rows + len(part.contexts), count + len(part.threads)
    sizes = [len(part.contexts) for part in parts]
    joined = {field.name: _joined([getattr(part.contexts, field.name) for part in parts], sizes) for field in _VALUES}
    return ThreadTrees(tuple(threads), Contexts(parent, function, **joined))


def _joined(columns: Sequence[Sequence[int]], sizes: Sequence[int]) -> Sequence[int]:
    """One column of several trees, one below the other; zeros in those that lack it, unless all do."""
    if not any(map(len, columns)):
        return ()
    return array("q", (value for column, count in zip(columns, sizes, strict=True) for value in column or bytes(count)))


def _as_function(profile: ContextProfile, thread: MeasuredThread) -> Function:
    process = profile.processes[thread.process].pid if profile.processes else 0
    return Function(thread.label, f"process {process}", "", thread.number, "thread")


def _broken(fact: str) -> InternalError:
    return InternalError(f"cannot trust this profile: {fact}", slug="invalid-profile")
