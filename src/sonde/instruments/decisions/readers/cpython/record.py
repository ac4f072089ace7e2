"""The file that the recorder in the interpreter writes (`sonde.cpython-decisions/1`), as values."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sonde.base.errors import InputError

SCHEMA = "sonde.cpython-decisions/"
VERSION = "1"
BEGINNING = f'{{"schema":"{SCHEMA}'.encode()
"""Of the first line."""


class SourceSpan(NamedTuple):
    """Where an instruction comes from; lines count from the first one of its code, columns from 0."""

    line: int | None
    end_line: int | None
    column: int | None
    end_column: int | None


class Snapshot(NamedTuple):
    """What stood in the instructions of a code object that can be specialised, in their order."""

    ms: int
    forms: bytes
    counters: tuple[int, ...]


class Instruction(NamedTuple):
    """An instruction as it was compiled."""

    offset: int
    name: str
    argument: int
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class InterpreterTables:
    """What the interpreter says of its opcodes."""

    version: str
    opcodes: Mapping[int, str]
    caches: Mapping[int, int]
    """Opcode -> code units of cache behind it."""
    families: Mapping[str, frozenset[str]]
    """Instruction -> what it may be specialised to."""

    @property
    def minor(self) -> int:
        """`12` for Python 3.12."""
        return int(self.version.split(".")[1])


@dataclass(slots=True)
class RecordedCode:
    """A code object."""

    number: int
    name: str
    file: str
    first_line: int
    bytecode: bytes
    names: tuple[str, ...]
    local_names: tuple[str, ...]
    spans: Mapping[int, SourceSpan]
    """By the offset of an instruction."""
    snapshots: list[Snapshot] = field(default_factory=list)
    samples_ns: dict[int, int] = field(default_factory=dict)
    """Time by offset."""

    def instructions(self, tables: InterpreterTables) -> Iterator[Instruction]:
        """All of it, prefixes folded into the instructions they belong to."""
        at = argument = 0
        while at < len(self.bytecode):
            number = self.bytecode[at]
            name = tables.opcodes.get(number, f"<{number}>")
            argument = argument << 8 | self.bytecode[at + 1]
            if name != "EXTENDED_ARG":
                yield Instruction(at, name, argument, self.spans.get(at, _UNKNOWN))
                argument = 0
            at += 2 + 2 * tables.caches.get(number, 0)


@dataclass(slots=True)
class InterpreterRecord:
    """What one process left."""

    path: Path
    tables: InterpreterTables
    tick_ms: int
    interval_ms: int
    command: tuple[str, ...]
    codes: dict[int, RecordedCode] = field(default_factory=dict)
    import_path: tuple[str, ...] = ()
    end: Mapping[str, int] | None = None
    """What the recorder said when the program had ended; None: it was killed, or is still running."""
    failure: str | None = None
    """Why the recorder gave up."""
    damaged_lines: list[int] = field(default_factory=list)


_UNKNOWN = SourceSpan(None, None, None, None)


def read_record(path: Path) -> InterpreterRecord:
    """Read a record. Lines that are damaged are left out and listed.

    Raises:
        InputError: `bad-decision-record`: the first line is not what it should be.
        OSError: as reading files does.
    """
    with path.open("rb") as file:
        record = _begin(path, file.readline())
        for number, line in enumerate(file, 2):
            if not line.endswith(b"\n"):  # it was being written when the program died: no damage
                break
            try:
                _take(record, json.loads(line))
            except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
                record.damaged_lines.append(number)
    return record


def _begin(path: Path, line: bytes) -> InterpreterRecord:
    try:
        header = json.loads(line)
        schema = header["schema"]
        if schema != SCHEMA + VERSION:
            raise bad_record(path, f"its schema is {schema!r}, known is '{SCHEMA}{VERSION}'", "upgrade sonde")
        tables = InterpreterTables(
            _text(header["version"]),
            {int(number): _text(name) for number, name in header["opcodes"].items()},
            {int(number): _count(count) for number, count in header["caches"].items()},
            {base: frozenset(map(_text, forms)) for base, forms in header["families"].items()},
        )
        record = InterpreterRecord(
            path, tables, _count(header["tick_ms"]), _count(header["interval_ms"]), tuple(map(str, header["argv"]))
        )
        if tables.minor < 11:
            raise bad_record(path, f"it is of Python {tables.version}, which does not specialise", "use 3.11 or newer")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise bad_record(path, f"line 1 is not a header: {error}", "capture the run again") from error
    return record


def bad_record(path: Path, fact: str, hint: str) -> InputError:
    """The error for a file that is no record."""
    return InputError(f"cannot read the record '{path}': {fact}", slug="bad-decision-record", hint=hint)


def _take(record: InterpreterRecord, entry: dict[str, Any]) -> None:
    if "state" in entry:
        counters = bytes.fromhex(entry["counters"])
        record.codes[entry["state"]].snapshots.append(
            Snapshot(
                _number(entry["ms"]),
                bytes.fromhex(entry["forms"]),
                tuple(int.from_bytes(counters[at : at + 2], "little") for at in range(0, len(counters), 2)),
            )
        )
    elif "code" in entry:
        number = _number(entry["code"])
        record.codes[number] = RecordedCode(
            number,
            _text(entry["name"]),
            _text(entry["file"]),
            _number(entry["first_line"]),
            bytes.fromhex(entry["bytecode"]),
            tuple(map(_text, entry["names"])),
            tuple(map(_text, entry["locals"])),
            {_number(offset): SourceSpan(*map(_number_or_none, span)) for offset, *span in entry["places"]},
        )
    elif "samples" in entry:
        flat = entry["samples"]
        for number, offset, spent_ns in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
            samples = record.codes[number].samples_ns
            samples[_number(offset)] = samples.get(offset, 0) + _count(spent_ns)
    elif "path" in entry:
        record.import_path = tuple(map(_text, entry["path"]))
    elif "end" in entry:
        record.end = {_text(name): _count(value) for name, value in entry["end"].items()}
    elif "failed" in entry:
        record.failure = str(entry["failed"])
    else:
        raise ValueError("a line of no known kind")


def _text(value: object) -> str:
    if type(value) is not str:
        raise TypeError(f"{value!r} is not text")
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _count(value: object) -> int:
    if (count := _number(value)) < 0:
        raise ValueError(f"{count} is negative")
    return count


def _number_or_none(value: object) -> int | None:
    return None if value is None else _number(value)
