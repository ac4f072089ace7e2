"""A memory profile as plain data: all that the pages are made of, for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sonde.instruments.memory.profile.memory_profile import NO_PLACE, CodeFunction, MemoryProfile, ObjectClass
from sonde.instruments.memory.profile.shares import attribution, heap_share
from sonde.instruments.memory.profile.totals import CodeLayer, FunctionTotals, LineTotals, by_function, by_line, by_type
from sonde.instruments.memory.report import findings

Data = dict[str, Any]


def memory_data(profile: MemoryProfile) -> Data:
    """Everything, heaviest first; misses are by the name of the cache level, lifetimes in data accesses.

    Cost: O(n log n) time and space for n rows of the profile.
    """
    heap, known = heap_share(profile), attribution(profile)
    return {
        "run": asdict(profile.run),
        "caches": [asdict(level) for level in profile.caches],
        "policy": profile.policy,
        "totals": dict(profile.totals),
        "accesses": profile.accesses,
        "attributed": {"function": known.with_function, "line": known.with_line, "memory": known.with_object},
        "heap": {"accesses": heap.accesses, "misses": _misses(profile, heap.misses)},
        "findings": findings(profile),
        "functions": [
            {**_function(profile.functions[each.function]), "layer": layer, **_code(profile, each)}
            for layer in _layers()
            for each in by_function(profile, layer)
        ],
        "lines": [
            {
                "layer": layer,
                "file": each.file,
                "line": each.line,
                "functions": [profile.functions[number].name for number in each.functions],
                **_code(profile, each),
            }
            for layer in _layers()
            for each in by_line(profile, layer)
        ],
        "types": [
            {
                **_type(profile, each.types[0]),
                "born": each.born,
                "freed": each.freed,
                "size_bytes": each.size_bytes,
                "accesses": each.accesses,
                "misses": _misses(profile, each.misses),
                "lifetimes": asdict(each.lifetimes),
            }
            for each in by_type(profile)
        ],
        "sites": [_site(profile, each) for each in profile.classes if each.site != NO_PLACE],
        "line_types": [
            {
                **_place(profile, each.place),
                **_type(profile, each.type),
                "misses": _misses(profile, each.misses),
            }
            for each in profile.line_types
        ],
        "objects": [
            {
                **_type(profile, each.type),
                "site": _site_place(profile, each.site),
                "number": each.number,
                "birth": each.birth,
                "last_use": each.last_use,
                "size_bytes": each.size_bytes,
                "accesses": each.accesses,
                "misses": _misses(profile, each.misses),
                "alive": each.alive,
            }
            for each in profile.objects
        ],
        "collections": [asdict(each) for each in profile.collections],
        "losses": [asdict(loss) for loss in profile.losses],
    }


def _layers() -> tuple[CodeLayer, ...]:
    return ("python", "native")


def _misses(profile: MemoryProfile, misses: Sequence[int]) -> dict[str, int]:
    return {level.name: count for level, count in zip(profile.data_levels, misses, strict=False)}


def _code(profile: MemoryProfile, each: FunctionTotals | LineTotals) -> Data:
    return {
        "loads": each.loads,
        "stores": each.stores,
        "misses": _misses(profile, each.misses),
        "instructions": each.instructions,
        "fetch_misses": list(each.fetch_misses),
    }


def _function(function: CodeFunction) -> Data:
    return {
        "language": function.language,
        "name": function.name,
        "file": function.file,
        "first_line": function.first_line,
        "library": function.library,
    }


def _place(profile: MemoryProfile, place: int) -> Data:
    """A place with what it was inlined into."""
    frames = [(profile.functions[number], line) for number, line in profile.places[place].frames]
    (function, line), *callers = frames
    return {
        "function": function.name,
        "file": function.file,
        "line": line,
        "inlined_into": [{"function": caller.name, "file": caller.file, "line": at} for caller, at in callers],
    }


def _site_place(profile: MemoryProfile, site: int) -> Data | None:
    return None if site == NO_PLACE else _place(profile, site)


def _type(profile: MemoryProfile, number: int) -> Data:
    kind = profile.types[number]
    return {"kind": kind.kind, "type": kind.name}


def _site(profile: MemoryProfile, each: ObjectClass) -> Data:
    return {
        **_type(profile, each.type),
        "site": _site_place(profile, each.site),
        "born": each.born,
        "freed": each.freed,
        "size_bytes": each.size_bytes,
        "accesses": each.accesses,
        "misses": _misses(profile, each.misses),
        "lifetimes": asdict(each.lifetimes),
    }
