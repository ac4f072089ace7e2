"""A writer of record files by the book (docs/memory-profile.md), independent of the one in the tool."""

from collections.abc import Sequence

from sonde.instruments.memory.profile import MemoryProfile
from sonde.instruments.memory.profile.memory_profile import NO_CALLER, NO_FUNCTION, NO_PLACE

_COLUMNS = 3


def record_lines(profile: MemoryProfile, advice: Sequence[Sequence[str]] = ()) -> list[str]:
    """The lines of a record, the header first and the end last; without sources, how it was run, and its losses' texts.

    Functions, places and types get numbers that are not their positions.
    """
    lines = ["sonde-memory\t1"]
    lines += [f"cache\t{each.name}\t{each.size_bytes}\t{each.ways}\t{each.line_bytes}" for each in profile.caches]
    lines.append("policy\tlru\tneither\twrite-allocate\t1\tclassified\t0")
    lines += [f"total\t{key}\t{value}" for key, value in profile.totals.items()]
    for number, function in enumerate(profile.functions):
        texts = [escaped(text) for text in (function.name, function.file, function.library)]
        lines.append(_joined("F", _outer(number), function.language, *texts[:2], function.first_line, texts[2]))
    for number, place in enumerate(profile.places):
        frames = ",".join(f"{_outer(function)}:{line}" for function, line in place.frames)
        lines.append(_joined("P", _outer(number), frames))
    for line in profile.python_lines:
        lines.append(_joined("Y", _outer(line.place), line.loads, line.stores, *_wide(line.misses)))
    for line in profile.native_lines:
        counts = (line.loads, line.stores, *_wide(line.misses), line.instructions, *_wide(line.fetch_misses))
        lines.append(_joined("N", _outer(line.place), *counts))
    for number, context in enumerate(profile.contexts):
        above = NO_CALLER if context.parent == NO_CALLER else _outer(context.parent)
        runs = NO_FUNCTION if context.function == NO_FUNCTION else _outer(context.function)
        lines.append(_joined("K", _outer(number), above, runs, context.accesses, *_wide(context.misses)))
    lines += [_joined("T", _outer(n), each.kind, escaped(each.name)) for n, each in enumerate(profile.types)]
    for each in profile.classes:
        key = (_outer(each.type), _outer(each.site))
        bins = [f"{number}:{count}" for number, count in enumerate(each.lifetimes.counts) if count]
        counts = (each.born, each.freed, each.size_bytes, each.accesses, *_wide(each.misses))
        lines.append(_joined("C", *key, *counts, ",".join(reversed(bins)) or "-"))
        if each.lifetimes.total:
            lines.append(_joined("S", *key, each.lifetimes.total))
    for crossing in profile.line_types:
        lines.append(
            _joined(
                "X",
                _outer(crossing.place),
                _outer(crossing.type),
                *_wide(crossing.misses),
                crossing.sampled_loads,
                crossing.sampled_stores,
            )
        )
    for part in profile.fields:
        counts = (*_wide(part.misses), part.sampled_loads, part.sampled_stores)
        key = (_outer(part.type), _outer(part.site))
        lines.append(_joined("W", *key, part.offset, part.size_bytes, escaped(part.name), *counts))
    for one in profile.objects:
        counts = (one.number, one.birth, one.last_use, one.size_bytes, one.accesses, *_wide(one.misses))
        lines.append(_joined("O", _outer(one.type), _outer(one.site), *counts, int(one.alive)))
    for number, shared in enumerate(profile.shared_lines):
        lines.append(_joined("L", _outer(number), shared.transfers, shared.most_transfers, shared.most_same))
        for use in shared.uses:
            where = (_outer(use.place), _outer(use.type), _outer(use.site), "-" if use.offset is None else use.offset)
            masks = (f"{use.loaded:016x}", f"{use.stored:016x}")
            lines.append(_joined("M", _outer(number), use.thread, *where, use.loads, use.stores, *masks))
    lines += [_joined("G", each.generation, each.count, each.accesses) for each in profile.collections]
    lines += [_joined("lost", each.kind, each.amount, escaped(each.detail)) for each in profile.losses]
    lines += [_joined("A", *map(escaped, fields)) for fields in advice]
    lines.append("end")
    return lines


def record_bytes(lines: Sequence[str]) -> bytes:
    """The file: lone surrogates are bytes that are not UTF-8."""
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def escaped(text: str) -> str:
    """Text as a field of a line."""
    return text.replace("%", "%25").replace("\t", "%09").replace("\n", "%0A").replace("\r", "%0D")


def _outer(number: int) -> int:
    return NO_PLACE if number == NO_PLACE else 3 * number + 7


def _wide(misses: Sequence[int]) -> tuple[int, ...]:
    return (*misses, *(0,) * (_COLUMNS - len(misses)))


def _joined(*fields: object) -> str:
    return "\t".join(map(str, fields))
