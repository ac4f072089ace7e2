"""Calling contexts of memory accesses: sums over what is below them, one function's, and those of several runs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sonde.base.errors import UsageError
from sonde.code import Function, is_called, no_such_function
from sonde.instruments.memory.profile.rows import NO_CALLER, NO_FUNCTION, MemoryContext, add_counts, are_misses


@dataclass(frozen=True, slots=True)
class ContextTotals:
    """A context with all below it."""

    context: int
    """Its position."""
    accesses: int
    misses: tuple[int, ...]
    """Per data level."""


def context_totals(contexts: Sequence[MemoryContext]) -> list[ContextTotals]:
    """Of each context, the sum over it and all below it.

    Guarantee: the sum over outermost contexts is that of all rows.
    Cost: O(n).

    >>> tree = (MemoryContext(NO_CALLER, 0, 5, (1,)), MemoryContext(0, 1, 7, (2,)), MemoryContext(1, 0, 9, (3,)))
    >>> [(each.accesses, each.misses) for each in context_totals(tree)]
    [(21, (6,)), (16, (5,)), (9, (3,))]
    """
    sums = [[each.accesses, *each.misses] for each in contexts]
    for number in range(len(contexts) - 1, -1, -1):
        above = contexts[number].parent
        if above != NO_CALLER:
            add_counts(sums[above], sums[number])
    return [ContextTotals(number, accesses, tuple(misses)) for number, (accesses, *misses) in enumerate(sums)]


def contexts_of(
    sides: Sequence[tuple[Sequence[MemoryContext], Sequence[Function]]], name: str
) -> list[tuple[MemoryContext, ...]]:
    """The contexts of functions of a name and of all that they called, of each of some profiles.

    Args:
        sides: contexts and functions of each profile.
    Raises:
        UsageError: `no-calling-contexts`, one has none; `no-such-function`, none of them ran in any.
    """
    if not all(contexts for contexts, _ in sides):
        raise UsageError(
            f"cannot show what ran in '{name}': the profile has no calling contexts; those of Python programs have",
            slug="no-calling-contexts",
            hint=f"--include {name}: the function itself; a profile of an earlier version: measure again",
        )
    found = [contexts_from(contexts, [is_called(each, name) for each in functions]) for contexts, functions in sides]
    if not any(found):
        ran = [
            functions[number]
            for contexts, functions in sides
            for number in sorted({each.function for each in contexts} - {NO_FUNCTION})
        ]
        raise no_such_function(name, ran)
    return found


def contexts_from(contexts: Sequence[MemoryContext], wanted: Sequence[bool]) -> tuple[MemoryContext, ...]:
    """What was done in some functions and all that they called, wherever they were called from.

    Args:
        wanted: of each function, whether it is one of these.
    Guarantee: the sum over all rows is what was done while at least one of these functions ran or waited for a callee.
    Cost: O(n).
    """
    position: dict[int, int] = {}
    kept: list[MemoryContext] = []
    for number, each in enumerate(contexts):
        above = position.get(each.parent, NO_CALLER)
        if above != NO_CALLER or (each.function != NO_FUNCTION and wanted[each.function]):
            position[number] = len(kept)
            kept.append(MemoryContext(above, each.function, each.accesses, each.misses))
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class FoldedContexts:
    """Contexts of some functions, where a function that calls itself is in one."""

    contexts: tuple[MemoryContext, ...]
    levels: tuple[int, ...]
    """How deep the function calls itself, in each: 1 where it does not."""


def folded_contexts(
    contexts: Sequence[MemoryContext], is_shown: Sequence[bool], *, with_levels: bool = False
) -> FoldedContexts:
    """Contexts of some functions only.

    What other functions did counts for the nearest caller that is shown; without such a caller it is left out, as is
    what was done while no Python function ran.

    Args:
        is_shown: of each function.
        with_levels: a function that calls itself is in a context for each level.
    Cost: O(n).

    >>> tree = (MemoryContext(NO_CALLER, 0, 5, ()), MemoryContext(0, 1, 7, ()), MemoryContext(1, 0, 9, ()))
    >>> folded = folded_contexts(tree, [True, False])
    >>> folded.levels, [(each.parent, each.function, each.accesses) for each in folded.contexts]
    ((2,), [(-1, 0, 21)])
    """
    position: list[int] = []
    depth: list[int] = []
    keys: dict[tuple[int, int], int] = {}
    sums: list[list[int]] = []
    functions: list[int] = []
    levels: list[int] = []
    for each in contexts:
        above, level = (NO_CALLER, 0) if each.parent == NO_CALLER else (position[each.parent], depth[each.parent])
        counts = [each.accesses, *each.misses]
        if each.function == NO_FUNCTION or not is_shown[each.function]:
            number = above
        elif above != NO_CALLER and functions[above] == each.function and not with_levels:
            number, level = above, level + 1
        else:
            number, level = keys.setdefault((above, each.function), len(sums)), 1
        position.append(number)
        depth.append(level)
        if number == len(sums):
            sums.append(counts)
            functions.append(each.function)
            levels.append(1)
        elif number != NO_CALLER:
            add_counts(sums[number], counts)
            levels[number] = max(levels[number], level)
    found = zip(keys, sums, strict=True)
    rows = tuple(MemoryContext(*key, accesses, tuple(misses)) for key, (accesses, *misses) in found)
    return FoldedContexts(rows, tuple(levels))


@dataclass(frozen=True, slots=True)
class FunctionAmounts:
    """What one function did in some contexts."""

    function: int
    accesses: int
    misses: tuple[int, ...]


def own_by_function(contexts: Sequence[MemoryContext]) -> list[FunctionAmounts]:
    """Of each function what was done while it ran, without what it called. Cost: O(n)."""
    return _by_function((each.function, each.accesses, each.misses) for each in contexts)


def inclusive_by_function(contexts: Sequence[MemoryContext]) -> list[FunctionAmounts]:
    """Of each function what was done while it ran or waited for a callee, once where it is on the stack twice.

    Cost: O(n) times the depth of calls of other functions.
    """

    def outermost() -> Iterator[tuple[int, int, tuple[int, ...]]]:
        for number, total in enumerate(context_totals(contexts)):
            function, above = contexts[number].function, contexts[number].parent
            while above != NO_CALLER and contexts[above].function != function:
                above = contexts[above].parent
            if above == NO_CALLER:
                yield function, total.accesses, total.misses

    return _by_function(outermost())


def _by_function(rows: Iterable[tuple[int, int, tuple[int, ...]]]) -> list[FunctionAmounts]:
    sums: dict[int, list[int]] = {}
    for function, accesses, misses in rows:
        if function != NO_FUNCTION:
            add_counts(sums.setdefault(function, [0] * (1 + len(misses))), (accesses, *misses))
    return [FunctionAmounts(function, counts[0], tuple(counts[1:])) for function, counts in sums.items()]


def merged_contexts(parts: Iterable[tuple[Sequence[MemoryContext], Sequence[int]]]) -> tuple[MemoryContext, ...]:
    """The contexts of several runs: they are one where their paths are, and sorted by function below each caller.

    Args:
        parts: of each run its contexts, and what number each of its functions has now.
    Cost: O(n log n).
    """
    number_of: dict[tuple[int, int], int] = {}
    sums: list[list[int]] = []
    below: dict[int, list[tuple[int, int]]] = {}
    for contexts, functions in parts:
        now: list[int] = []
        for each in contexts:
            above = NO_CALLER if each.parent == NO_CALLER else now[each.parent]
            runs = NO_FUNCTION if each.function == NO_FUNCTION else functions[each.function]
            number = number_of.setdefault((above, runs), len(sums))
            now.append(number)
            counts = [each.accesses, *each.misses]
            if number == len(sums):
                sums.append(counts)
                below.setdefault(above, []).append((runs, number))
            else:
                add_counts(sums[number], counts)
    found: list[MemoryContext] = []
    pending = [(NO_CALLER, *each) for each in sorted(below.get(NO_CALLER, ()), reverse=True)]
    while pending:
        above, runs, number = pending.pop()
        pending.extend((len(found), *each) for each in sorted(below.get(number, ()), reverse=True))
        accesses, *misses = sums[number]
        found.append(MemoryContext(above, runs, accesses, tuple(misses)))
    return tuple(found)


def broken_contexts(contexts: Sequence[MemoryContext], functions: Sequence[Function], levels: int) -> Iterator[str]:
    """What is wrong with contexts: callers come first, each function is once below a caller."""
    seen: set[tuple[int, int]] = set()
    for number, each in enumerate(contexts):
        key = (each.parent, each.function)
        if not NO_CALLER <= each.parent < number or key in seen:
            yield f"context {number} is below context {each.parent}, which is not before it or has its function twice"
        elif each.function == NO_FUNCTION:
            if each.parent != NO_CALLER:
                yield f"context {number} is of no function, but called in context {each.parent}"
        elif not 0 <= each.function < len(functions) or functions[each.function].language != "python":
            yield f"context {number} names function {each.function}, which is not there or not of Python"
        seen.add(key)
        if each.accesses < 0 or not are_misses(each.misses, levels, each.accesses):
            yield f"context {number} has misses {each.misses} of {levels} levels and {each.accesses} accesses"
