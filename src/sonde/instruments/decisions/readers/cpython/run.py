"""A record as a run: its code objects are the units, the time is what the sampling thread saw, or another profile."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sonde.base.errors import InputError
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import DecisionRun, ProfileEntry, SourceRange, TimeProfile, Trees, Unit
from sonde.instruments.decisions.readers.cpython.naming import method_names
from sonde.instruments.decisions.readers.cpython.record import (
    BEGINNING,
    InterpreterRecord,
    InterpreterTables,
    RecordedCode,
    bad_record,
    read_record,
)
from sonde.instruments.decisions.readers.cpython.unit_trees import trees_of
from sonde.instruments.decisions.readers.place import RunPlace, unreadable
from sonde.instruments.decisions.readers.reader import DecisionReader
from sonde.instruments.decisions.time_profiles import read_time_profile


def _recognises(place: RunPlace) -> bool:
    return any(place.head(file).startswith(BEGINNING) for file in place.files)


def _read(place: RunPlace, profile: Path | None) -> DecisionRun:
    path = _record_of(place)
    try:
        record = read_record(path)
    except OSError as error:
        raise unreadable(path, error) from error
    names = method_names(record.codes.values(), record.import_path)
    times = _own_times(record, names) if profile is None else read_time_profile(profile)
    doubts = list(_doubts(record))
    periods = {number: sum(code.samples_ns.values()) for number, code in record.codes.items()}
    if profile is not None and times is not None:
        periods, unlinked = _linked(record, names, times)
        if unlinked:
            doubts.append(
                Doubt(
                    "unlinked-time",
                    f"{unlinked} of {len(times.entries)} entries of '{profile}' name no code object of the record",
                    unlinked,
                )
            )
    units = [
        Unit(
            number,
            names[code.number],
            str(code.number),
            partial(_load, path, code, names[code.number], record.tables),
            version=f"CPython {record.tables.version}",
            period=periods.get(code.number, 0),
        )
        for number, code in enumerate(record.codes.values())
    ]
    return DecisionRun(
        place.title,
        "cpython",
        "line",
        units,
        times,
        doubts=doubts,
        sources={
            names[code.number]: SourceRange(code.file, code.first_line)
            for code in record.codes.values()
            if not code.file.startswith("<")
        },
        lines_from="method",
    )


def _load(path: Path, code: RecordedCode, method: str, tables: InterpreterTables) -> Trees:
    try:
        return trees_of(code, method, tables)
    except IndexError as error:  # fewer forms than instructions
        raise bad_record(path, f"the states of '{method}' do not fit its bytecode", "capture the run again") from error


def _record_of(place: RunPlace) -> Path:
    if place.manifest is not None and place.manifest.record.is_file():
        return place.manifest.record
    found = [file for file in place.files if place.head(file).startswith(BEGINNING)]
    if len(found) > 1:
        raise InputError(
            f"cannot read '{place.title}' as one run: {len(found)} processes left a record in it",
            slug="several-runs",
            hint=f"name one of them, e.g. '{found[0]}'",
        )
    if not found:
        raise bad_record(place.path, "no record of the interpreter is in it", "sonde decisions capture -- python ...")
    return found[0]


def _own_times(record: InterpreterRecord, names: dict[int, str]) -> TimeProfile | None:
    if not record.tick_ms:
        return None
    entries = [
        ProfileEntry(names[code.number], sum(code.samples_ns.values()), str(code.number))
        for code in record.codes.values()
        if code.samples_ns
    ]
    entries.sort(key=lambda entry: -entry.period)
    total = sum(entry.period for entry in entries)
    source = f"processor time, a look each {record.tick_ms} ms (self, biased by the GIL)"
    # A program that was killed leaves no count; then there was about one look in each tick.
    samples = (record.end or {}).get("samples", total // (record.tick_ms * 1_000_000))
    return TimeProfile(total, "nanoseconds", tuple(entries), source, samples)


def _linked(record: InterpreterRecord, names: dict[int, str], times: TimeProfile) -> tuple[dict[int, int], int]:
    """Link the entries of another profile: by file and first line, or by name where only one code object has it."""
    by_place: dict[tuple[str, int], list[int]] = {}
    by_name: dict[str, list[int]] = {}
    for number, code in record.codes.items():
        by_place.setdefault((code.file, code.first_line), []).append(number)
        for name in {names[number], code.name}:
            by_name.setdefault(name, []).append(number)
    periods: dict[int, int] = {}
    unlinked = 0
    for entry in times.entries:
        found = by_name.get(entry.name, [])
        here = by_place.get((entry.file, entry.line), []) if entry.file else []
        if here:  # a decorator, say, and a lambda in its arguments stand at one line
            found = [number for number in here if record.codes[number].name == entry.name] or here
        if len(found) == 1:
            periods[found[0]] = periods.get(found[0], 0) + entry.period
        else:
            unlinked += 1
    return periods, unlinked


def _doubts(record: InterpreterRecord) -> Iterator[Doubt]:
    if record.failure is not None:
        yield Doubt("python-recorder-failed", f"the recorder in the program gave up: {record.failure}")
    elif record.end is None:
        yield Doubt(
            "unfinished-python-record",
            "the program was killed, or ended in a hurry: the record has what was seen until the last snapshot before,"
            f" at most {record.interval_ms / 1000:g} s as a rule",
        )
    damaged = record.damaged_lines
    if damaged:
        yield Doubt(
            "damaged-python-record",
            f"{len(damaged)} line{'s' * (len(damaged) != 1)} of '{record.path}' cannot be read and count nothing,"
            f" the first is line {damaged[0]}",
            len(damaged),
        )
    dropped = (record.end or {}).get("dropped", 0)
    if dropped:
        yield Doubt("python-code-dropped", f"the program has more functions than are followed: {dropped} not", dropped)
    instrumented = sum(
        any(record.tables.opcodes.get(form, "").startswith("INSTRUMENTED_") for form in code.snapshots[-1].forms)
        for code in record.codes.values()
        if code.snapshots
    )
    if instrumented:
        yield Doubt(
            "python-instrumented",
            f"{instrumented} functions were traced or profiled by the program itself, which keeps the interpreter from"
            " specialising them",
            instrumented,
        )


CPYTHON = DecisionReader(
    "cpython",
    "CPython's specialising interpreter, 3.11 and later, as 'sonde decisions capture' records it",
    _recognises,
    _read,
)
