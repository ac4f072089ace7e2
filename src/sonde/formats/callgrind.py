"""The callgrind format: counts per line, for callgrind_annotate and KCachegrind.

A memory profile tells of each access twice, by the machine code that made it and by the Python line that ran. Here both
are lines of files, with events of their own, so that nothing is counted twice: `Dr`, `Dw`, `D1m` and so on belong to
machine code, `PyDr`, `PyDw`, `PyD1m` to Python. Code is that of the innermost frame: inlined functions count for
themselves. Objects, types and lifetimes have no room in it, nor has what the profile lacks.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from sonde.code import Function
from sonde.formats.callgrind_names import CallgrindNames, one_line
from sonde.instruments.memory.profile import LineAccesses, MemoryProfile

CALLGRIND_SUFFIX = ".callgrind.out"


def write_callgrind(profile: MemoryProfile, stream: BinaryIO) -> None:
    """Write the lines of a memory profile, UTF-8.

    Guarantee: the counts of each event add up to the profile's.
    Cost: O(n log n) for n lines, O(n) memory.
    """
    for line in _lines(profile):
        stream.write(line.encode() + b"\n")


def _lines(profile: MemoryProfile) -> Iterator[str]:
    levels = [level.name for level in profile.data_levels]
    native = ["Ir", "Dr", "Dw", *(f"{name}m" for name in levels), *(f"I{name}m" for name in ("1", *levels[1:]))]
    python = ["PyDr", "PyDw", *(f"Py{name}m" for name in levels)] if profile.python_lines else []
    yield "# callgrind format"
    yield "version: 1"
    yield f"creator: sonde {one_line(profile.run.sonde_version)}"
    yield f"cmd: {one_line(' '.join(profile.run.command))}"
    for level in profile.caches:
        yield f"desc: {level.name} cache: {level.size_bytes} B, {level.line_bytes} B, {level.ways}-way associative"
    yield "positions: line"
    yield f"events: {' '.join([*native, *python])}"
    counts = _counts(profile, len(native), len(python))
    yield f"summary: {' '.join(map(str, map(sum, zip(*counts.values(), strict=True)))) or '0'}"
    names = CallgrindNames()
    # Lines of one function in one stretch, functions of one file, files of one library.
    number = dict(enumerate(profile.functions))
    before: Function | None = None
    for function, line in sorted(counts, key=lambda key: (number[key[0]].library, number[key[0]].file, key)):
        if number[function] is not before:
            before = number[function]
            yield ""
            yield f"ob={names.of('ob', before.library)}"
            yield f"fl={names.of('fl', before.file)}"
            yield f"fn={names.of('fn', before.name)}"
        yield f"{line} {' '.join(map(str, counts[function, line]))}"


def _counts(profile: MemoryProfile, natives: int, pythons: int) -> dict[tuple[int, int], list[int]]:
    """All events by function and line."""
    counts: dict[tuple[int, int], list[int]] = {}

    def add(each: LineAccesses, first: int, values: Sequence[int]) -> None:
        row = counts.setdefault(profile.places[each.place].frames[0], [0] * (natives + pythons))
        for column, value in enumerate(values, first):
            row[column] += value

    for each in profile.native_lines:
        add(each, 0, (each.instructions, each.loads, each.stores, *each.misses, *each.fetch_misses))
    for each in profile.python_lines:
        add(each, natives, (each.loads, each.stores, *each.misses))
    return counts
