"""Random runs of Graal with all that is rare and odd in them, and a second run that differs from the first a little.

Calls without a name, negative indices, calls twice at one place, recursion, guessed calls, receivers that are empty or
immature, optimizations without a place or at one that is nowhere, variants of methods, ids that are used twice, equal
times, times of no unit.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from graal_logs import Json, call, did, entry, phase, receivers, root, unit, write_aot_profile, write_log, write_profile

METHODS = ("A.a()", "B.b(int)", "C.c(Object, int)", "D.d()", "E$$Lambda/0x80cd.apply(Object)")
VARIANTS = (*METHODS, "F.f%%key(int)", "A.a%%late()")
PHASES = (
    "CanonicalizerPhase",
    "IncrementalCanonicalizerPhase",
    "LoopPeelingPhase",
    "PartialEscapePhase",
    "FloatingReadPhase",
    "DeadCodeEliminationPhase",
    "ConditionalEliminationPhase",
)
INDICES = (0, 1, 1, 2, 3, 5, -1, -5)
SHARES = (0.5, 0.125, 0.005, 0.33335, 1.0, 0.98855)
PERIODS = (0, 5, 5, 10, 10**9, 3 * 10**8, 123456789)
DEEPEST = 3
T = TypeVar("T")
_Way = tuple[tuple[str | None, int], ...]
"""Root first: methods, and where each is called."""


class OddRuns:
    """Two runs, always the same for one seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        count = self._random.randint(1, 6)
        self.first = [self._unit(str(number)) for number in range(count)]
        self.second = [self._changed(each, str(100 + number)) for number, each in enumerate(self.first)]
        self.second += [self._unit(str(200 + number)) for number in range(self._random.randint(0, 2))]

    def write_log(self, folder: Path, units: Sequence[Json]) -> Path:
        """Write units into two files, with spaces or without."""
        half = len(units) // 2
        for file, some in (("0_1", units[:half]), ("0_2", units[half:])):
            write_log(folder, *some, file=file, spaced=self._is(0.5))
        return folder

    def write_jit_profile(self, path: Path, units: Sequence[Json]) -> Path:
        """Write times of most compilations, and of some that are not in the log."""
        entries = [entry(77, "Interpreter")]
        for each in units:
            identity = each["compilationId"] + ("%" if self._is(0.3) else "") if self._is(0.9) else "404"
            entries.append(entry(self._period(), each["methodName"], identity, self._one((4, 4, 4, 3))))
        return write_profile(path, self._total(entries), *entries, executionId=self._one(("1", None)))

    def write_aot_profile(self, path: Path, units: Sequence[Json]) -> Path:
        """Write times of most methods, and of some that are not in the log."""
        names = [each["methodName"] for each in units if self._is(0.9)]
        periods = {name: self._period() for name in (*names, "memcpy")}
        return write_aot_profile(path, max(1, sum(periods.values())), **periods)

    def _total(self, entries: Sequence[Json]) -> int:
        return max(1, sum(int(each["period"]) for each in entries)) * self._one((1, 1, 3))

    def _period(self) -> int:
        return self._one(PERIODS)

    def _unit(self, compilation: str) -> Json:
        name = self._one(VARIANTS)
        if self._is(0.05):
            compilation = "0"
        return self._with_phases(unit(name, compilation, root(self._bare(name), *self._calls(DEEPEST))))

    def _with_phases(self, made: Json) -> Json:
        ways = list(_ways(made["inliningTree"]))
        return {**made, "optimizationTree": phase("RootPhase", *self._phases(DEEPEST, ways))}

    def _bare(self, name: str) -> str:
        start, _, key = name.partition("%%")
        return start + key[key.find("(") :] if key and self._is(0.7) else name

    def _calls(self, deep: int) -> list[Json]:
        made = [self._call(deep) for _ in range(self._random.randint(0, 3))]
        if made and self._is(0.3):
            made.append(_copy(self._one(made)))
        return made

    def _call(self, deep: int) -> Json:
        inlined, indirect, alive = self._is(0.55), self._is(0.25), self._is(0.5)
        seen = self._receivers() if indirect and self._is(0.7) else None
        reason = (
            None if self._is(0.3) else [self._one(("trivial", "too big", "hot")) for _ in range(self._one((1, 2, 3)))]
        )
        name = None if self._is(0.15) else self._one(METHODS)
        inner = self._calls(deep - 1) if deep and (inlined or indirect) else []
        made = call(name, self._one(INDICES), "direct", *inner, reason=reason, receivers=seen)
        return {**made, "inlined": inlined, "indirect": indirect, "alive": alive}

    def _receivers(self) -> Json:
        types = [
            (self._one(("T", "U")), self._one(SHARES), self._one((None, "T.x()")))
            for _ in range(self._random.randint(0, 2))
        ]
        return receivers(*types, mature=self._is(0.7))

    def _phases(self, deep: int, ways: Sequence[_Way]) -> list[Json]:
        return [
            phase(self._one(PHASES), *self._phases(deep - 1, ways)) if deep and self._is(0.5) else self._leaf(ways)
            for _ in range(self._random.randint(0, 4))
        ]

    def _leaf(self, ways: Sequence[_Way]) -> Json:
        position = None if self._is(0.1) else self._position(self._one(ways))
        said = {"peelings": self._one((1, 2, 1.0)), "flag": self._one((True, False, None)), "cls": self._one("xy")}
        shown = [(key, value) for key, value in said.items() if self._is(0.3)]
        if self._is(0.2):
            shown.reverse()
        name, event = self._one(("Canonicalizer", "LoopPeeling", "Guard")), self._one(("E1", "E2"))
        return did(name, event, position, **dict(shown))

    def _position(self, way: _Way) -> dict[str, int]:
        """In the last method of a way; what is called twice on it is there once, as in Graal's maps."""
        position: dict[str, int] = {"Z.z()": 3} if self._is(0.1) else {}
        at = self._one((0, 1, 2, -1, 7))
        for method, called_at in reversed(way):
            position["null" if method is None else method] = at
            at = called_at
        return position

    def _changed(self, made: Json, compilation: str) -> Json:
        changed = _copy(made) | {"compilationId": compilation}
        self._change_calls(changed["inliningTree"])
        if self._is(0.1):
            return self._with_phases(changed)
        self._change_phases(changed["optimizationTree"], list(_ways(changed["inliningTree"])))
        return changed

    def _change_calls(self, node: Json) -> None:
        inner = node.get("invokes", [])
        for each in inner:
            for key, share in (("inlined", 0.15), ("alive", 0.1), ("indirect", 0.05)):
                each[key] ^= self._is(share)
            self._change_calls(each)
        if inner and self._is(0.2):
            inner.pop(self._random.randrange(len(inner)))
        if not inner:
            node.pop("invokes", None)

    def _change_phases(self, node: Json, ways: Sequence[_Way]) -> None:
        inner = node["optimizations"]
        if inner and self._is(0.2):
            inner.pop(self._random.randrange(len(inner)))
        if self._is(0.2):
            inner.insert(self._random.randint(0, len(inner)), self._leaf(ways))
        if self._is(0.2):
            self._random.shuffle(inner)
        for each in inner:
            if "phaseName" in each:
                self._change_phases(each, ways)

    def _is(self, share: float) -> bool:
        return self._random.random() < share

    def _one(self, things: Sequence[T]) -> T:
        return self._random.choice(things)


def _ways(node: Json, above: _Way = ()) -> Iterator[_Way]:
    """To all inlined methods."""
    way = (*above, (node["methodName"], node["callsiteBci"]))
    yield way
    for each in node.get("invokes", ()):
        if each["inlined"]:
            yield from _ways(each, way)


def _copy(document: Json) -> Json:
    copied: Json = json.loads(json.dumps(document))
    return copied
