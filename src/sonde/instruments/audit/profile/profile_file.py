"""The file of an audit: one SQLite database, whose schema is `schema.sql` beside this file."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sonde.base.errors import InternalError
from sonde.code import plain_function
from sonde.instruments.audit.profile.audit_profile import AuditProfile, CodeFacts, ProfiledRun, Profiler
from sonde.instruments.audit.stored_kind import STORED
from sonde.store.reading import corrupt, read_losses, read_meta, read_rows, reading
from sonde.store.writing import DatabaseWriter

_CODE = "SELECT profiler, size_bytes, inlined_calls FROM code"


def write_audit(path: Path, profile: AuditProfile) -> None:
    """Write an audit as a `.sonde` file, replacing what is there.

    Raises:
        SondeError: `cannot-write` when the file cannot be created or the disk is full.
    """
    with DatabaseWriter(path, STORED) as writer:
        writer.write_meta(
            {
                "command": list(profile.command),
                "python": profile.python,
                "turned_off": profile.turned_off,
                "is_compiled": profile.is_compiled,
            }
        )
        writer.insert_numbered(
            "profiler",
            (
                (each.name, each.version, each.clock, int(each.tells_program_only), each.missing)
                for each in profile.profilers
            ),
        )
        writer.insert_numbered(
            "function",
            (
                (each.name, each.file, each.first_line, each.language, each.library, profile.calls.get(number))
                for number, each in enumerate(profile.functions)
            ),
        )
        writer.insert(
            "code", ((name, each.size_bytes, each.inlined_calls) for name, each in sorted(profile.code.items()))
        )
        writer.insert_numbered("run", (_facts(run) for run in profile.runs))
        writer.insert("answer", _answers(profile))
        writer.write_losses(profile.losses)


def read_audit(path: Path) -> AuditProfile:
    """Read a `.sonde` file of an audit.

    Raises:
        InputError: missing, not an audit, newer than this sonde, truncated or corrupt.
    Guarantee: what `write_audit` wrote is read back equal.
    """
    with reading(path, STORED) as db:
        meta = read_meta(db)
        functions = list(read_rows(db, "function", "id, name, file, first_line, language, library, calls"))
        profile = AuditProfile(
            command=tuple(meta["command"]),
            python=meta["python"],
            profilers=tuple(
                Profiler(name, version, clock, bool(tells_program_only), missing)
                for _, name, version, clock, tells_program_only, missing in read_rows(
                    db, "profiler", "id, name, version, clock, tells_program_only, missing"
                )
            ),
            functions=tuple(
                plain_function(language, name, file, line, library)
                for _, name, file, line, language, library, _ in functions
            ),
            calls={number: calls for number, *_, calls in functions if calls is not None},
            runs=tuple(_runs(db)),
            code={name: CodeFacts(*facts) for name, *facts in db.execute(_CODE)},
            turned_off=meta["turned_off"],
            is_compiled=bool(meta["is_compiled"]),
            losses=read_losses(db),
        )
        try:
            profile.check_valid()
        except InternalError as error:
            raise corrupt(path, error.message) from error
        return profile


def _facts(run: ProfiledRun) -> tuple[str | int | None, ...]:
    return (
        run.profiler,
        run.round,
        int(run.is_without),
        run.wall_ns,
        run.processor_ns,
        run.program_wall_ns,
        run.program_processor_ns,
        run.told_ns,
        run.failure,
        run.changed,
        int(run.is_of_nothing),
    )


def _answers(profile: AuditProfile) -> Iterator[tuple[int, int, float | None, float | None]]:
    for number, run in enumerate(profile.runs):
        for function in sorted({*run.own, *run.charged}):
            yield number, function, run.own.get(function), run.charged.get(function)


def _runs(db: sqlite3.Connection) -> Iterator[ProfiledRun]:
    own: dict[int, dict[int, float]] = {}
    charged: dict[int, dict[int, float]] = {}
    for number, function, of_itself, of_called in db.execute("SELECT run, function, own, charged FROM answer"):
        if of_itself is not None:
            own.setdefault(number, {})[function] = of_itself
        if of_called is not None:
            charged.setdefault(number, {})[function] = of_called
    columns = (
        "id, profiler, round, is_without, wall_ns, processor_ns, program_wall_ns, program_processor_ns, told_ns,"
        " failure, changed, is_of_nothing"
    )
    for number, profiler, at, is_without, *rest in read_rows(db, "run", columns):
        wall_ns, processor_ns, program_wall_ns, program_processor_ns, told_ns, failure, changed, is_of_nothing = rest
        yield ProfiledRun(
            profiler,
            at,
            bool(is_without),
            wall_ns,
            processor_ns,
            program_wall_ns,
            program_processor_ns,
            told_ns,
            failure,
            changed,
            own.get(number, {}),
            charged.get(number, {}),
            bool(is_of_nothing),
        )
