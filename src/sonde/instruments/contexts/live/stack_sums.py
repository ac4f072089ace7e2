"""Sums over the stacks that were seen until a moment, and what is new in them since an earlier one."""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from sonde.events import Function
from sonde.instruments.contexts.analyses.stack_contexts import FIRST_THREAD, task_names
from sonde.instruments.contexts.analysis.function_groups import GroupedFunctions
from sonde.instruments.contexts.profile import (
    NO_PARENT,
    ContextProfile,
    fold_imports,
    function_totals,
    is_stand_in,
)

_Key = TypeVar("_Key")


class SeenThread(NamedTuple):
    """A thread that was looked at."""

    pid: int
    native_id: int
    """As `ps -L` and `top -H` have it."""
    name: str = ""


class StackSums(NamedTuple):
    """Since the looking began; all times in nanoseconds."""

    seen_ns: int
    """Of the monotonic clock: the last look."""
    stacks: int
    rounds: int
    whole: int
    own: Mapping[Function, int]
    total: Mapping[Function, int]
    """With what is called; recursion counted once."""
    lines: Mapping[tuple[Function, int], int]
    """Samples."""
    threads: Mapping[SeenThread, int]
    on_threads: Mapping[tuple[SeenThread, Function], int]
    """Own times of functions, by thread; what is waited counts for who waits."""

    def since(self, before: "StackSums") -> "StackSums":
        """What is new: times by which sums have grown; what has not is left out.

        Guarantee: own times add up to `whole`, if those of both do.
        """
        return StackSums(
            self.seen_ns - before.seen_ns,
            self.stacks - before.stacks,
            self.rounds - before.rounds,
            self.whole - before.whole,
            _growth(self.own, before.own),
            _growth(self.total, before.total),
            _growth(self.lines, before.lines),
            _growth(self.threads, before.threads),
            _growth(self.on_threads, before.on_threads),
        )


def stack_sums(profile: ContextProfile, threads: list[SeenThread], seen_ns: int, stacks: int) -> StackSums:
    """Sum up a profile whose threads were kept apart.

    Args:
        threads: those of the profile, in their order.
        seen_ns: of the monotonic clock: the last look.
        stacks: that were read.
    Cost: O(n) for n contexts, some microseconds each.
    """
    folded = fold_imports(profile)
    groups = GroupedFunctions(folded, function_totals(folded))
    own, total = dict[Function, int](), dict[Function, int]()
    for group in groups.groups:
        function = groups.functions[group.function]
        own[function] = own.get(function, 0) + group.own
        total[function] = total.get(function, 0) + group.total
    lines = {
        (function, line): samples
        for function, of_function in profile.line_samples.items()
        for line, samples in of_function.items()
    }
    of_threads, on_threads = _by_thread(profile, threads)
    rounds = profile.sampling.bursts if profile.sampling is not None else 0
    return StackSums(seen_ns, stacks, rounds, profile.total_ns, own, total, lines, of_threads, on_threads)


def _by_thread(
    profile: ContextProfile, threads: list[SeenThread]
) -> tuple[dict[SeenThread, int], dict[tuple[SeenThread, Function], int]]:
    whole, own = dict[SeenThread, int](), dict[tuple[SeenThread, Function], int]()
    if profile.threads is None:
        return whole, own
    tree = profile.threads.contexts
    thread_of: list[SeenThread] = []
    stands_in = [is_stand_in(function) for function in profile.functions]
    for above, number, ns in zip(tree.parent, tree.function, tree.self_ns, strict=True):
        thread = threads[-1 - number] if above == NO_PARENT else thread_of[above]
        thread_of.append(thread)
        whole[thread] = whole.get(thread, 0) + ns
        runs = tree.function[above] if number >= 0 and stands_in[number] and above != NO_PARENT else number
        if runs >= 0:
            key = thread, profile.functions[runs]
            own[key] = own.get(key, 0) + ns
    return whole, own


def seen_threads(
    columns: tuple[bytes, ...],
    threads: list[tuple[int, int, int, int]],
    tasks: list[tuple[int, bool, str]],
    pids: list[int],
) -> list[SeenThread]:
    """The threads of a tree as the core gives it, in the order in which `stack_contexts` has them.

    Args:
        columns: of the tree.
        threads: as the core numbers them.
        tasks: groups of them, which count as threads.
        pids: of processes, as the core numbers them.
    """
    functions = memoryview(columns[1]).cast("q")
    numbers = sorted(FIRST_THREAD - function for function in functions if function <= FIRST_THREAD)
    names = task_names(tasks)
    return [SeenThread(pids[threads[number][0]], threads[number][1], names.get(number, "")) for number in numbers]


def _growth(now: Mapping[_Key, int], before: Mapping[_Key, int]) -> dict[_Key, int]:
    return {key: value - before.get(key, 0) for key, value in now.items() if value > before.get(key, 0)}
