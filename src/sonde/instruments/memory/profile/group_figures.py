"""What runs accessed or missed by function, for comparisons of groups of them; these need the extra `sonde[bench]`."""

from collections.abc import Sequence

from sonde.base.errors import InputError
from sonde.groups import GroupFigures, Measure, RunFigures
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.totals import CodeLayer, by_function


def memory_figures(
    profiles: Sequence[MemoryProfile], names: Sequence[str], level: int, *, min_change: float = 0.005
) -> GroupFigures:
    """Misses or accesses of each function of several runs: of Python's functions if any run has some, else of native.

    Args:
        names: what to call the profiles in messages.
        level: the data level whose misses count; -1: accesses.
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
    measure = Measure("accesses" if level < 0 else f"{levels[0][level]} misses", "count", min_change=min_change)
    return GroupFigures(measure, tuple(_figures(profile, layer, level) for profile in profiles))


def _figures(profile: MemoryProfile, layer: CodeLayer, level: int) -> RunFigures:
    found = by_function(profile, layer)
    return RunFigures(
        tuple(profile.functions[each.function] for each in found),
        tuple(each.accesses if level < 0 else each.misses[level] for each in found),
        profile.accesses if level < 0 else profile.total_misses[level],
        profile.run.started_at,
        losses=profile.losses,
    )
