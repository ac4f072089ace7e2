"""Several memory profiles as one: code, types and places are matched by what they are called, counts added up."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from typing import TypeVar

from sonde.base.errors import InputError
from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.memory.profile.contexts import merged_contexts
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.profile.memory_profile import (
    MOST_OBJECTS,
    NO_CALLER,
    NO_FUNCTION,
    NO_PLACE,
    CodePlace,
    Collections,
    LineAccesses,
    MemoryContext,
    MemoryProfile,
    MemoryRun,
    MemoryType,
    ObjectClass,
    TrackedObject,
    TypeMisses,
)
from sonde.instruments.memory.profile.sharing import MOST_SHARED_LINES, LineUse, SharedLine
from sonde.instruments.memory.profile.totals import added, added_lifetimes
from sonde.store.merged_runs import each_once, merged_command, merged_losses, merged_machine, merged_sources

_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")


def merge_memory_profiles(profiles: Sequence[MemoryProfile], *, names: Sequence[str] = ()) -> MemoryProfile:
    """Bring the memory profiles of several runs together.

    Functions are one when they agree in language, name, file, line and library, places when they have equal frames,
    types when they agree in kind and name. Of the single objects those with the most misses are kept. Of source texts
    that differ, the longest is kept.

    Args:
        names: what to call the profiles in messages, their files for instance.
    Raises:
        InputError: there is nothing to merge, two were measured with different caches, or one has totals only.
    Guarantee: all counts are the sums of those of the parts; associative and commutative: tables come out sorted,
        whatever the order of the parts.
    Cost: O(n log n) for n rows of all parts together.
    """
    if not profiles:
        raise InputError("cannot merge profiles: there are none", slug="nothing-to-merge")
    names = names or [f"profile {number}" for number in range(1, len(profiles) + 1)]
    check_same_caches(profiles, names)
    profiles = _with_comparable_contexts(profiles)
    common = _CommonNames(profiles)
    first = profiles[0]
    return MemoryProfile(
        run=_merged_run([profile.run for profile in profiles]),
        caches=first.caches,
        policy=first.policy,
        totals=_merged_totals(profiles),
        functions=common.functions,
        places=common.places,
        python_lines=_merged_lines(common, lambda profile: profile.python_lines),
        native_lines=_merged_lines(common, lambda profile: profile.native_lines),
        types=common.types,
        classes=_merged_classes(common),
        line_types=_merged_line_types(common),
        objects=_merged_objects(common),
        shared_lines=_merged_shared_lines(common),
        losses=merged_losses(profiles),
        sources=merged_sources(profiles),
        collections=_merged_collections(profiles),
        contexts=merged_contexts(
            (profile.contexts, functions)
            for (profile, _, _), functions in zip(common.parts, common.numbers, strict=True)
        ),
        measured_latencies=_merged_latencies(profiles),
    )


def _merged_latencies(profiles: Sequence[MemoryProfile]) -> Latencies | None:
    """Of several machines, the longest ones: as good as any, and the same in whatever order."""
    known = {each.measured_latencies for each in profiles} - {None}
    return max(filter(None, known), key=lambda each: (each.cycles, each.source), default=None)


def _with_comparable_contexts(profiles: Sequence[MemoryProfile]) -> Sequence[MemoryProfile]:
    """Contexts tell of all accesses of a profile: where those of one part are not known, those of others are given up.

    A part without Python has all of its accesses in the context of no function.
    """
    if not any(each.contexts for each in profiles):
        return profiles
    if all(each.contexts or not each.python_lines for each in profiles):
        return [
            each
            if each.contexts
            else replace(each, contexts=(MemoryContext(NO_CALLER, NO_FUNCTION, each.accesses, each.total_misses),))
            for each in profiles
        ]
    return [replace(each, contexts=(), losses=(*each.losses, *_given_up(each))) for each in profiles]


def _given_up(profile: MemoryProfile) -> Iterator[Loss]:
    amount = sum(each.accesses for each in profile.contexts if each.function != NO_FUNCTION)
    if amount:
        yield Loss("contexts-not-merged", amount, "accesses whose contexts others of the merged runs do not tell")


def check_same_caches(profiles: Sequence[MemoryProfile], names: Sequence[str]) -> None:
    """Misses of different caches must not be added up, nor parts that know where accesses are from with others.

    Raises:
        InputError: `different-caches`, `totals-only`.
    """
    for profile, name in zip(profiles, names, strict=True):
        if (profile.caches, profile.policy) != (profiles[0].caches, profiles[0].policy):
            raise InputError(
                f"cannot merge '{names[0]}' and '{name}': the first was measured with {_caches_in_words(profiles[0])},"
                f" the second with {_caches_in_words(profile)}",
                slug="different-caches",
                hint="measure both with the same caches, or compare them: sonde diff",
            )
    detailed = {bool(each.native_lines): name for each, name in zip(profiles, names, strict=True) if each.accesses}
    if len(detailed) > 1:
        raise InputError(
            f"cannot merge '{detailed[True]}' and '{detailed[False]}': the second has totals only",
            slug="totals-only",
            hint="measure both without --count-only, or both with it",
        )
    known = {bool(each.classes): name for each, name in zip(profiles, names, strict=True) if each.accesses}
    if len(known) > 1:
        raise InputError(
            f"cannot merge '{known[True]}' and '{known[False]}': the second knows lines only",
            slug="lines-only",
            hint="measure both without --lines-only, or both with it",
        )


def _caches_in_words(profile: MemoryProfile) -> str:
    caches = [f"{each.name} {each.size_bytes} bytes/{each.ways} ways/{each.line_bytes}" for each in profile.caches]
    return f"{', '.join(caches) or 'no caches'} ({profile.policy})"


class _CommonNames:
    """Functions, places and types of all profiles, sorted by what they are, and where each profile's are among them."""

    def __init__(self, profiles: Sequence[MemoryProfile]) -> None:
        self.functions: tuple[Function, ...] = tuple(
            sorted({each for profile in profiles for each in profile.functions}, key=_function_key)
        )
        self.types: tuple[MemoryType, ...] = tuple(
            sorted({each for profile in profiles for each in profile.types}, key=lambda each: (each.kind, each.name))
        )
        function_number = {each: number for number, each in enumerate(self.functions)}
        type_number = {each: number for number, each in enumerate(self.types)}
        frames = []
        self.numbers = [[function_number[each] for each in profile.functions] for profile in profiles]
        """Of each profile the new numbers of its functions."""
        for profile, number_of in zip(profiles, self.numbers, strict=True):
            frames.append([tuple((number_of[f], line) for f, line in place.frames) for place in profile.places])
        all_frames = sorted({each for places in frames for each in places})
        self.places: tuple[CodePlace, ...] = tuple(map(CodePlace, all_frames))
        place_number = {each: number for number, each in enumerate(all_frames)}
        self.parts: list[tuple[MemoryProfile, list[int], list[int]]] = [
            # The last entry is for NO_PLACE, -1.
            (
                profile,
                [*(place_number[each] for each in places), NO_PLACE],
                [type_number[each] for each in profile.types],
            )
            for profile, places in zip(profiles, frames, strict=True)
        ]
        """Of each profile the new numbers of its places and types."""


def _function_key(function: Function) -> tuple[str, str, str, int, str]:
    return function.language, function.name, function.file, function.first_line, function.library


def _grouped(
    items: Iterable[tuple[_Key, _Item]], order: Callable[[_Key], tuple[int, ...]]
) -> Iterator[tuple[_Key, list[_Item]]]:
    groups: dict[_Key, list[_Item]] = {}
    for key, item in items:
        groups.setdefault(key, []).append(item)
    for key in sorted(groups, key=order):
        yield key, groups[key]


def _merged_lines(
    common: _CommonNames, layer: Callable[[MemoryProfile], tuple[LineAccesses, ...]]
) -> tuple[LineAccesses, ...]:
    rows = ((places[each.place], each) for profile, places, _ in common.parts for each in layer(profile))
    return tuple(
        LineAccesses(
            place,
            sum(each.loads for each in lines),
            sum(each.stores for each in lines),
            added(each.misses for each in lines),
            sum(each.instructions for each in lines),
            added(each.fetch_misses for each in lines),
        )
        for place, lines in _grouped(rows, lambda place: (place,))
    )


def _merged_classes(common: _CommonNames) -> tuple[ObjectClass, ...]:
    rows = (
        ((types[each.type], places[each.site]), each)
        for profile, places, types in common.parts
        for each in profile.classes
    )
    return tuple(
        ObjectClass(
            *key,
            sum(each.born for each in classes),
            sum(each.freed for each in classes),
            sum(each.size_bytes for each in classes),
            sum(each.accesses for each in classes),
            added(each.misses for each in classes),
            added_lifetimes(each.lifetimes for each in classes),
        )
        for key, classes in _grouped(rows, tuple)
    )


def _merged_line_types(common: _CommonNames) -> tuple[TypeMisses, ...]:
    rows = (
        ((places[each.place], types[each.type]), (each.sampled_loads, each.sampled_stores, *each.misses))
        for profile, places, types in common.parts
        for each in profile.line_types
    )
    sums = ((key, added(counts)) for key, counts in _grouped(rows, tuple))
    return tuple(TypeMisses(*key, tuple(misses), loads, stores) for key, (loads, stores, *misses) in sums)


def _merged_objects(common: _CommonNames) -> tuple[TrackedObject, ...]:
    """Those with the most misses. The order is total up to equal objects, so that it does not matter who goes first."""
    objects = [
        TrackedObject(
            types[each.type],
            places[each.site],
            each.number,
            each.birth,
            each.last_use,
            each.size_bytes,
            each.accesses,
            each.misses,
            each.alive,
        )
        for profile, places, types in common.parts
        for each in profile.objects
    ]
    return tuple(sorted(objects, key=_object_key)[:MOST_OBJECTS])


def _object_key(each: TrackedObject) -> tuple[int, ...]:
    fewer = (*(-count for count in each.misses), -each.accesses)
    return (*fewer, each.type, each.site, each.number, each.birth, each.last_use, each.size_bytes, each.alive)


def _merged_shared_lines(common: _CommonNames) -> tuple[SharedLine, ...]:
    """Those that may be passed on most often: each run has its own."""

    def order_of_uses(use: LineUse) -> tuple[object, ...]:
        return (*astuple(use)[:4], use.offset is None, use.offset or 0, *astuple(use)[5:])

    def order(line: SharedLine) -> tuple[object, ...]:
        return (-line.most_transfers, line.transfers, line.most_same, [order_of_uses(use) for use in line.uses])

    lines = []
    for profile, places, types in common.parts:
        for line in profile.shared_lines:
            uses = [
                replace(use, place=places[use.place], type=types[use.type], site=places[use.site]) for use in line.uses
            ]
            lines.append(replace(line, uses=tuple(sorted(uses, key=order_of_uses))))
    return tuple(sorted(lines, key=order)[:MOST_SHARED_LINES])


def _merged_totals(profiles: Sequence[MemoryProfile]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for profile in profiles:
        for key, value in profile.totals.items():
            totals[key] = totals.get(key, 0) + value
    return totals


def _merged_collections(profiles: Sequence[MemoryProfile]) -> tuple[Collections, ...]:
    rows = ((each.generation, each) for profile in profiles for each in profile.collections)
    return tuple(
        Collections(generation, sum(each.count for each in parts), sum(each.accesses for each in parts))
        for generation, parts in _grouped(rows, lambda generation: (generation,))
    )


def _merged_run(runs: Sequence[MemoryRun]) -> MemoryRun:
    return MemoryRun(
        command=merged_command([run.command for run in runs]),
        started_at=min((run.started_at for run in runs if run.started_at), default=""),
        duration_ns=sum(run.duration_ns for run in runs),
        ended=each_once(run.ended for run in runs),
        machine=merged_machine(run.machine for run in runs),
        sonde_version=each_once(run.sonde_version for run in runs),
        tool=each_once((run.tool for run in runs), separator="; "),
        complete=all(run.complete for run in runs),
    )
