"""The cache model: the native core against its slow twin, an oracle without caches, and laws of caches."""

import random
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from cache_oracle import depths_by_distance
from example_counts import examples
from sonde.base.cache_geometry import INCLUSIONS, POLICIES, CacheGeometry, CacheSettings
from sonde.base.errors import UsageError
from sonde.native import CacheCore, CacheModel
from sonde.native.choice import new_cache_core
from sonde.native.reference_cache import ReferenceCacheModel

Columns = tuple["array[int]", "array[int]", "array[int]"]
INSTRUCTION = 3
SEEDS = st.integers(0, 2**32)


def stream(seed: int, count: int = 400) -> Columns:
    """References to 8 KiB and, mostly, to a part of them."""
    draw = random.Random(seed)
    spans = [draw.choice((256, 1024, 8192)) for _ in range(3)]
    base = draw.choice((0, 1 << 40, (1 << 64) - 8300))
    return (
        array("Q", (base + draw.randrange(draw.choice(spans)) for _ in range(count))),
        array("B", (draw.choice((0, 1, 4, 8, 8, 40)) for _ in range(count))),
        array("B", (draw.choice((0, 0, 0, 1, 1, 1, 2, 2, 9)) for _ in range(count))),
    )


@st.composite
def geometries(draw: st.DrawFn, line_bytes: int) -> CacheGeometry:
    ways = draw(st.integers(1, 9))
    return CacheGeometry((1 << draw(st.integers(0, 4))) * ways * line_bytes, ways, line_bytes)


@st.composite
def hierarchies(draw: st.DrawFn) -> CacheSettings:
    inclusion = draw(st.sampled_from(INCLUSIONS))
    levels = draw(st.integers(1, 3))
    lines = [16 << draw(st.integers(0, 1)) for _ in range(levels + 1)]
    lines = [32] * (levels + 1) if inclusion != "neither" else sorted(lines)
    return CacheSettings(
        draw(geometries(lines[0])),
        tuple(draw(geometries(line)) for line in lines[1:]),
        draw(st.sampled_from(POLICIES)),
        inclusion,
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.integers(0, 2**64 - 1)),
    )


def both_cores(hierarchy: CacheSettings) -> tuple[CacheCore, CacheCore]:
    fast = new_cache_core(hierarchy)
    assert isinstance(fast, sonde._native.CacheModel)
    return fast, ReferenceCacheModel(hierarchy)


def lines_of(model: CacheModel | CacheCore, level: int) -> set[int]:
    return set(memoryview(model.lines(level)).cast("B").cast("Q"))


@given(hierarchies(), SEEDS)
@examples(1.2)
def test_the_cores_agree_on_every_reference(hierarchy: CacheSettings, seed: int) -> None:
    fast, slow = both_cores(hierarchy)
    columns = stream(seed)
    assert fast.depths(*columns) == slow.depths(*columns)
    assert fast.counts() == slow.counts()
    for level in (*range(len(hierarchy.levels)), INSTRUCTION):
        assert lines_of(fast, level) == lines_of(slow, level)


@given(hierarchies(), SEEDS)
@examples(0.6)
def test_lru_misses_what_distances_say(hierarchy: CacheSettings, seed: int) -> None:
    addresses, sizes, operations = stream(seed)
    addresses = array("Q", (address % (1 << 48) for address in addresses))
    model = CacheModel(replace(hierarchy, policy="lru", inclusion="neither", write_allocate=True))
    caches = [(level.size_bytes, level.ways, level.line_bytes) for level in hierarchy.levels]
    first = hierarchy.instruction
    wanted = depths_by_distance(
        caches,
        (first.size_bytes, first.ways, first.line_bytes),
        zip(addresses, sizes, operations, strict=True),
    )
    assert list(model.depths(addresses, sizes, operations)) == wanted


@given(SEEDS, st.integers(0, 3))
@examples(0.4)
def test_lru_never_misses_more_with_more_ways(seed: int, sets: int) -> None:
    columns = stream(seed, 1000)
    held: list[set[int]] = []
    depths: list[bytes] = []
    for ways in (1, 2, 3, 4, 8, 64):
        one = CacheGeometry((1 << sets) * ways * 32, ways, 32)
        model = CacheModel(CacheSettings(one, (one,)))
        depths.append(model.depths(*columns))
        held.append(lines_of(model, 0))
    for fewer, more in pairwise(held):
        assert fewer <= more
    for fewer_ways, more_ways in pairwise(depths):
        assert all(more <= fewer for fewer, more in zip(fewer_ways, more_ways, strict=True))


@given(hierarchies(), SEEDS, st.lists(st.integers(0, 400), max_size=5))
@examples(0.6)
def test_chunking_changes_nothing(hierarchy: CacheSettings, seed: int, cuts: list[int]) -> None:
    columns = stream(seed)
    whole, parts = CacheModel(hierarchy), CacheModel(hierarchy)
    at_once = whole.access(*columns)
    references = 0
    for start, end in pairwise([0, *sorted(cuts), 400]):
        part = parts.access(*(column[start:end] for column in columns))
        references += part.loads + part.stores + part.fetches
    assert references == 400
    assert at_once == whole.counts() == parts.counts()


@given(hierarchies(), SEEDS)
@examples(0.6)
def test_kinds_add_up_to_misses(hierarchy: CacheSettings, seed: int) -> None:
    columns = stream(seed)
    counts = CacheModel(replace(hierarchy, classify=True)).access(*columns)
    data, fetch = counts.data_kinds, counts.fetch_kinds
    assert data.cold + data.capacity + data.conflict == counts.levels[0].misses - counts.levels[0].fetch_misses
    assert fetch.cold + fetch.capacity + fetch.conflict == counts.instruction.fetch_misses
    assert data.unknown == fetch.unknown == 0


@given(SEEDS, st.integers(1, 32))
@examples(0.4)
def test_a_fully_associative_lru_cache_has_no_conflicts(seed: int, ways: int) -> None:
    one = CacheGeometry(ways * 32, ways, 32)
    addresses, _, operations = stream(seed)
    counts = CacheModel(CacheSettings(one, (one,), classify=True)).access(addresses, None, operations)
    assert counts.data_kinds.conflict == counts.fetch_kinds.conflict == 0
    touched = {address // 32 for address, kind in zip(addresses, operations, strict=True) if kind != 2}
    assert counts.data_kinds.cold == len(touched)


@given(hierarchies(), SEEDS)
@examples(0.6)
def test_what_is_in_a_level_is_in_all_below_or_in_none(hierarchy: CacheSettings, seed: int) -> None:
    model = CacheModel(hierarchy)
    for part in range(4):
        model.access(*stream(seed + part, 200))
        held = [lines_of(model, level) for level in range(len(hierarchy.levels))]
        for number, below in enumerate(held[1:], 1):
            for above in (*held[:number], lines_of(model, INSTRUCTION)):
                if hierarchy.inclusion == "inclusive":
                    assert above <= below
                elif hierarchy.inclusion == "exclusive":
                    assert not above & below


@pytest.mark.parametrize("policy", POLICIES)
def test_a_new_line_takes_each_way_of_a_full_set(policy: str) -> None:
    one = CacheGeometry(6 * 32, 6, 32)
    model = CacheModel(CacheSettings(one, (one,), policy))
    model.access(array("Q", range(0, 6 * 32, 32)))
    before = list(model.lines(0))
    taken: set[int] = set()
    for line in range(6, 60):
        model.access(array("Q", [line * 32]))
        now = list(model.lines(0))
        taken |= {way for way in range(6) if now[way] != before[way]}
        before = now
    assert taken == set(range(6))


def test_random_draws_are_even() -> None:
    """24,000 evictions among six ways: 4,000 each, give or take 58 (one standard deviation)."""
    one = CacheGeometry(6 * 32, 6, 32)
    model = CacheModel(CacheSettings(one, (one,), "random"))
    addresses = array("Q", range(0, 24_006 * 32, 32))
    model.access(addresses[:6])
    evicted = [0] * 6
    before = list(model.lines(0))
    for at in range(6, len(addresses)):
        model.access(addresses[at : at + 1])
        now = list(model.lines(0))
        evicted[next(way for way in range(6) if now[way] != before[way])] += 1
        before = now
    assert all(abs(count - 4000) < 300 for count in evicted)


def test_a_tree_that_was_gone_through_evicts_in_order() -> None:
    """With four ways, tree PLRU and LRU differ: 0 1 2 3 used, then 0 again; the tree now points at 2, LRU at 1."""
    one = CacheGeometry(4 * 32, 4, 32)
    left: dict[str, set[int]] = {}
    for policy in ("lru", "plru"):
        model = CacheModel(CacheSettings(one, (one,), policy))
        model.access(array("Q", [0, 32, 64, 96, 0, 128]))
        left[policy] = lines_of(model, 0)
    assert left == {"lru": {0, 128, 64, 96}, "plru": {0, 32, 128, 96}}


def test_stores_are_written_back_when_they_leave() -> None:
    one = CacheGeometry(2 * 32, 2, 32)
    for write_allocate, stored, missed in ((True, 2, 4), (False, 0, 4)):
        model = CacheModel(CacheSettings(one, (one,), write_allocate=write_allocate))
        counts = model.access(array("Q", [0, 32, 64, 96]), None, array("B", [1, 1, 0, 0]))
        assert (counts.levels[0].write_backs, counts.levels[0].misses) == (stored, missed)


@pytest.mark.parametrize("core", ["native", "python"])
def test_columns_that_do_not_fit_are_refused(core: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_CORE", core)
    one = CacheGeometry(1024, 2, 32)
    model = CacheModel(CacheSettings(one, (one,)))
    good = array("Q", [1, 2])
    for columns in (
        (array("I", [1, 2]),),
        (good, array("B", [1])),
        (good, None, array("B", [1, 1, 1])),
        (good, array("H", [1, 1])),
    ):
        with pytest.raises(ValueError, match=r"differ in length|bytes"):
            model.access(*columns)
    with pytest.raises(ValueError, match="no such level"):
        model.lines(1)
    assert model.counts().loads == 0


def test_what_the_core_cannot_model_is_refused() -> None:
    with pytest.raises(ValueError, match="no such caches"):
        sonde._native.CacheModel((768, 4, 32), [(512, 4, 32)], 0, 0, True, False, 1)
    with pytest.raises(ValueError, match="no such caches"):
        sonde._native.CacheModel((512, 4, 32), [(512, 4, 32)] * 4, 0, 0, True, False, 1)


def test_batches_of_several_threads_are_all_counted() -> None:
    one = CacheGeometry(32 << 10, 8, 64)
    model = CacheModel(CacheSettings(one, (one,), classify=True))
    columns = stream(5, 20_000)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: model.access(*columns), range(16)))
    counts = model.counts()
    assert counts.loads + counts.stores + counts.fetches == 16 * 20_000
    assert counts.data_kinds.capacity == counts.data_kinds.conflict == 0


def test_the_core_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    one = CacheGeometry(1024, 2, 32)
    hierarchy = CacheSettings(one, (one,))
    found = []
    for core in ("native", "python"):
        monkeypatch.setenv("SONDE_CORE", core)
        found.append(CacheModel(hierarchy).access(*stream(3)))
    assert found[0] == found[1]
    monkeypatch.setenv("SONDE_CORE", "fortran")
    with pytest.raises(UsageError, match="fortran"):
        CacheModel(hierarchy)
