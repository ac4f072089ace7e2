"""The file of a memory profile: one SQLite database, whose schema is `schema.sql` beside this file."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from sonde.code import plain_function
from sonde.instruments.memory.profile.fields import TO_THE_END, FieldMisses
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.profile.memory_profile import (
    MOST_BINS,
    CacheLevel,
    CodePlace,
    Collections,
    Lifetimes,
    LineAccesses,
    MemoryContext,
    MemoryProfile,
    MemoryRun,
    MemoryType,
    ObjectClass,
    TrackedObject,
    TypeMisses,
)
from sonde.instruments.memory.profile.sharing import LineUse, SharedLine
from sonde.instruments.memory.stored_kind import STORED
from sonde.store.reading import (
    columns_of,
    corrupt,
    has_table,
    read_losses,
    read_meta,
    read_rows,
    read_sources,
    read_values,
    reading,
)
from sonde.store.writing import DatabaseWriter

_COLUMNS = 3
"""Columns for misses: one for each data level that there can be."""
_NONE = -1
"""`NO_PLACE`, `NO_CALLER` and `NO_FUNCTION` in memory; nothing in the file."""
_NOT_OF_THE_RUN = ("kind", "policy", "latencies")
"""Keys of `meta` that are no fields of the run; `kind` is in files of before the table `kind`."""


def write_memory_profile(path: Path, profile: MemoryProfile) -> None:
    """Write a memory profile as a `.sonde` file, replacing what is there.

    Text that is not Unicode, such as bytes of a file name, is written out as `\\udcxx`.

    Raises:
        SondeError: `cannot-write` when the file cannot be created or the disk is full.
    """
    with DatabaseWriter(path, STORED) as writer:
        latencies = {"latencies": asdict(profile.measured_latencies)} if profile.measured_latencies else {}
        writer.write_meta({"policy": profile.policy, **latencies, **asdict(profile.run)})
        writer.insert_values("cache", profile.caches)
        writer.insert_numbered("total", profile.totals.items())
        writer.insert_values("function", profile.functions)
        writer.insert(
            "frame",
            (
                (place, depth, *frame)
                for place, each in enumerate(profile.places)
                for depth, frame in enumerate(each.frames)
            ),
        )
        writer.insert_numbered(
            "python_line",
            ((each.place, each.loads, each.stores, *_columns(each.misses)) for each in profile.python_lines),
        )
        writer.insert_numbered(
            "native_line",
            (
                (each.place, each.loads, each.stores, *_columns(each.misses), each.instructions,
                 *_columns(each.fetch_misses))
                for each in profile.native_lines
            ),
        )  # fmt: skip
        writer.insert_values("type", profile.types)
        writer.insert_numbered(
            "class",
            (
                (each.type, _nullable(each.site), each.born, each.freed, each.size_bytes, each.accesses,
                 *_columns(each.misses), each.lifetimes.total)
                for each in profile.classes
            ),
        )  # fmt: skip
        writer.insert(
            "lifetime",
            (
                (i, number, count)
                for i, each in enumerate(profile.classes)
                for number, count in enumerate(each.lifetimes.counts)
                if count
            ),
        )
        writer.insert_numbered(
            "line_type",
            (
                (each.place, each.type, *_columns(each.misses), each.sampled_loads, each.sampled_stores)
                for each in profile.line_types
            ),
        )
        writer.insert_numbered(
            "field",
            (
                (each.type, _nullable(each.site), each.offset, each.size_bytes or None, each.name,
                 *_columns(each.misses), each.sampled_loads, each.sampled_stores)
                for each in profile.fields
            ),
        )  # fmt: skip
        writer.insert_numbered(
            "object",
            (
                (each.type, _nullable(each.site), each.number, each.birth, each.last_use, each.size_bytes,
                 each.accesses, *_columns(each.misses), int(each.alive))
                for each in profile.objects
            ),
        )  # fmt: skip
        writer.insert("collection", ((each.generation, each.count, each.accesses) for each in profile.collections))
        writer.insert_numbered(
            "context",
            (
                (_nullable(each.parent), _nullable(each.function), each.accesses, *_columns(each.misses))
                for each in profile.contexts
            ),
        )  # fmt: skip
        writer.insert_numbered(
            "shared_line", ((each.transfers, each.most_transfers, each.most_same) for each in profile.shared_lines)
        )
        writer.insert_numbered("shared_use", _shared_uses(profile.shared_lines))
        writer.write_losses(profile.losses)
        writer.write_sources(profile.sources)


def read_memory_profile(path: Path, *, with_sources: bool = True) -> MemoryProfile:
    """Read a `.sonde` file of memory accesses.

    Args:
        with_sources: also read the stored source texts.
    Raises:
        InputError: missing, not a memory profile, newer than this sonde, truncated or corrupt.
    Guarantee: what `write_memory_profile` wrote is read back equal.
    Cost: O(n), a few microseconds a row.
    """
    with reading(path, STORED) as db:
        profile = _read(db, with_sources=with_sources)
        for fact in profile.broken_invariants():
            raise corrupt(path, fact)
    return profile


def _read(db: sqlite3.Connection, *, with_sources: bool) -> MemoryProfile:
    meta = read_meta(db)
    run = {key: value for key, value in meta.items() if key not in _NOT_OF_THE_RUN}
    run["command"] = tuple(run["command"])
    lives = _read_lifetimes(db)
    known = meta.get("latencies")
    return MemoryProfile(
        run=MemoryRun(**run),
        caches=read_values(db, "cache", CacheLevel),
        policy=meta["policy"],
        totals=dict(read_rows(db, "total", "key, value")),
        functions=tuple(
            plain_function(*row) for row in read_rows(db, "function", "language, name, file, first_line, library")
        ),
        places=tuple(CodePlace(tuple(frames)) for frames in _read_frames(db)),
        python_lines=tuple(
            LineAccesses(place, loads, stores, _misses(misses))
            for place, loads, stores, *misses in read_rows(db, "python_line", f"place, loads, stores, {_M}")
        ),
        native_lines=tuple(
            LineAccesses(place, loads, stores, _misses(misses[:_COLUMNS]), instructions, _misses(misses[_COLUMNS:]))
            for place, loads, stores, instructions, *misses in read_rows(
                db, "native_line", f"place, loads, stores, instructions, {_M}, {_FETCHES}"
            )
        ),
        types=read_values(db, "type", MemoryType),
        classes=tuple(
            ObjectClass(
                kind,
                _number(site),
                born,
                freed,
                size_bytes,
                accesses,
                _misses(misses),
                Lifetimes(lives.get(i, ()), total),
            )
            for i, (kind, site, born, freed, size_bytes, accesses, total, *misses) in enumerate(
                read_rows(db, "class", f"type, site, born, freed, size_bytes, accesses, lifetime_total, {_M}")
            )
        ),
        line_types=tuple(
            TypeMisses(place, kind, _misses(misses), loads, stores)
            for place, kind, loads, stores, *misses in read_rows(
                db, "line_type", f"place, type, {_sampled_columns(db)}, {_M}"
            )
        ),
        objects=tuple(
            TrackedObject(
                kind, _number(site), number, birth, last_use, size_bytes, accesses, _misses(misses), bool(alive)
            )
            for kind, site, number, birth, last_use, size_bytes, accesses, alive, *misses in read_rows(
                db, "object", f"type, site, number, birth, last_use, size_bytes, accesses, alive, {_M}"
            )
        ),
        fields=tuple(_read_fields(db)),
        shared_lines=_read_shared_lines(db),
        losses=read_losses(db),
        sources=read_sources(db) if with_sources else {},
        collections=tuple(
            Collections(*row)
            for row in db.execute("SELECT generation, count, accesses FROM collection ORDER BY generation")
        ),
        contexts=tuple(_read_contexts(db)),
        measured_latencies=Latencies(tuple(map(int, known["cycles"])), known["source"]) if known else None,
    )


_M = "misses1, misses2, misses3"
_FETCHES = "fetch_misses1, fetch_misses2, fetch_misses3"


def _read_frames(db: sqlite3.Connection) -> list[list[tuple[int, int]]]:
    """Frames by place; places count from 0 on, and each has some."""
    places: list[list[tuple[int, int]]] = []
    for place, function, line in db.execute("SELECT place, function, line FROM frame ORDER BY place, depth"):
        if place == len(places):
            places.append([])
        if place != len(places) - 1:
            raise ValueError(f"there are {len(places)} places before place {place}")
        places[place].append((function, line))
    return places


def _read_lifetimes(db: sqlite3.Connection) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {}
    for number, life, objects in db.execute("SELECT class, bin, objects FROM lifetime ORDER BY class, bin"):
        counts = found.setdefault(number, [])
        if not len(counts) <= life < MOST_BINS:
            raise ValueError(f"class {number} has lifetimes in bin {life}")
        counts += [0] * (life - len(counts)) + [objects]
    return {number: tuple(counts) for number, counts in found.items()}


def _sampled_columns(db: sqlite3.Connection) -> str:
    """Version 1 had none."""
    columns = columns_of(db, "line_type")
    return ", ".join(name if name in columns else "0" for name in ("sampled_loads", "sampled_stores"))


def _read_contexts(db: sqlite3.Connection) -> Iterator[MemoryContext]:
    """Those of version 1 are not known."""
    if not has_table(db, "context"):
        return
    for parent, function, accesses, *misses in read_rows(db, "context", f"parent, function, accesses, {_M}"):
        yield MemoryContext(_number(parent), _number(function), accesses, _misses(misses))


def _read_fields(db: sqlite3.Connection) -> Iterator[FieldMisses]:
    """Those of version 1 are not known."""
    if not has_table(db, "field"):
        return
    columns = f"type, site, offset, size_bytes, name, sampled_loads, sampled_stores, {_M}"
    for kind, site, offset, size_bytes, name, loads, stores, *misses in read_rows(db, "field", columns):
        yield FieldMisses(kind, _number(site), offset, size_bytes or TO_THE_END, name, _misses(misses), loads, stores)


def _shared_uses(lines: Sequence[SharedLine]) -> Iterator[tuple[int | str | None, ...]]:
    for number, line in enumerate(lines):
        for use in line.uses:
            yield (
                number, use.thread, use.place, use.type, _nullable(use.site), use.offset, use.loads, use.stores,
                f"{use.loaded:016x}", f"{use.stored:016x}",
            )  # fmt: skip


def _read_shared_lines(db: sqlite3.Connection) -> tuple[SharedLine, ...]:
    """Those of version 1 are not known."""
    if not has_table(db, "shared_line"):
        return ()
    lines: list[tuple[int, int, int]] = read_rows(db, "shared_line", "transfers, most_transfers, most_same").fetchall()
    uses: list[list[LineUse]] = [[] for _ in lines]
    columns = "line, thread, place, type, site, offset, loads, stores, loaded, stored"
    for line, thread, place, kind, site, offset, loads, stores, loaded, stored in read_rows(db, "shared_use", columns):
        if not 0 <= line < len(uses):
            raise ValueError(f"a use is of shared line {line}, of {len(uses)}")
        uses[line].append(
            LineUse(thread, place, kind, _number(site), offset, loads, stores, int(loaded, 16), int(stored, 16))
        )
    return tuple(SharedLine(*counts, tuple(each)) for counts, each in zip(lines, uses, strict=True))


def _columns(misses: Sequence[int]) -> tuple[int | None, ...]:
    return (*misses, *(None,) * (_COLUMNS - len(misses)))


def _misses(columns: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(value for value in columns if value is not None)


def _nullable(number: int) -> int | None:
    return None if number == _NONE else number


def _number(stored: int | None) -> int:
    return _NONE if stored is None else stored
