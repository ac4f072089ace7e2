"""Memory profiles: each invariant is checked, sources and losses merge, differences match what moved."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from made_memory_profiles import (
    Accesses,
    empty_profile,
    fields_profile,
    inventory_profile,
    made_profile,
    native_function,
    native_profile,
    python_function,
)
from sonde.base.errors import InputError, InternalError
from sonde.code import plain_function
from sonde.instruments.contexts.profile import Loss
from sonde.instruments.memory.profile import (
    NO_PLACE,
    CacheLevel,
    CodePlace,
    Collections,
    FieldMisses,
    Lifetimes,
    LineAccesses,
    MemoryProfile,
    MemoryType,
    ObjectClass,
    TrackedObject,
    TypeMisses,
    attribution,
    by_line,
    by_type,
    compare_memory,
    heap_share,
    lifetimes_by_site,
    lifetimes_by_type,
    merge_memory_profiles,
)

EVAL = native_function("eval", "ceval.c", 1)
INT = MemoryType("object", "int")
Break = Callable[[MemoryProfile], MemoryProfile]


def first_native(**changes: object) -> Break:
    return lambda p: replace(p, native_lines=(replace(p.native_lines[0], **changes), *p.native_lines[1:]))  # type: ignore[arg-type]  # any field


def first_class(**changes: object) -> Break:
    return lambda p: replace(p, classes=(replace(p.classes[0], **changes), *p.classes[1:]))  # type: ignore[arg-type]  # any field


def with_fields(*fields: FieldMisses) -> Break:
    return lambda p: replace(p, fields=fields)


def total(key: str, by: int) -> Break:
    return lambda p: replace(p, totals=p.totals | {key: p.totals[key] + by})


BROKEN: dict[str, Break] = {
    "not some of": lambda p: replace(p, caches=p.caches[::-1]),
    "cache D1 has 0 bytes": lambda p: replace(p, caches=(p.caches[0], CacheLevel("D1", 0, 8, 64), *p.caches[2:])),
    "totals lack 'stores'": lambda p: replace(p, totals={k: v for k, v in p.totals.items() if k != "stores"}),
    "total 'requests' is -1": total("requests", -1),
    "modifies are among": total("modifies", 10**15),
    "it took -1 ns": lambda p: replace(p, run=replace(p.run, duration_ns=-1)),
    "generation 1 have a negative": lambda p: replace(p, collections=(Collections(1, -1, 0),)),
    "not ascending": lambda p: replace(p, collections=(Collections(1, 0, 0), Collections(0, 0, 0))),
    "language 'cobol'": lambda p: replace(p, functions=(plain_function("cobol", "f", "", 0), *p.functions[1:])),  # type: ignore[arg-type]  # wrong on purpose
    "place 0 has frames ()": lambda p: replace(p, places=(CodePlace(()), *p.places[1:])),
    "place 1 has frames ((99, 1),)": lambda p: replace(p, places=(p.places[0], CodePlace(((99, 1),)), *p.places[2:])),
    "type 0 has kind 'attic'": lambda p: replace(p, types=(MemoryType("attic", ""), *p.types[1:])),  # type: ignore[arg-type]  # wrong on purpose
    "native lines name place 999": first_native(place=999),
    "was named before": lambda p: replace(p, native_lines=(*p.native_lines, p.native_lines[0])),
    "python lines name place": lambda p: replace(
        p, python_lines=(LineAccesses(p.native_lines[0].place, 0, 0, (0, 0)),)
    ),
    "misses (1, 2) of 2 levels": first_native(misses=(1, 2)),
    "misses (1,) of 2 levels": first_native(misses=(1,)),
    "fetch misses (1, 2, 3)": first_native(fetch_misses=(1, 2, 3)),
    "of the Python layer has instructions": lambda p: replace(
        p, python_lines=(replace(p.python_lines[0], instructions=1), *p.python_lines[1:])
    ),
    "classes name type 99": first_class(type=99),
    "a region, but has": lambda p: replace(
        p, classes=(*p.classes, ObjectClass(p.types.index(MemoryType("unknown", "unknown")), 0, 0, 0, 0, 0, (0, 0)))
    ),
    "1 freed": first_class(born=0, freed=1, lifetimes=Lifetimes()),
    "lifetimes of 1 objects": first_class(born=1, freed=0, lifetimes=Lifetimes((2,), 0)),
    "sum up to 7": first_class(born=1, freed=0, lifetimes=Lifetimes((0, 1), 7)),
    "but of no objects": first_class(lifetimes=Lifetimes((), 7)),
    "the last one with 0 objects": first_class(born=1, freed=0, lifetimes=Lifetimes((1, 0), 0)),
    "misses name place -1": lambda p: replace(p, line_types=(TypeMisses(-1, 0, (0, 0)),)),
    "misses (2, 3) of 2 levels on type": lambda p: replace(p, line_types=(TypeMisses(0, 0, (2, 3)),)),
    "fields name type 99": with_fields(FieldMisses(99, NO_PLACE, 0, 8, "", (0, 0))),
    "fields name type 0 and site -2": with_fields(FieldMisses(0, -2, 0, 8, "", (0, 0))),
    "or byte 16 twice": with_fields(*[FieldMisses(0, NO_PLACE, 16, 8, "value", (0, 0))] * 2),
    "byte 16 of type 0 has 8 bytes, misses (1, 2)": with_fields(FieldMisses(0, NO_PLACE, 16, 8, "", (1, 2))),
    "more than lines have on it": with_fields(
        FieldMisses(0, NO_PLACE, 8, 8, "", (10**9, 0)), FieldMisses(0, NO_PLACE, 0, 8, "", (10**9, 0))
    ),
    "[0, 0, 0, 1] misses and samples, more than lines": with_fields(FieldMisses(0, NO_PLACE, 0, 8, "", (0, 0), 0, 1)),
    "more than 1000": lambda p: replace(p, objects=(replace(p.objects[0], accesses=0, misses=(0, 0)),) * 1001),
    "object 5 names type 99": lambda p: replace(p, objects=(TrackedObject(99, 0, 5, 0, 0, 0, 0, (0, 0), alive=True),)),
    "birth 9, last use 8": lambda p: replace(p, objects=(TrackedObject(0, 0, 5, 9, 8, 0, 0, (0, 0), alive=True),)),
    "of 2 levels and 1 accesses": lambda p: replace(
        p, objects=(TrackedObject(0, 0, 5, 0, 0, 0, 1, (2, 0), alive=True),)
    ),
    "native lines have 1891551948 instructions": total("instructions", 1),
    "fetch misses of level 1": total("fetch_misses1", 1),
    "misses of level 2, the total": total("misses2", -1),
    "classes have 945775974 accesses": total("stores", 1),
    "Python lines have": lambda p: replace(p, native_lines=(), classes=(), totals=p.totals | {"loads": 10**7}),
    "misses on types of level 1": lambda p: replace(p, line_types=(TypeMisses(0, 0, (10**9, 0)),)),
    "single objects have": lambda p: replace(p, objects=(replace(p.objects[0], accesses=10**10),)),
}


@pytest.mark.parametrize("said", BROKEN)
def test_what_cannot_be_is_found(said: str) -> None:
    broken = BROKEN[said](inventory_profile())

    assert any(said in fact for fact in broken.broken_invariants()), list(broken.broken_invariants())
    with pytest.raises(InternalError, match="cannot trust this memory profile"):
        broken.check_valid()


@pytest.mark.parametrize("make", [inventory_profile, native_profile, empty_profile, fields_profile])
def test_what_can_be_is_valid(make: Callable[[], MemoryProfile]) -> None:
    make().check_valid()


def test_totals_alone_are_valid() -> None:
    whole = native_profile()
    counted = replace(whole, native_lines=(), classes=(), line_types=(), objects=(), caches=())

    counted.check_valid()
    assert counted.total_misses == ()
    assert attribution(counted).with_function == 0
    assert heap_share(counted).share == 0.0


def test_a_profile_with_lines_only_is_not_merged_with_one_that_knows_what_memory_is() -> None:
    whole = native_profile()
    lines = replace(whole, classes=(), line_types=(), objects=())
    lines.check_valid()

    with pytest.raises(InputError, match="the second knows lines only") as caught:
        merge_memory_profiles([whole, lines], names=["a.sonde", "b.sonde"])
    assert caught.value.slug == "lines-only"
    merge_memory_profiles([lines, lines]).check_valid()


def test_a_profile_with_totals_only_is_not_merged_with_one_that_has_lines() -> None:
    whole = native_profile()
    counted = replace(whole, native_lines=(), classes=(), line_types=(), objects=())

    with pytest.raises(InputError, match="the second has totals only") as caught:
        merge_memory_profiles([whole, counted], names=["a.sonde", "b.sonde"])
    assert caught.value.slug == "totals-only"
    merge_memory_profiles([counted, counted]).check_valid()
    merge_memory_profiles([whole, replace(empty_profile(), caches=whole.caches)]).check_valid()


def test_profiles_of_different_caches_are_not_merged() -> None:
    with pytest.raises(InputError) as caught:
        merge_memory_profiles([inventory_profile(), native_profile()], names=["one.sonde", "other.sonde"])

    assert caught.value.slug == "different-caches"
    one, other = caught.value.message.split("the second with")
    assert "one.sonde" in one and "L3" not in one and "L3 16777216 bytes" in other


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(InputError, match="there are none"):
        merge_memory_profiles([])


def test_of_texts_that_differ_one_is_kept_and_it_is_told_once() -> None:
    whole = replace(native_profile(), losses=(Loss("odd", 2, "x"),))
    parts = [replace(whole, sources={"a.c": text, "b.c": "same"}) for text in ("short", "the longest", "medium")]

    merged = merge_memory_profiles([merge_memory_profiles(parts[:2]), merge_memory_profiles(parts[1:])])

    assert merged.sources == {"a.c": "the longest", "b.c": "same"}
    assert [(loss.kind, loss.amount) for loss in merged.losses] == [("odd", 8), ("sources-differ", 1)]
    assert "a.c" in merged.losses[1].detail


def test_only_the_objects_with_the_most_misses_are_kept() -> None:
    whole = native_profile()
    (one,) = whole.objects
    parts = [
        replace(
            whole, objects=tuple(replace(one, number=n, accesses=n, misses=(n, 0, 0)) for n in range(odd, 1_600, 2))
        )
        for odd in (0, 1)
    ]

    merged = merge_memory_profiles(parts)

    assert [each.number for each in merged.objects] == list(range(1_599, 599, -1))


def test_a_line_that_moved_is_the_same_line() -> None:
    before = native_profile()
    after = replace(
        before,
        functions=tuple(
            replace(each, file="/other" + each.file, first_line=each.first_line + 10) for each in before.functions
        ),
        places=tuple(CodePlace(tuple((f, line + 10) for f, line in place.frames)) for place in before.places),
    )

    assert not compare_memory(before, after).has_changes(0.0)


def test_a_change_is_told_by_all_tables_that_it_touches() -> None:
    before = native_profile()
    after = replace(
        before,
        totals=before.totals | {"loads": before.totals["loads"] + 500, "misses1": before.totals["misses1"] + 100},
        native_lines=tuple(_with_more(each) if each.loads > 10**5 else each for each in before.native_lines),
        classes=tuple(
            replace(each, accesses=each.accesses + 500, misses=_more_misses(each.misses)) if each.born else each
            for each in before.classes
        ),
    )
    after.check_valid()

    found = compare_memory(before, after)

    assert (found.total.accesses, found.total.misses) == (500, (100, 0, 0))
    assert [(each.name, each.lines, each.misses) for each in found.native_lines] == [("sum", (7, 7), (100, 0, 0))]
    assert [(each.name, each.lines) for each in found.native_functions] == [("sum", (3, 3))]
    assert [each.name for each in found.types] == ["malloc"]
    assert found.python_lines == found.python_functions == ()
    assert found.has_changes(0.0003) and not found.has_changes(0.01)


def _with_more(line: LineAccesses) -> LineAccesses:
    return replace(line, loads=line.loads + 500, misses=_more_misses(line.misses))


def _more_misses(misses: tuple[int, ...]) -> tuple[int, ...]:
    return (misses[0] + 100, *misses[1:])


def test_lifetimes_are_those_of_all_classes() -> None:
    profile = inventory_profile()
    ints = profile.types.index(MemoryType("object", "int"))

    lifetimes = lifetimes_by_type(profile)[ints]

    assert lifetimes.objects == 80_000 + 1_310_000 + 240_000
    assert lifetimes.counts[8] == 79_000 and lifetimes.counts[5] == 900_000 + 200_000
    assert sum(each.objects for each in lifetimes_by_site(profile).values()) == sum(
        each.lifetimes.objects for each in profile.classes if each.site >= 0
    )


def test_counting_the_heap_alone_overestimates_miss_rates() -> None:
    profile = inventory_profile()
    share = heap_share(profile)

    heap = [each for each in by_type(profile) if profile.types[each.types[0]].kind in ("object", "block", "heap")]
    assert share.accesses == sum(each.accesses for each in heap)
    rates = [sum(each.misses[0] for each in heap) / share.accesses, profile.total_misses[0] / profile.accesses]
    assert share.overestimates[0] == pytest.approx(rates[0] / rates[1])
    assert share.share == pytest.approx(0.453, abs=0.001)


def test_of_a_line_that_several_have_who_misses_most_comes_first() -> None:
    whole, part = python_function("<module>", 1), python_function("make.<locals>.<dictcomp>", 8)
    rows = [
        Accesses((function, 8), ((EVAL, 1),), INT, None, loads, 0, (misses, 0))
        for function, loads, misses in ((whole, 900, 1), (part, 100, 5), (whole, 1, 3), (part, 1, 0))
    ]
    profile = made_profile(rows)

    (line,) = by_line(profile, "python")

    assert [profile.functions[each] for each in line.functions] == [part, whole]
    assert (line.loads, line.misses[0]) == (1002, 9)
