"""Profiles of mx's proftool (`mx profjson`): time by compilation id for JIT runs, by name for AOT runs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from sonde.base.errors import InputError
from sonde.instruments.decisions.foreign_json import parsed_json
from sonde.instruments.decisions.model import Place, Position, ProfileEntry, TimeProfile
from sonde.instruments.decisions.time_profiles.opening import unreadable

_KINDS: tuple[Literal["JIT", "AOT"], ...] = ("JIT", "AOT")
_LOOP_MARK = "%"
"""Ends the id of a compilation that is entered in a loop (on-stack replacement)."""
_ID_MARK = ": "
"""Ends the id that stands before a name."""
_LARGEST = (1 << 63) - 1
_SHORTEST_STACK = 3
_KEYS = (b'"totalPeriod"', b'"compilationKind"', b'"executionId"')
"""One of them is among the first keys."""


@dataclass(frozen=True, slots=True)
class ProftoolProfile:
    """A file of `mx profjson`."""

    times: TimeProfile
    """In cycles, or as the file says; `id` of its entries without the mark of loops, names without the id."""
    compilation: Literal["JIT", "AOT"]
    execution_id: str | None
    loop_ids: frozenset[str]
    """Ids of compilations that are entered in a loop."""


def is_proftool(head: bytes) -> bool:
    """Whether a file that begins so may be a proftool profile.

    >>> is_proftool(b'{\\n    "compilationKind": "JIT",')
    True
    """
    return head.lstrip().startswith(b"{") and any(key in head[:1000] for key in _KEYS)


def read_proftool(path: Path) -> ProftoolProfile:
    """Read a proftool profile.

    A profile without `compilationKind` is of a JIT run: there were no others before 2023-05.

    Raises:
        InputError: `bad-proftool-profile`, `unreadable-time-profile`.
    """
    try:
        document = parsed_json(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, RecursionError) as error:
        raise _bad(path, f"it is not JSON: {error}") from error
    if type(document) is not dict:
        raise _bad(path, "it is not an object")
    return _Document(path, document).profile()


@dataclass(frozen=True, slots=True)
class _Document:
    """The JSON, and where it is."""

    path: Path
    top: dict[str, Any]

    def profile(self) -> ProftoolProfile:
        kind = self.top.get("compilationKind")
        if kind is not None and kind not in _KINDS:
            self.refuse("compilationKind", kind, "'JIT' or 'AOT'")
        execution = self.top.get("executionId")
        if type(execution) is int:
            execution = str(execution)
        if execution is not None and type(execution) is not str:
            self.refuse("executionId", execution, "text")
        code = self.top.get("code")
        if type(code) is not list:
            self.refuse("code", code, "a list")
        entries, loops = [], set()
        for number, item in enumerate(code):
            entry, in_loop = self.entry(item, f"code[{number}]")
            entries.append(entry)
            if in_loop and entry.id is not None:
                loops.add(entry.id)
        total = self.whole(self.top.get("totalPeriod"), "totalPeriod")
        # Captured runs say what they count, and who counted; proftool itself does not, and counts cycles.
        unit: Literal["cycles", "nanoseconds"] = "nanoseconds" if self.top.get("unit") == "nanoseconds" else "cycles"
        source = self.top.get("source")
        samples = self.top.get("samples")
        times = TimeProfile(
            total,
            unit,
            tuple(entries),
            source if type(source) is str else "proftool",
            samples if type(samples) is int and 0 <= samples <= _LARGEST else None,
        )
        return ProftoolProfile(times, kind or "JIT", execution, frozenset(loops))

    def entry(self, item: Any, place: str) -> tuple[ProfileEntry, bool]:
        if type(item) is not dict:
            self.refuse(place, item, "an object")
        name, compilation, level = item.get("name"), item.get("compileId"), item.get("level")
        if type(name) is not str:
            self.refuse(f"{place}.name", name, "text")
        if compilation is not None and type(compilation) is not str:
            self.refuse(f"{place}.compileId", compilation, "text or null")
        if level is not None and type(level) is not int:
            self.refuse(f"{place}.level", level, "a whole number or null")
        in_loop = compilation is not None and compilation.endswith(_LOOP_MARK)
        _, mark, bare = name.partition(_ID_MARK)
        period = self.whole(item.get("period"), f"{place}.period")
        identity = compilation.removesuffix(_LOOP_MARK) if compilation is not None else None
        spread = tuple(_stack(each) for each in _list(item.get("stacks")) if _is_stack(each))
        return ProfileEntry(bare if mark else name, period, identity, level, spread=spread), in_loop

    def whole(self, value: Any, place: str) -> int:
        """Cycles; some tools write whole numbers as `3e6`."""
        is_whole = type(value) is int or (type(value) is float and value.is_integer())
        if not is_whole or abs(value) > _LARGEST:
            self.refuse(place, value, "a whole number of at most 64 bits")
        return int(value)

    def refuse(self, place: str, value: object, wanted: str) -> NoReturn:
        shown = "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else json.dumps(value)
        raise _bad(self.path, f"its '{place}' is {shown[:60]}, not {wanted}")


def _list(value: Any) -> list[Any]:
    return value if type(value) is list else []


def _is_stack(item: Any) -> bool:
    """Whether it is one as captured runs have them: time, then methods and offsets in turn."""
    if type(item) is not list or len(item) < _SHORTEST_STACK or not len(item) % 2:
        return False
    numbers = (item[0], *item[2::2])
    return all(type(each) is int and abs(each) <= _LARGEST for each in numbers) and all(
        type(each) is str for each in item[1::2]
    )


def _stack(item: list[Any]) -> tuple[Position, int]:
    return tuple(Place(method, at) for method, at in zip(item[1::2], item[2::2], strict=True)), item[0]


def _bad(path: Path, fact: str) -> InputError:
    return InputError(
        f"cannot use the profile '{path}': {fact}",
        slug="bad-proftool-profile",
        hint="write it again with 'mx profjson', or name another with --profile",
    )
