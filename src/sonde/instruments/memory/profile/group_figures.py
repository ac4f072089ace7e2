"""What runs accessed or missed by function, for comparisons of groups of them; these need the extra `sonde[bench]`."""

from collections.abc import Callable, Sequence
from itertools import repeat

from sonde.base.errors import InputError
from sonde.code import CodeSelection, no_code_left
from sonde.groups import GroupFigures, Measure, RunFigures
from sonde.instruments.memory.profile.contexts import FunctionAmounts, contexts_of, own_by_function
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.totals import CODE_LAYERS, FunctionTotals, by_function, functions_that_ran


def memory_figures(
    profiles: Sequence[MemoryProfile],
    names: Sequence[str],
    level: int,
    *,
    latencies: Latencies | None = None,
    min_change: float = 0.005,
    min_share: float = 0.0,
    selection: CodeSelection | None = None,
    from_: str | None = None,
) -> GroupFigures:
    """What misses cost, misses or accesses of each function of several runs: of Python's functions if any run has
    some that are looked at, else of native.

    Args:
        names: what to call the profiles in messages.
        level: the data level whose misses count; below 0: accesses, or the cost of misses of all levels where
            `latencies` are given.
        min_share: functions with less of all runs are not looked at.
        selection: functions to look at; all when not given. Totals are of the whole run.
        from_: only what was done in functions of this name and what they called.
    Raises:
        UsageError: `no-calling-contexts`, `no-such-function`.
        UsageError: `no-code-left`, none of the selected functions accessed memory.
        InputError: `different-caches`, their misses are of different levels.
    Cost: O(n log n) for n places of each profile.
    """
    levels = [tuple(each.name for each in profile.data_levels) for profile in profiles]
    for name, each in zip(names, levels, strict=True):
        if each != levels[0]:
            raise InputError(
                f"cannot compare '{names[0]}' with '{name}': one has misses of {', '.join(levels[0]) or 'no caches'},"
                f" the other of {', '.join(each) or 'no caches'}",
                slug="different-caches",
                hint="measure all with as many caches",
            )
    selection = selection or CodeSelection()
    found = _amounts(profiles, selection, from_)
    what = "lost cycles" if latencies else "accesses" if level < 0 else f"{levels[0][level]} misses"

    def amount(accesses: int, misses: Sequence[int]) -> int:
        if latencies is not None:
            return latencies.lost(misses)
        return accesses if level < 0 else misses[level]

    measure = Measure(what, "count", min_change=min_change, min_share=min_share)
    return GroupFigures(measure, tuple(map(_figures, profiles, found, repeat(amount))))


def _amounts(
    profiles: Sequence[MemoryProfile], selection: CodeSelection, from_: str | None
) -> list[list[FunctionTotals | FunctionAmounts]]:
    """Of each profile, what the functions did that are looked at: of Python if any has such, else of native code."""
    layers: list[list[list[FunctionTotals | FunctionAmounts]]] = [
        [[*by_function(profile, layer)] for profile in profiles] for layer in CODE_LAYERS
    ]
    if from_ is not None:
        contexts = contexts_of([(each.contexts, each.functions) for each in profiles], from_)
        layers = [[[*own_by_function(each)] for each in contexts]]
    among = [selection.among(profile.functions) for profile in profiles]
    for layer in layers:
        shown = [
            [each for each in amounts if profile.functions[each.function] in chosen]
            for profile, chosen, amounts in zip(profiles, among, layer, strict=True)
        ]
        if any(shown):
            return shown
    ran = [*dict.fromkeys(each for profile in profiles for each in functions_that_ran(profile))]
    if ran:
        raise no_code_left(selection, ran, what="function that accessed memory")
    return [[] for _ in profiles]


def _figures(
    profile: MemoryProfile,
    found: Sequence[FunctionTotals | FunctionAmounts],
    amount: Callable[[int, Sequence[int]], int],
) -> RunFigures:
    return RunFigures(
        tuple(profile.functions[each.function] for each in found),
        tuple(amount(each.accesses, each.misses) for each in found),
        amount(profile.accesses, profile.total_misses),
        profile.run.started_at,
        losses=profile.losses,
    )
