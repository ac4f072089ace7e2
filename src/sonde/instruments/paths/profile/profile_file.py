"""The file of a path profile: one SQLite database, whose schema is `schema.sql` beside this file."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from sonde.base.errors import InputError
from sonde.code import plain_function
from sonde.instruments.paths.profile.path_profile import PathProfile, PathRoutine
from sonde.instruments.paths.profile.path_tree import NO_PARENT, PathTree
from sonde.instruments.paths.profile.routine_code import RoutineBlock, RoutineCode, Way
from sonde.instruments.paths.stored_kind import STORED
from sonde.store.reading import corrupt, read_losses, read_meta, read_rows, read_sources, reading
from sonde.store.writing import DatabaseWriter

_SIGN, _ALL = 1 << 63, 1 << 64


def write_path_profile(path: Path, profile: PathProfile) -> None:
    """Write a path profile as a `.sonde` file, replacing what is there.

    Raises:
        SondeError: `cannot-write` when the file cannot be created or the disk is full.
    """
    with DatabaseWriter(path, STORED) as writer:
        writer.write_meta({"command": list(profile.command), "k": profile.k, "floor": profile.floor})
        functions = [routine.function for routine in profile.routines]
        activations = [routine.activations for routine in profile.routines]
        writer.insert_numbered(
            "routine",
            (
                (each.name, each.file, each.first_line, each.language, each.library, count)
                for each, count in zip(functions, activations, strict=True)
            ),
        )
        writer.insert("block", _blocks(profile))
        writer.insert("path", _ways(profile))
        writer.insert_numbered("sequence", _sequences(profile))
        writer.write_losses(profile.losses)
        writer.write_sources(profile.sources)


def read_path_profile(path: Path) -> PathProfile:
    """Read a `.sonde` file of paths.

    Raises:
        InputError: missing, not a path profile, newer than this sonde, truncated or corrupt.
    Guarantee: what `write_path_profile` wrote is read back equal.
    Cost: O(n), a few microseconds a row.
    """
    with reading(path, STORED) as db:
        meta = read_meta(db)
        forests, codes = _forests(db), _codes(db)
        routines = tuple(
            PathRoutine(
                plain_function(language, name, file, line, library),
                activations,
                forests.get(number, PathTree()),
                codes.get(number, RoutineCode()),
            )
            for number, name, file, line, language, library, activations in read_rows(
                db, "routine", "id, name, file, first_line, language, library, activations"
            )
        )
        if len(forests.keys() - range(len(routines))):
            raise corrupt(path, "it has paths of a routine that is not there")
        profile = PathProfile(
            int(meta["k"]), routines, tuple(meta["command"]), int(meta["floor"]), read_losses(db), read_sources(db)
        )
        try:
            profile.check_valid()
        except InputError as error:
            raise corrupt(path, error.message) from error
        return profile


def _blocks(profile: PathProfile) -> Iterator[tuple[int, int, str, str, str, str]]:
    for number, routine in enumerate(profile.routines):
        for at, block in enumerate(routine.code.blocks):
            lines, after, handlers = _words(block.lines), _words(block.successors), _words(block.handlers)
            yield number, at, lines, after, handlers, "\n".join(block.inlined)


def _ways(profile: PathProfile) -> Iterator[tuple[int, int, str, int | None]]:
    for number, routine in enumerate(profile.routines):
        for path_id, way in sorted(routine.code.ways.items()):
            yield number, _stored(path_id), _words(way.blocks), way.leads_to


def _codes(db: sqlite3.Connection) -> dict[int, RoutineCode]:
    """By routine."""
    blocks: dict[int, list[RoutineBlock]] = {}
    ways: dict[int, dict[int, Way]] = {}
    listed = "SELECT routine, lines, successors, handlers, inlined FROM block ORDER BY routine, block"
    for routine, lines, successors, handlers, inlined in db.execute(listed):
        block = RoutineBlock(_numbers(lines), _numbers(successors), _numbers(handlers), tuple(inlined.splitlines()))
        blocks.setdefault(routine, []).append(block)
    for routine, path_id, way, leads_to in db.execute("SELECT routine, path, blocks, leads_to FROM path"):
        ways.setdefault(routine, {})[path_id % _ALL] = Way(_numbers(way), leads_to)
    return {routine: RoutineCode(tuple(found), ways.get(routine, {})) for routine, found in blocks.items()}


def _words(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _numbers(words: str) -> tuple[int, ...]:
    return tuple(map(int, words.split()))


def _stored(path_id: int) -> int:
    """In two's complement."""
    return path_id - _ALL if path_id >= _SIGN else path_id


def _sequences(profile: PathProfile) -> Iterator[tuple[int, int | None, int, int]]:
    """Counts beyond what SQLite holds would be errors: they take centuries."""
    before = 0
    for number, routine in enumerate(profile.routines):
        forest = routine.forest
        for parent, path_id, count in zip(forest.parents, forest.ids, forest.counts, strict=True):
            above = None if parent == NO_PARENT else before + parent
            yield number, above, _stored(path_id), count
        before += len(forest)


def _forests(db: sqlite3.Connection) -> dict[int, PathTree]:
    """By routine; its rows are side by side."""
    forests: dict[int, PathTree] = {}
    first = 0
    for number, routine, parent, path_id, count in read_rows(db, "sequence", "id, routine, parent, path, count"):
        if routine not in forests:
            forests[routine] = PathTree()
            first = number
        forest = forests[routine]
        forest.parents.append(NO_PARENT if parent is None else parent - first)
        forest.ids.append(path_id % _ALL)
        forest.counts.append(count)
    return forests
