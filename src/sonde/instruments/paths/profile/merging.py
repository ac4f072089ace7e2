"""Several path profiles as one: routines are matched by what they are called, counts added up."""

from collections.abc import Sequence
from dataclasses import replace

from sonde.base.errors import InputError
from sonde.evidence import Loss
from sonde.instruments.paths.profile.path_profile import PathProfile, PathRoutine, function_key
from sonde.instruments.paths.profile.path_tree import merged_trees
from sonde.instruments.paths.profile.routine_code import RoutineCode
from sonde.store.merged_runs import merged_command, merged_losses, merged_sources


def merge_path_profiles(profiles: Sequence[PathProfile]) -> PathProfile:
    """Bring the path profiles of several runs together; the sequences are as long as the shortest k has them.

    Raises:
        InputError: `nothing-to-merge`; `different-code`, a function has other blocks in one profile than in another.
    Guarantee: counts are the sums of those of the parts, and floors, too; associative and commutative.
    Cost: O(n k log m) for n sequences of m parts together.
    """
    if not profiles:
        raise InputError("cannot merge profiles: there are none", slug="nothing-to-merge")
    k = min(profile.k for profile in profiles)
    parts: dict[tuple[object, ...], list[PathRoutine]] = {}
    for profile in profiles:
        for routine in profile.routines:
            parts.setdefault(function_key(routine.function), []).append(routine)
    routines = tuple(
        PathRoutine(
            same[0].function,
            sum(routine.activations for routine in same),
            merged_trees([routine.forest for routine in same], k),
            _merged_code(same),
        )
        for _, same in sorted(parts.items())
    )
    shortened = [_shortened(profile) if profile.k > k else profile for profile in profiles]
    return PathProfile(
        k,
        routines,
        merged_command([profile.command for profile in profiles]),
        sum(profile.floor for profile in profiles),
        merged_losses(shortened),
        merged_sources(shortened),
    )


def _merged_code(same: Sequence[PathRoutine]) -> RoutineCode:
    codes = [routine.code for routine in same if routine.code]
    if any(code.blocks != codes[0].blocks for code in codes):
        raise InputError(
            f"cannot merge paths of '{same[0].function.name}': its code is not the same in all profiles",
            slug="different-code",
            hint="measure again with the same sources and options, or look at the difference: sonde diff A B",
        )
    ways = {path: way for code in codes for path, way in code.ways.items()}
    return RoutineCode(codes[0].blocks, ways) if codes else RoutineCode()


def _shortened(profile: PathProfile) -> PathProfile:
    """Says that its longest sequences are left out."""
    told = Loss("k-differs", 0, "some profiles were of longer sequences, which are left out")
    return replace(profile, losses=(*(loss for loss in profile.losses if loss.kind != told.kind), told))
