"""Memory profiles: what is written is read back, merging and comparing lose nothing, sums add up."""

import io
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from hypothesis import given

from example_counts import examples
from memory_strategies import CACHES, Told, memory_profiles, told_profiles
from sonde.code import Function
from sonde.formats import write_callgrind
from sonde.instruments.memory.profile import (
    NO_PLACE,
    CodeLayer,
    MemoryChange,
    MemoryDifference,
    MemoryProfile,
    attribution,
    by_function,
    by_line,
    by_site,
    by_type,
    compare_memory,
    heap_share,
    merge_memory_profiles,
    read_memory_profile,
    write_memory_profile,
)
from sonde.instruments.memory.profile.contexts import context_totals, contexts_from
from sonde.instruments.memory.profile.memory_profile import NO_CALLER, NO_FUNCTION
from sonde.instruments.memory.profile.shares import HEAP_KINDS, is_named
from sonde.instruments.memory.profile.totals import added, lines_of

few = examples(0.15)
profiles = memory_profiles(caches=CACHES[0])
LAYERS: tuple[CodeLayer, ...] = ("python", "native")


@few
@given(memory_profiles(surrogates=True))
def test_profiles_made_of_accesses_are_valid(profile: MemoryProfile) -> None:
    profile.check_valid()


@few
@given(memory_profiles())
def test_what_is_written_into_a_memory_file_is_read_back(profile: MemoryProfile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sonde"
        write_memory_profile(path, profile)

        assert read_memory_profile(path) == profile
        assert read_memory_profile(path, with_sources=False) == replace(profile, sources={})


@few
@given(memory_profiles(surrogates=True))
def test_text_that_is_not_unicode_is_written_out(profile: MemoryProfile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sonde"
        write_memory_profile(path, replace(profile, sources={}))  # text of files has no surrogates but escaped bytes
        names = [function.name for function in read_memory_profile(path).functions]

        assert names == [each.name.encode("utf-8", "backslashreplace").decode() for each in profile.functions]


@few
@given(profiles, profiles, profiles)
def test_merging_memory_profiles_is_associative_and_commutative(
    a: MemoryProfile, b: MemoryProfile, c: MemoryProfile
) -> None:
    all_at_once = merge(a, b, c)

    all_at_once.check_valid()
    assert merge(a, b) == merge(b, a)
    assert merge(merge(a, b), c) == all_at_once == merge(a, merge(b, c))
    assert merge(c, a, b) == all_at_once


@few
@given(profiles, profiles)
def test_merged_counts_are_the_sums_of_those_of_the_parts(a: MemoryProfile, b: MemoryProfile) -> None:
    merged = merge(a, b)

    assert merged.totals == {key: a.totals.get(key, 0) + b.totals.get(key, 0) for key in a.totals | b.totals}
    assert facts(merged) == facts(a) + facts(b)
    assert merged.run.duration_ns == a.run.duration_ns + b.run.duration_ns
    assert merged.run.complete == (a.run.complete and b.run.complete)


@few
@given(profiles)
def test_merging_one_profile_changes_nothing_but_the_order(profile: MemoryProfile) -> None:
    merged = merge(profile)

    assert facts(merged) == facts(profile)
    assert merge(merged) == merged
    assert sorted(each.number for each in merged.objects) == sorted(each.number for each in profile.objects)


@few
@given(told_profiles(caches=CACHES[0]), told_profiles(caches=CACHES[0]))
def test_contexts_have_what_was_done_under_them_also_when_merged(one: Told, other: Told) -> None:
    merged = merge(one.profile, other.profile)
    known = [told for told in (one, other) if told.profile.contexts or not told.profile.python_lines]
    expected = Counter[tuple[tuple[Function, ...], int]]()
    for row in (row for told in (one, other) for row in told.rows):
        stack = () if row.python is None else (*row.callers, row.python[0])
        for depth in range(1, len(stack) + 1):
            expected.update(
                {(stack[:depth], n): count for n, count in enumerate((row.loads + row.stores, *row.misses))}
            )
    if len(known) < 2 or not any(told.profile.contexts for told in known):
        assert merged.contexts == ()
        lost = sum(told.profile.accesses - _outside(told) for told in (one, other) if told.profile.contexts)
        assert sum(loss.amount for loss in merged.losses if loss.kind == "contexts-not-merged") == lost
        return
    found, paths = Counter[tuple[tuple[Function, ...], int]](), list[tuple[Function, ...]]()
    for context, total in zip(merged.contexts, context_totals(merged.contexts), strict=True):
        runs = () if context.function == NO_FUNCTION else (merged.functions[context.function],)
        paths.append((*(() if context.parent == NO_CALLER else paths[context.parent]), *runs))
        if runs:
            found.update({(paths[-1], n): count for n, count in enumerate((total.accesses, *total.misses))})
    assert found == expected


def _outside(told: Told) -> int:
    return sum(row.loads + row.stores for row in told.rows if row.python is None)


@few
@given(told_profiles())
def test_contexts_from_a_function_have_what_was_done_while_it_was_on_the_stack(told: Told) -> None:
    profile = told.profile
    for number, function in enumerate(profile.functions):
        wanted = [each == number for each in range(len(profile.functions))]
        kept = contexts_from(profile.contexts, wanted)
        rows = [row for row in told.rows if row.python is not None and function in (*row.callers, row.python[0])]
        if profile.contexts:
            assert sum(each.accesses for each in kept) == sum(row.loads + row.stores for row in rows)
        assert all(each.function == number for each in kept if each.parent == NO_CALLER)


@few
@given(profiles, profiles)
def test_changes_add_up_to_that_of_the_whole(before: MemoryProfile, after: MemoryProfile) -> None:
    found = compare_memory(before, after)

    total = found.total
    assert total.accesses == after.accesses - before.accesses
    for changes in (found.native_functions, found.native_lines, found.types):
        assert sum_of(changes, 1) == (total.accesses, *total.misses)
    for changes in (found.python_functions, found.python_lines):
        layers = [added([(each.accesses, *each.misses) for each in by_function(side, "python")] + [(0, 0)])
                  for side in (before, after)]  # fmt: skip
        assert sum_of(changes, 1) == tuple(new - old for old, new in zip(*layers, strict=True))
    for table in tables(found):
        assert not any(each.is_none for each in table)
        weights = [(*map(abs, each.misses), abs(each.accesses)) for each in table]
        assert weights == sorted(weights, reverse=True)


@few
@given(profiles, profiles)
def test_comparing_the_other_way_round_exchanges_the_sides(before: MemoryProfile, after: MemoryProfile) -> None:
    there, back = compare_memory(before, after), compare_memory(after, before)

    assert compare_memory(before, before).has_changes(0.0) is False
    assert there.has_changes(0.01) == back.has_changes(0.01)
    for one, other in zip(tables(there), tables(back), strict=True):
        assert Counter((each.name, each.lines, each.before, each.after) for each in one) == Counter(
            (each.name, each.lines[::-1], each.after, each.before) for each in other
        )


@few
@given(told_profiles())
def test_sums_tell_of_every_access_once(told: Told) -> None:
    profile = told.profile
    for layer in LAYERS:
        rows = [row for row in told.rows if layer == "native" or row.python is not None]
        expected = Counter[tuple[object, ...]]()
        for row in rows:
            function, line = row.native[0] if layer == "native" else row.python or row.native[0]
            expected[function, "accesses"] += row.loads + row.stores
            expected[function, "misses"] += row.misses[0]
            known = bool(function.file and line)
            expected[(function.file, line) if known else (function.file, 0, function), "accesses"] += (
                row.loads + row.stores
            )
        found = Counter[tuple[object, ...]]()
        for each in by_function(profile, layer):
            found[profile.functions[each.function], "accesses"] += each.accesses
            found[profile.functions[each.function], "misses"] += each.misses[0]
        for line_totals in by_line(profile, layer):
            key = (line_totals.file, line_totals.line)
            if not line_totals.line:
                (number,) = line_totals.functions
                found[(line_totals.file, 0, profile.functions[number]), "accesses"] += line_totals.accesses
            else:
                found[key, "accesses"] += line_totals.accesses
        assert +found == +expected
        assert sum(each.loads for each in lines_of(profile, layer)) == sum(row.loads for row in rows)


@few
@given(told_profiles())
def test_types_and_sites_have_what_went_to_them(told: Told) -> None:
    profile = told.profile
    types, sites = Counter[object](), Counter[object]()
    for row in told.rows:
        types[row.type] += row.loads + row.stores
        if row.site is not None:
            sites[row.site] += row.loads + row.stores
    found_sites = Counter[object]()
    for each in by_site(profile):
        ((number, line),) = profile.places[each.site].frames
        found_sites[profile.functions[number], line] += each.accesses

    assert +Counter({profile.types[each.types[0]]: each.accesses for each in by_type(profile)}) == +types
    assert +found_sites == +sites
    on_heap = [row for row in told.rows if row.type.kind in HEAP_KINDS]
    assert heap_share(profile).accesses == sum(row.loads + row.stores for row in on_heap)
    assert heap_share(profile).of_misses == profile.total_misses


@few
@given(told_profiles())
def test_no_share_is_more_than_the_truth(told: Told) -> None:
    known = attribution(told.profile)

    def count(rows: Iterable[bool]) -> int:
        return sum(row.loads + row.stores for row, counts in zip(told.rows, rows, strict=True) if counts)

    assert known.accesses == told.profile.accesses
    assert known.with_function <= count(row.python is not None or is_named(row.native[0][0].name) for row in told.rows)
    assert known.with_line <= count(row.python is not None or row.native[0][1] > 0 for row in told.rows)
    assert known.with_object == count(row.type.kind != "unknown" for row in told.rows)


@few
@given(memory_profiles(surrogates=True))
def test_counts_of_the_callgrind_format_add_up_to_those_of_the_profile(profile: MemoryProfile) -> None:
    stream = io.BytesIO()
    write_callgrind(profile, stream)
    lines = stream.getvalue().decode("utf-8").split("\n")
    (events,) = (line.split()[1:] for line in lines if line.startswith("events:"))
    counted = [[int(each) for each in line.split()[1:]] for line in lines if line[:1].isdigit()]
    sums = dict(zip(events, added(counted) or (0,) * len(events), strict=True))

    assert (sums["Ir"], sums["Dr"], sums["Dw"]) == tuple(
        profile.totals[key] for key in ("instructions", "loads", "stores")
    )
    assert sums["D1m"] == profile.totals["misses1"]
    assert sums.get("PyDr", 0) == sum(each.loads for each in profile.python_lines)


def merge(*parts: MemoryProfile) -> MemoryProfile:
    return merge_memory_profiles(parts)


def facts(profile: MemoryProfile) -> Counter[object]:
    """All counts of a profile by names instead of numbers: an oracle for merging."""
    found = Counter[object]()

    def place(number: int) -> object:
        if number == NO_PLACE:
            return None
        return tuple((profile.functions[function], line) for function, line in profile.places[number].frames)

    for layer in LAYERS:
        for each in lines_of(profile, layer):
            found[layer, place(each.place), "loads"] += each.loads
            found[layer, place(each.place), "stores"] += each.stores
            for level, misses in enumerate(each.misses):
                found[layer, place(each.place), level] += misses
    for one in profile.classes:
        key = (profile.types[one.type], place(one.site))
        found[key, "born"] += one.born
        found[key, "freed"] += one.freed
        found[key, "lived"] += one.lifetimes.total
        for level, misses in enumerate((one.accesses, *one.misses)):
            found[key, level] += misses
        for number, objects in enumerate(one.lifetimes.counts):
            found[key, "bin", number] += objects
    for crossing in profile.line_types:
        found[place(crossing.place), profile.types[crossing.type]] += crossing.misses[0]
        found[place(crossing.place), profile.types[crossing.type], "loads"] += crossing.sampled_loads
        found[place(crossing.place), profile.types[crossing.type], "stores"] += crossing.sampled_stores
    for field in profile.fields:
        part = (profile.types[field.type], place(field.site), field.offset, field.size_bytes, field.name)
        for level, misses in enumerate((field.sampled_loads, field.sampled_stores, *field.misses)):
            found["field", part, level] += misses
    for generation in profile.collections:
        found["collections", generation.generation] += generation.count
    for loss in profile.losses:
        if loss.kind not in ("sources-differ", "contexts-not-merged"):  # which merging adds
            found[loss.kind, loss.detail] += loss.amount
    return +found


def tables(found: MemoryDifference) -> tuple[tuple[MemoryChange, ...], ...]:
    return (found.python_functions, found.python_lines, found.native_functions, found.native_lines, found.types)


def sum_of(changes: Iterable[MemoryChange], levels: int) -> tuple[int, ...]:
    return added([(0,) * (levels + 1), *((each.accesses, *each.misses) for each in changes)])
