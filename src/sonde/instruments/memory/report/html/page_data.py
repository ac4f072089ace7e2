"""A memory profile as the page gets it: tables in columns. The keys are the contract with the scripts in `page/`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sonde.instruments.memory.profile.memory_profile import NO_PLACE, Lifetimes, MemoryProfile
from sonde.instruments.memory.profile.shares import attribution, is_named
from sonde.instruments.memory.profile.totals import (
    CodeLayer,
    FunctionTotals,
    LineTotals,
    added,
    by_function,
    by_line,
    by_type,
)
from sonde.instruments.memory.report import KIND_WORDS, SiteFrames, findings, site_frames, type_name
from sonde.render.html.embedded_sources import choose_sources

DATA_VERSION = 1

MAX_LETTERS = 300
"""Of a name or a path; what is longer is cut."""

MAX_LOSSES = 100

Data = dict[str, Any]


class _Missing(Protocol):
    @property
    def misses(self) -> tuple[int, ...]:
        """Per data level."""


_Row = TypeVar("_Row", bound=_Missing)
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class _LineType:
    """Misses of a line, wherever it was inlined, on a type."""

    layer: int
    row: int
    """Of the lines of its layer that are in the page."""
    type: int
    misses: tuple[int, ...]


class _Named(Generic[_Item]):
    """Numbers in the page, from 0 on, for those files, functions and types that it names."""

    def __init__(self) -> None:
        self.items: dict[_Item, int] = {}

    def of(self, item: _Item) -> int:
        """The number in the page."""
        return self.items.setdefault(item, len(self.items))


def page_data(profile: MemoryProfile, *, title: str, most_rows: int) -> Data:
    """Everything that the page shows, but for the text of files: see `with_sources`.

    Args:
        most_rows: of each table; those with the most misses of the last level are kept.
    """
    left_out: dict[str, int] = {}

    def kept(name: str, rows: Sequence[_Row]) -> list[_Row]:
        by_misses = sorted(rows, key=lambda row: row.misses[::-1], reverse=True)
        left_out[name] = left_out.get(name, 0) + max(len(by_misses) - most_rows, 0)
        return by_misses[:most_rows]

    functions, kinds = _Named[int](), _Named[int]()
    layers: dict[CodeLayer, list[LineTotals]] = {
        layer: kept("lines", by_line(profile, layer)) for layer in ("python", "native")
    }
    row_of = {
        _key(profile, line.functions[0], line.line): (number, row)
        for number, lines in enumerate(layers.values())
        for row, line in enumerate(lines)
    }
    code = {
        layer: _code(kept("functions", by_function(profile, layer)), lines, functions)
        for layer, lines in layers.items()
    }
    types = kept("types", by_type(profile))
    pairs = kept("line_types", _line_types(profile, row_of))
    sites = kept("sites", [each for each in profile.classes if each.site != NO_PLACE])
    objects = kept("objects", profile.objects)
    known_sites = site_frames(profile)
    data: Data = {
        "version": DATA_VERSION,
        "title": shortened(title),
        "run": {
            "command": shortened(" ".join(profile.run.command)),
            "started_at": profile.run.started_at,
            "duration_ns": profile.run.duration_ns,
            "ended": profile.run.ended,
            "machine": shortened(profile.run.machine),
            "tool": shortened(profile.run.tool),
            "sonde_version": profile.run.sonde_version,
            "complete": profile.run.complete,
        },
        "caches": [[each.name, each.size_bytes, each.ways, each.line_bytes] for each in profile.caches],
        "levels": [each.name for each in profile.data_levels],
        "policy": shortened(profile.policy),
        "totals": profile.totals,
        "accesses": profile.accesses,
        "collections": [[each.generation, each.count, each.accesses] for each in profile.collections],
        "attributed": _attributed(profile),
        "findings": [text[: 4 * MAX_LETTERS] for text in findings(profile)],
        "losses": [[each.kind, shortened(each.detail), each.amount] for each in profile.losses[:MAX_LOSSES]],
        "kinds": KIND_WORDS,
        "code": code,
        "types": {
            "type": [kinds.of(each.types[0]) for each in types],
            **_memory_columns(types),
        },
        "sites": {
            "type": [kinds.of(each.type) for each in sites],
            **_frames(known_sites, [each.site for each in sites], functions),
            **_memory_columns(sites),
        },
        "line_types": {
            "layer": [pair.layer for pair in pairs],
            "row": [pair.row for pair in pairs],
            "type": [kinds.of(pair.type) for pair in pairs],
            "misses": _columns(pair.misses for pair in pairs),
        },
        "objects": {
            "type": [kinds.of(each.type) for each in objects],
            **_frames(known_sites, [each.site for each in objects], functions),
            "number": [each.number for each in objects],
            "birth": [each.birth for each in objects],
            "last_use": [each.last_use for each in objects],
            "bytes": [each.size_bytes for each in objects],
            "accesses": [each.accesses for each in objects],
            "misses": _columns(each.misses for each in objects),
            "alive": [int(each.alive) for each in objects],
        },
        "left_out": left_out,
    }
    files = _Named[str]()
    named = [profile.functions[number] for number in functions.items]
    data["functions"] = [
        [
            shortened(each.name) if is_named(each.name) else "",
            files.of(each.file),
            each.first_line,
            shortened(each.library),
            each.language,
        ]
        for each in named
    ]
    data["type_names"] = [
        [shortened(type_name(profile.types[number])), profile.types[number].kind] for number in kinds.items
    ]
    data["files"] = [shortened(path) for path in files.items]
    return data


def with_sources(data: Data, profile: MemoryProfile, source_bytes: int) -> Data:
    """Add the text of files to the data of their profile, those with the most misses first, while they fit.

    A file whose path was cut has none: it could be taken for another.
    """
    texts = {path: text for path, text in profile.sources.items() if len(path) <= MAX_LETTERS}
    heat = dict.fromkeys(
        data["functions"][function][1] for layer in data["code"].values() for function in layer["lines"]["function"]
    )
    paths: list[str] = [data["files"][number] for number in heat]
    chosen = choose_sources(texts, paths, source_bytes)
    sources = {
        str(number): chosen.texts[path] for number, path in zip(heat, paths, strict=True) if path in chosen.texts
    }
    return {**data, "sources": sources, "left_out": {**data["left_out"], "sources": chosen.left_out_files}}


def shortened(text: str) -> str:
    """A name that no page breaks at."""
    return text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 1]}\u2026"


def _line_types(profile: MemoryProfile, row_of: dict[tuple[str, int, int], tuple[int, int]]) -> list[_LineType]:
    """Pairs of lines that are in the page and types."""
    groups: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
    for each in profile.line_types:
        at = row_of.get(_key(profile, *profile.places[each.place].frames[0]))
        if at is not None:
            groups.setdefault((*at, each.type), []).append(each.misses)
    return [_LineType(*key, added(misses)) for key, misses in groups.items()]


def _key(profile: MemoryProfile, function: int, line: int) -> tuple[str, int, int]:
    """What makes two lines the same one, as in `by_line`; and the language, since layers are apart."""
    file = profile.functions[function].file
    is_python = int(profile.functions[function].language == "python")
    return (file, line, -1 - is_python) if file and line else (file, 0, function)


def _code(totals: Sequence[FunctionTotals], lines: Sequence[LineTotals], functions: _Named[int]) -> Data:
    return {
        "functions": {"function": [functions.of(each.function) for each in totals], **_code_columns(totals)},
        "lines": {
            "function": [functions.of(each.functions[0]) for each in lines],
            "line": [each.line for each in lines],
            **_code_columns(lines),
        },
    }


def _code_columns(rows: Sequence[FunctionTotals | LineTotals]) -> Data:
    return {
        "loads": [row.loads for row in rows],
        "stores": [row.stores for row in rows],
        "misses": _columns(row.misses for row in rows),
        "instructions": [row.instructions for row in rows],
        "fetch_misses": _columns(row.fetch_misses for row in rows),
    }


def _memory_columns(rows: Sequence[Any]) -> Data:
    return {
        "born": [row.born for row in rows],
        "freed": [row.freed for row in rows],
        "bytes": [row.size_bytes for row in rows],
        "accesses": [row.accesses for row in rows],
        "misses": _columns(row.misses for row in rows),
        "lives": [_bins(row.lifetimes) for row in rows],
        "life_sum": [row.lifetimes.total for row in rows],
    }


def _bins(lifetimes: Lifetimes) -> list[int]:
    """Bins that have objects, each with its count: number, count, number, count."""
    return [value for number, count in enumerate(lifetimes.counts) if count for value in (number, count)]


def _frames(known: Mapping[int, SiteFrames], sites: Sequence[int], functions: _Named[int]) -> Data:
    """Function and line of allocation sites, and what was inlined there; -1 and 0 where they are not known."""
    nowhere = (-1, 0)
    told = [known.get(site) or SiteFrames(nowhere, nowhere, by_name=False) for site in sites]
    inlined = [nowhere if each.innermost == each.telling else each.innermost for each in told]

    def numbers(frames: Sequence[tuple[int, int]]) -> list[int]:
        return [function if function < 0 else functions.of(function) for function, _ in frames]

    return {
        "function": numbers([each.telling for each in told]),
        "line": [each.telling[1] for each in told],
        "by_name": [int(each.by_name) for each in told],
        "inlined_function": numbers(inlined),
        "inlined_line": [line for _, line in inlined],
    }


def _columns(rows: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """Transposed: one list for each level."""
    return [list(column) for column in zip(*rows, strict=True)]


def _attributed(profile: MemoryProfile) -> dict[str, int]:
    known = attribution(profile)
    python = sum(line.loads + line.stores for line in profile.python_lines)
    return {
        "function": known.with_function,
        "line": known.with_line,
        "memory": known.with_object,
        "python": python,
    }
