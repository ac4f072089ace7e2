"""Python stacks that were looked at from outside, as a profile of calling contexts with estimated times."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isqrt
from typing import NamedTuple, Protocol

from sonde.code import module_of_file
from sonde.events import Function, function_of_code
from sonde.instruments.contexts.analyses.native_functions import (
    is_native,
    names_missing,
    native_function,
    native_losses,
)
from sonde.instruments.contexts.profile import (
    COLLECTING,
    LOCK_WAITING,
    NO_PARENT,
    WAITING,
    ContextProfile,
    Contexts,
    Loss,
    MeasuredProcess,
    MeasuredThread,
    OwnEstimate,
    Run,
    Sampling,
    ThreadTrees,
    TimeKind,
    contexts_from_self,
    task_label,
)

_WAITS = -1
_LEAVES = {_WAITS: WAITING, -2: LOCK_WAITING, -3: COLLECTING}
FIRST_THREAD = -4
"""Functions of the core that are none: what threads do below them, and from here down the threads."""
_NOTABLE = 0.01
"""Share of the looks from which it is worth saying what was left out."""
_RUNPY = ("_run_code", "<frozen runpy>")


_Described = Sequence[tuple[str, str, int, int, float]]
"""Functions: name, file, first line, flags, variance of the own time."""


class SeenStacks(Protocol):
    """What was seen: by a `StackSampler` that has ended, by one until a moment, by programs that sampled themselves."""

    def columns(self) -> tuple[bytes, ...]:
        """Parent, function, call line, own time in ns (int64), its variance (float64); a row for each context."""
        ...

    def functions(self) -> list[tuple[str, str, int, int, float]]:
        """Name, file, first line, flags, variance of the own time."""
        ...

    def lines(self) -> list[tuple[int, int, int]]:
        """Function, line, samples."""
        ...

    def threads(self) -> list[tuple[int, int, int, int]]:
        """Process, number of the system, first and last moment in ns."""
        ...

    def tasks(self) -> list[tuple[int, bool, str]]:
        """Number of a thread that stands for a task, whether it was named, name of the task or of its coroutine."""
        ...

    def sums(self) -> dict[str, int]:
        """How it went."""
        ...


class NativeSide(NamedTuple):
    """What was seen of C functions, by a sampler that looks at them."""

    libraries: Sequence[str] = ()
    """Paths by their numbers."""
    sums: Mapping[str, int] = {}
    """What became of C stacks; empty: only Python functions were looked at."""


class _Tree(NamedTuple):
    """Contexts as the core gives them, one row each, callers before callees."""

    parent: "array[int]"
    function: "array[int]"
    line: "array[int]"
    self_ns: "array[int]"
    squares: "array[float]"


def stack_contexts(
    sampler: SeenStacks,
    run: Run,
    processes: Sequence[MeasuredProcess],
    *,
    period_ns: int,
    native: NativeSide | None = None,
) -> ContextProfile:
    """The profile of what was seen; the looking has ended.

    Args:
        run: with the kind of time, without its clock.
        processes: in the order in which the sampler numbers them.
        period_ns: that was asked for, from one look to the next.
        native: of a sampler that looked at C functions.
    Guarantee: own times are those of `native/core/stacks/stack_tree.h`, deviations the roots of the variances there.
    Cost: O(n) for n contexts.
    """
    described, sums = sampler.functions(), sampler.sums()
    tree = _tree_of(sampler.columns())
    native = native or NativeSide()
    functions = _named(described, tree, native.libraries)
    tree = _with_equal_functions_as_one(tree, functions)
    used = [leaf for leaf in _LEAVES if leaf == _WAITS or leaf in set(tree.function)]
    leaves = {leaf: len(functions) + index for index, leaf in enumerate(used)}
    contexts = _summed(tree, leaves)
    own = _own_times(functions, contexts)
    return ContextProfile(
        functions=(*functions, *(_LEAVES[leaf] for leaf in used)),
        contexts=contexts,
        own_estimates=_own_estimates(functions, described, own),
        run=replace(run, clock="sampled"),
        processes=tuple(processes),
        losses=(
            *_losses(sums),
            *native_losses(native.sums, sums["last_ns"] - sums["first_ns"]),
            *names_missing(zip(functions, own, strict=False)),
        ),
        threads=_threads_apart(tree, sampler, [process.pid for process in processes], leaves, run.time_kind),
        line_samples=_line_samples(functions, sampler.lines()),
        sampling=Sampling(
            interval_ns=max(1, (sums["last_ns"] - sums["first_ns"]) // max(1, sums["rounds"] - 1)),
            burst_ns=0,
            bursts=sums["rounds"],
            fraction=1.0,
            has_calls=False,
            asked_ns=period_ns,
            late=sums["late"],
        ),
    )


def _tree_of(columns: tuple[bytes, ...]) -> _Tree:
    *whole, squares = columns
    variances = array("d")
    variances.frombytes(squares)
    parent, function, line, self_ns = map(_whole_numbers, whole)
    return _Tree(parent, function, line, self_ns, variances)


def _whole_numbers(column: bytes) -> "array[int]":
    values = array("q")
    values.frombytes(column)
    return values


def _named(described: _Described, tree: _Tree, libraries: Sequence[str]) -> list[Function]:
    mains = set(_main_files(described, tree))
    return [
        native_function(name, file, first_line, flags, libraries)
        if is_native(flags)
        else function_of_code(name, "__main__" if file in mains else module_of_file(file), file, first_line, flags)
        for name, file, first_line, flags, _ in described
    ]


def _with_equal_functions_as_one(tree: _Tree, functions: Sequence[Function]) -> _Tree:
    """Parts and copies of a function of machine code have symbols of their own."""
    numbers: dict[Function, int] = {}
    first = [
        numbers.setdefault(each, number) if each.language != "python" else number
        for number, each in enumerate(functions)
    ]
    return tree._replace(function=array("q", (first[each] if each >= 0 else each for each in tree.function)))


def _main_files(described: _Described, tree: _Tree) -> Iterable[str]:
    """Files that were run as programs: by the interpreter itself, or by `-m`."""
    for parent, function in zip(tree.parent, tree.function, strict=True):
        if function < 0 or described[function][0] != "<module>" or described[function][1].startswith("<frozen "):
            continue
        while parent != NO_PARENT and tree.function[parent] >= 0 and is_native(described[tree.function[parent]][3]):
            parent = tree.parent[parent]
        caller = tree.function[parent] if parent != NO_PARENT else FIRST_THREAD
        if caller <= FIRST_THREAD or described[caller][:2] == _RUNPY:
            yield described[function][1]


def _summed(tree: _Tree, leaves: Mapping[int, int]) -> Contexts:
    """The contexts over all threads; `leaves`: their numbers as functions."""
    place: dict[tuple[int, int, int], int] = {}
    here = array("q")  # the row of each of the tree's; NO_PARENT for threads
    squares = array("d")
    parents, functions, lines, self_ns = (array("q") for _ in range(4))
    for above, function, line, own, square in zip(*tree, strict=True):
        if function <= FIRST_THREAD:
            here.append(NO_PARENT)
            continue
        key = (NO_PARENT if above == NO_PARENT else here[above], leaves.get(function, function), line)
        row = place.setdefault(key, len(place))
        if row == len(parents):
            for column, value in zip((parents, functions, lines, self_ns), (*key, 0), strict=True):
                column.append(value)
            squares.append(0.0)
        here.append(row)
        self_ns[row] += own
        squares[row] += square
    return _contexts(parents, functions, lines, self_ns, squares)


def _threads_apart(
    tree: _Tree, sampler: SeenStacks, pids: Sequence[int], leaves: Mapping[int, int], time_kind: TimeKind
) -> ThreadTrees | None:
    """What each thread ran, if that was kept apart."""
    shown = sorted(FIRST_THREAD - function for function in tree.function if function <= FIRST_THREAD)
    if not shown:
        return None
    threads, tasks = sampler.threads(), task_names(sampler.tasks())
    place = {number: -1 - index for index, number in enumerate(shown)}
    numbers: dict[int, int] = {}
    described = []
    for number in shown:
        process, native_id, first_ns, last_ns = threads[number]
        numbers[process] = numbers.get(process, 0) + 1
        name = tasks.get(number) or ("MainThread" if native_id == pids[process] else "")
        is_seen_waiting = number not in tasks or time_kind == "tasks"  # else a task may have lived for longer
        elapsed_ns = last_ns - first_ns if is_seen_waiting and last_ns > first_ns else None
        described.append(MeasuredThread(process, numbers[process], name, elapsed_ns))
    functions = [
        place[FIRST_THREAD - each] if each <= FIRST_THREAD else leaves.get(each, each) for each in tree.function
    ]
    return ThreadTrees(tuple(described), _contexts(tree.parent, functions, tree.line, tree.self_ns, tree.squares))


def task_names(tasks: Sequence[tuple[int, bool, str]]) -> dict[int, str]:
    """What groups of tasks are called, by the number of the thread that they count as."""
    return {number: task_label(name, is_named=is_named) for number, is_named, name in tasks}


def _contexts(
    parent: Sequence[int],
    function: Sequence[int],
    line: Sequence[int],
    self_ns: Sequence[int],
    squares: Iterable[float],
) -> Contexts:
    contexts = contexts_from_self(
        parent=parent,
        function=function,
        call_line=line,
        calls=array("q", bytes(8 * len(parent))),
        self_ns=self_ns,
    )
    return replace(contexts, ns_deviation=array("q", (_rounded_up_root(square) for square in squares)))


def _own_times(functions: Sequence[Function], contexts: Contexts) -> list[int]:
    """Of each function, and of what is none behind them."""
    own = [0] * (len(functions) + len(_LEAVES))
    for number, ns in zip(contexts.function, contexts.self_ns, strict=True):
        own[number] += ns
    return own


def _own_estimates(
    functions: Sequence[Function], described: _Described, own: Sequence[int]
) -> dict[Function, OwnEstimate]:
    """Of functions that have a number of their own, which nearly all have; and of machine code, whose parts have.

    Guarantee: a deviation is that of the function, or the sum of those of its parts, which is not less.
    """
    times = Counter(functions)
    found: dict[Function, OwnEstimate] = {}
    for number, function in enumerate(functions):
        known = found.get(function)
        if times[function] == 1 or function.language != "python":
            deviation = _rounded_up_root(described[number][4])
            found[function] = (
                OwnEstimate(own[number], deviation)
                if known is None
                else known._replace(deviation=known.deviation + deviation)
            )
    return found


def _rounded_up_root(square: float) -> int:
    whole = int(square)
    return isqrt(whole - 1) + 1 if whole > 0 else 0


def _line_samples(
    functions: Sequence[Function], lines: Iterable[tuple[int, int, int]]
) -> dict[Function, dict[int, int]]:
    found: dict[Function, dict[int, int]] = {}
    for function, line, samples in lines:
        of_function = found.setdefault(functions[function], {})
        of_function[line] = of_function.get(line, 0) + samples
    return found


def _losses(sums: dict[str, int]) -> Iterable[Loss]:
    taken = sums["stacks"] + sums["torn"]
    if sums["cut"] > _NOTABLE * taken:
        detail = "stacks whose callees changed while they were read: the caller got their time"
        yield Loss("stacks-cut", sums["cut"], detail)
    if sums["torn"] > _NOTABLE * taken:
        yield Loss("stacks-torn", sums["torn"], "stacks were dropped, as they changed while they were read")
    if sums["still"]:
        detail = "samples were taken on the program's processor, as its stacks change too fast to be read from another"
        yield Loss("stood-still", sums["still"], detail)
    if sums["too_deep"]:
        yield Loss("stacks-too-deep", sums["too_deep"], "stacks of more than 8,192 frames were dropped")
    if sums["without_room"]:
        yield Loss(
            "stacks-not-stored", sums["without_room"], "stacks found no room among contexts, lines or code objects"
        )
