"""Several path profiles as one: routines are matched by what they are called, counts added up."""

from collections.abc import Sequence
from dataclasses import replace

from sonde.base.errors import InputError
from sonde.evidence import Loss
from sonde.instruments.paths.profile.path_profile import PathProfile, PathRoutine, function_key
from sonde.instruments.paths.profile.path_tree import merged_trees
from sonde.store.merged_runs import merged_command, merged_losses, merged_sources


def merge_path_profiles(profiles: Sequence[PathProfile]) -> PathProfile:
    """Bring the path profiles of several runs together; the sequences are as long as the shortest k has them.

    Raises:
        InputError: `nothing-to-merge`.
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
            {number: lines for routine in reversed(same) for number, lines in routine.lines.items()},
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


def _shortened(profile: PathProfile) -> PathProfile:
    """Says that its longest sequences are left out."""
    told = Loss("k-differs", 0, "some profiles were of longer sequences, which are left out")
    return replace(profile, losses=(*(loss for loss in profile.losses if loss.kind != told.kind), told))
