"""Hypothesis strategies for memory profiles: sums over random accesses, so that all tables agree."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from made_memory_profiles import D1, I1, L2, L3, Accesses, Born, Line, Tracked, made_profile
from sonde.code import Function, plain_function
from sonde.instruments.contexts.profile import Loss
from sonde.instruments.memory.profile import CacheLevel, Collections, Latencies, MemoryProfile, MemoryRun, MemoryType
from sonde.instruments.memory.profile.latencies import LATENCY_SOURCES
from sonde.instruments.memory.profile.memory_profile import NO_PLACE
from sonde.instruments.memory.profile.sharing import LineUse, SharedLine
from strategies import texts

CACHES: tuple[tuple[CacheLevel, ...], ...] = ((I1, D1), (D1, L2), (I1, D1, L2, L3))
_COUNTS = st.integers(0, 1_000) | st.integers(0, 10**12)


@dataclass(frozen=True, slots=True)
class Told:
    """A profile, and the accesses that it is the sum of."""

    profile: MemoryProfile
    rows: tuple[Accesses, ...]


def memory_profiles(
    *, caches: tuple[CacheLevel, ...] | None = None, surrogates: bool = False
) -> st.SearchStrategy[MemoryProfile]:
    """Valid profiles, of these caches or of any."""
    return told_profiles(caches=caches, surrogates=surrogates).map(lambda told: told.profile)


@st.composite
def told_profiles(draw: st.DrawFn, *, caches: tuple[CacheLevel, ...] | None = None, surrogates: bool = False) -> Told:
    """Valid profiles with the truth about them."""
    levels = caches or draw(st.sampled_from(CACHES))
    data_levels = sum(level.name != "I1" for level in levels)
    text = texts(surrogates=surrogates)
    python = draw(st.lists(_functions("python", text), min_size=1, max_size=3))
    native = draw(st.lists(_functions("native", text), min_size=1, max_size=3))
    names = text | st.just("malloc")
    objects = draw(st.lists(st.builds(MemoryType, st.sampled_from(("object", "block")), names), min_size=1, max_size=3))
    regions = [MemoryType("stack", draw(text)), MemoryType("unknown", "")]
    fields = st.tuples(st.integers(-4, 64).map(lambda word: 8 * word), st.sampled_from((0, 8)), text)
    line = st.integers(0, 4)
    python_lines = st.tuples(st.sampled_from(python), line)
    native_lines = st.tuples(st.sampled_from(native), line)
    sites = st.none() | python_lines | native_lines

    def misses_below(draw: st.DrawFn, accesses: int) -> tuple[int, ...]:
        return tuple(sorted((draw(st.integers(0, accesses)) for _ in range(data_levels)), reverse=True))

    rows = []
    for _ in range(draw(st.integers(0, 6))):
        memory = draw(st.sampled_from([*objects, *regions]))
        site = draw(sites) if memory.kind in ("object", "block") else None
        loads, stores = draw(_COUNTS), draw(_COUNTS)
        stack: tuple[Line, ...] = tuple(draw(st.lists(native_lines, min_size=1, max_size=2)))
        where = draw(st.none() | python_lines)
        callers = tuple(draw(st.lists(st.sampled_from(python), max_size=3)))
        misses = misses_below(draw, loads + stores)
        sampled = (draw(st.integers(0, loads)), draw(st.integers(0, stores)))
        field = draw(st.none() | fields) if memory.kind in ("object", "block") else None
        rows.append(Accesses(where, stack, memory, site, loads, stores, misses, callers, sampled, field))
    born = []
    for row in rows:
        if row.type.kind in ("object", "block"):
            bins = draw(st.dictionaries(st.integers(0, 40), st.integers(1, 100), max_size=3))
            count = sum(bins.values()) + draw(st.integers(0, 3))
            born.append(Born(row.type, row.site, count, draw(st.integers(0, count)), draw(_COUNTS), bins))
    tracked = []
    for row in rows[:2]:
        accesses = row.loads + row.stores
        birth = draw(_COUNTS)
        last, number, size = birth + draw(_COUNTS), draw(_COUNTS), draw(_COUNTS)
        alive = draw(st.booleans())
        tracked.append(Tracked(row.type, row.site, number, birth, last, size, accesses, row.misses, alive))
    profile = made_profile(
        rows,
        born,
        tracked,
        caches=levels,
        losses=draw(st.lists(st.builds(Loss, st.sampled_from(("a-loss", "b-loss")), _COUNTS, text), max_size=2)),
        sources=draw(st.dictionaries(st.sampled_from(("a.py", "b.py")), text, max_size=2)),
        run=MemoryRun(
            command=tuple(draw(st.lists(text, max_size=2))),
            started_at=draw(st.sampled_from(("", "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"))),
            duration_ns=draw(_COUNTS),
            ended=draw(st.sampled_from(("exited 0", "exited 1", "killed by SIGSEGV"))),
            machine=draw(st.sampled_from(("one", "two"))),
            sonde_version="1",
            tool="valgrind 3.19.0, sonde's tool",
            complete=draw(st.booleans()),
        ),
    )
    generations = draw(st.lists(st.integers(0, 2), unique=True, max_size=3).map(sorted))
    collections = tuple(Collections(each, draw(_COUNTS), draw(_COUNTS)) for each in generations)
    count = len(profile.data_levels) + 1
    cycles = draw(st.none() | st.lists(st.integers(1, 900), min_size=count, max_size=count).map(sorted))
    latencies = Latencies(tuple(cycles), draw(st.sampled_from(LATENCY_SOURCES))) if cycles and count > 1 else None
    shared = tuple(draw(st.lists(_shared_lines(profile), max_size=2))) if profile.places else ()
    told = replace(profile, collections=collections, shared_lines=shared, measured_latencies=latencies)
    return Told(told, tuple(rows))


def _shared_lines(profile: MemoryProfile) -> st.SearchStrategy[SharedLine]:
    masks = st.integers(1, 2**64 - 1)
    place, kind = st.integers(0, len(profile.places) - 1), st.integers(0, len(profile.types) - 1)
    site, offset = st.integers(NO_PLACE, len(profile.places) - 1), st.none() | st.integers(-63, 10**12)
    where = (st.integers(1, 9), place, kind, site, offset, _COUNTS, _COUNTS, masks, masks)

    def use(*values: Any) -> LineUse:
        told = LineUse(*values)
        return replace(told, loaded=told.loaded if told.loads else 0, stored=told.stored if told.stores else 0)

    counts = st.lists(_COUNTS, min_size=3, max_size=3).map(sorted)
    uses = st.lists(st.builds(use, *where), max_size=3).map(tuple)
    return st.builds(lambda counts, uses: SharedLine(counts[0], counts[2], counts[1], uses), counts, uses)


def _functions(language: str, text: st.SearchStrategy[str]) -> st.SearchStrategy[Function]:
    library = st.just("") if language == "python" else text
    return st.builds(
        plain_function, st.just(language), st.just("???") | text, st.just("") | text, st.integers(0, 9), library
    )
