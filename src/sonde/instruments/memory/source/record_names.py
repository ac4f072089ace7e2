"""What a tool in the tool language left in a record, and what its numbers stand for."""

from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.memory.source.record_lines import RecordLines, pairs


@dataclass(frozen=True, slots=True)
class RecordedAdvice:
    """Results as they were written, with the names that belong to their numbers."""

    lines: tuple[str, ...]
    """Without what marks them as results; fields are separated by tabs, and escaped."""
    types: dict[int, str]
    """Classes by their names; regions with their kinds, as in `stack: main thread`."""
    methods: dict[int, str]
    """Of modules, the ends of their files, too: `<module> of app/main.py`."""
    places: dict[int, str]
    """`file:line` of the innermost frame; the function's name where there is no file."""


def read_advice(path: Path) -> RecordedAdvice:
    """Read the `A` lines of a record, and names from its `T`, `F` and `P` lines.

    Raises:
        InputError: `no-memory-record`, `damaged-memory-record`.
    """
    record = RecordLines(path)
    types: dict[int, str] = {}
    for number, (key, kind, name) in record.fields("T"):
        text = record.text(number, name)
        types[int(key)] = text if kind in ("object", "block") else f"{kind}: {text}"
    methods: dict[int, str] = {}
    files: dict[int, str] = {}
    for number, (key, _, name, file, *_) in record.fields("F"):
        methods[int(key)], files[int(key)] = record.text(number, name), record.text(number, file)
        if methods[int(key)] == "<module>" and files[int(key)]:
            methods[int(key)] = f"<module> of {'/'.join(files[int(key)].split('/')[-2:])}"
    places: dict[int, str] = {}
    for _, (key, frames) in record.fields("P"):
        function, line = pairs(frames)[0]
        places[int(key)] = f"{files[function]}:{line}" if files.get(function) else methods.get(function, "")
    return RecordedAdvice(tuple("\t".join(fields) for _, fields in record.fields("A")), types, methods, places)
