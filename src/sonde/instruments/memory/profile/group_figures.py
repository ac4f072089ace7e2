"""What runs accessed or missed by function, for comparisons of groups of them; these need the extra `sonde[bench]`."""

from collections.abc import Callable, Sequence

from sonde.base.errors import InputError
from sonde.groups import GroupFigures, Measure, RunFigures
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.totals import CodeLayer, by_function


def memory_figures(
    profiles: Sequence[MemoryProfile],
    names: Sequence[str],
    level: int,
    *,
    latencies: Latencies | None = None,
    min_change: float = 0.005,
) -> GroupFigures:
    """What misses cost, misses or accesses of each function of several runs: of Python's functions if any run has
    some, else of native.

    Args:
        names: what to call the profiles in messages.
        level: the data level whose misses count; below 0: accesses, or the cost of misses of all levels where
            `latencies` are given.
    Raises:
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
    layer: CodeLayer = "python" if any(by_function(profile, "python") for profile in profiles) else "native"
    what = "lost cycles" if latencies else "accesses" if level < 0 else f"{levels[0][level]} misses"

    def amount(accesses: int, misses: Sequence[int]) -> int:
        if latencies is not None:
            return latencies.lost(misses)
        return accesses if level < 0 else misses[level]

    measure = Measure(what, "count", min_change=min_change)
    return GroupFigures(measure, tuple(_figures(profile, layer, amount) for profile in profiles))


def _figures(profile: MemoryProfile, layer: CodeLayer, amount: Callable[[int, Sequence[int]], int]) -> RunFigures:
    found = by_function(profile, layer)
    return RunFigures(
        tuple(profile.functions[each.function] for each in found),
        tuple(amount(each.accesses, each.misses) for each in found),
        amount(profile.accesses, profile.total_misses),
        profile.run.started_at,
        losses=profile.losses,
    )
