"""Which functions of one profile are which functions of another: by names and places, never by addresses."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.events import Function
from sonde.instruments.contexts.profile.comparison.line_alignment import align_lines

How = Literal["same", "moved", "maybe renamed", "only before", "only after"]
"""How two functions were found to be one. `same`: same name and module, in the same file or one of the
same name in another folder, on whatever line. `moved`: same qualified name, in a file or module that
shares its last part, with half of the functions around it. `maybe renamed`: a guess from callers and callees."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
"""In names made up at run time, `<wrapper of 0x7f12ab34cd00>`."""

_LEAST_IN_COMMON = 0.5
"""Share of their function names that two modules must have in common to be one that moved: `utils` and
`core` are in every second package."""


@dataclass(frozen=True, slots=True)
class FunctionPair:
    """One function on both sides, or on one."""

    before: Function | None
    after: Function | None
    how: How

    @property
    def either(self) -> Function:
        """The function to name the pair by: as it is now, or as it was."""
        function = self.after or self.before
        assert function is not None  # a pair holds at least one
        return function

    def mirrored(self) -> "FunctionPair":
        """The same pair, with before and after exchanged."""
        return FunctionPair(self.after, self.before, _MIRRORED.get(self.how, self.how))


_MIRRORED: dict[How, How] = {"only before": "only after", "only after": "only before"}


@dataclass(frozen=True, slots=True)
class FunctionAlignment:
    """Pairs of functions; each function of each side is in exactly one."""

    pairs: tuple[FunctionPair, ...]
    before: Sequence[int]
    """Pair of each function of the profile before."""
    after: Sequence[int]
    """Pair of each function of the profile after."""
    guessed: frozenset[int]
    """Pairs of functions that share all names with others in their file, paired by their order."""


def align_functions(before: Sequence[Function], after: Sequence[Function]) -> FunctionAlignment:
    """Pair the functions of two profiles.

    Each pass looks at what the passes before it left over: same path; then same module and file name
    (another checkout or virtual environment); then moved modules, whose names end alike, or whose files
    do (a script run as `__main__`), and which have half of their left over functions in common.

    Guarantee: one to one; pairs agree in qualified name and kind, but for modules, whose name may change with
        their place; a table aligned with itself pairs each function with itself; moving all functions of a
        file by the same number of lines, or to another folder, leaves none alone.
    Cost: O(n log n) for n functions with few namesakes; see `align_lines`.
    """
    table = _PairTable(before, after)
    table.pair_rooms(lambda f: (f.module, f.file))
    table.pair_rooms(lambda f: (f.module, _file_name(f)))
    table.pair_moved_modules()
    return table.finish(before, after)


def rename(alignment: FunctionAlignment, renamed: Sequence[tuple[int, int]]) -> FunctionAlignment:
    """Join pairs that hold only one side each.

    Args:
        renamed: (pair with only a before, pair with only an after), each used once.
    """
    target = dict(renamed) | {new: new for _, new in renamed}
    kept = [i for i in range(len(alignment.pairs)) if target.get(i, i) == i]
    number = {old: new for new, old in enumerate(kept)}
    source = {new: gone for gone, new in renamed}
    pairs = tuple(
        FunctionPair(alignment.pairs[source[i]].before, alignment.pairs[i].after, "maybe renamed")
        if i in source
        else alignment.pairs[i]
        for i in kept
    )
    return FunctionAlignment(
        pairs=pairs,
        before=[number[target.get(i, i)] for i in alignment.before],
        after=[number[i] for i in alignment.after],
        guessed=frozenset(number[i] for i in alignment.guessed),
    )


_ANONYMOUS = frozenset({"module", "dynamic code", "lambda"})
"""Kinds whose names say nothing about the module they are in."""

_Room = tuple[str, str]
"""Where namesakes are looked for: functions are only paired within the same room."""


class _PairTable:
    """Collects pairs pass by pass; a function listed twice is one function all the same."""

    def __init__(self, before: Sequence[Function], after: Sequence[Function]) -> None:
        self._left = dict.fromkeys(before)
        self._right = dict.fromkeys(after)
        self._pairs: list[FunctionPair] = []
        self._guessed: set[int] = set()

    def pair_rooms(self, room_of: Callable[[Function], _Room]) -> None:
        """Pair what is left over, room by room."""
        rooms_right = _rooms(self._right, room_of)
        for room, left in _rooms(self._left, room_of).items():
            if room in rooms_right:
                self._pair_room(left, rooms_right[room], "same")

    def pair_moved_modules(self) -> None:
        """Pair what is left over of modules that have moved, most similar modules first."""
        left, right = (_rooms(side, lambda f: (f.module, _file_name(f))) for side in (self._left, self._right))
        names_left, names_right = (
            {room: {_name(f, is_moving=True) for f in functions} for room, functions in rooms.items()}
            for rooms in (left, right)
        )
        by_ending: dict[str, list[_Room]] = {}
        for room in right:
            for ending in _endings(*room):
                by_ending.setdefault(ending, []).append(room)
        found = set()
        for ours in left:
            for theirs in {room for ending in _endings(*ours) for room in by_ending.get(ending, ())}:
                similarity = _similarity(names_left[ours], names_right[theirs])
                if similarity >= _LEAST_IN_COMMON:
                    found.add((-similarity, ours, theirs))
        for _, ours, theirs in sorted(found):
            if ours in left and theirs in right:
                self._pair_room(left.pop(ours), right.pop(theirs), "moved")

    def finish(self, before: Sequence[Function], after: Sequence[Function]) -> FunctionAlignment:
        """Number the pairs, those with one side last."""
        pairs = [
            *self._pairs,
            *(FunctionPair(function, None, "only before") for function in self._left),
            *(FunctionPair(None, function, "only after") for function in self._right),
        ]
        number_before = {pair.before: i for i, pair in enumerate(pairs) if pair.before}
        number_after = {pair.after: i for i, pair in enumerate(pairs) if pair.after}
        return FunctionAlignment(
            pairs=tuple(pairs),
            before=[number_before[function] for function in before],
            after=[number_after[function] for function in after],
            guessed=frozenset(self._guessed),
        )

    def _pair_room(self, left: list[Function], right: list[Function], how: How) -> None:
        names: dict[tuple[str, str], int] = {}
        spots_left, spots_right = (
            {
                (f.first_line, names.setdefault(_name(f, is_moving=how == "moved"), len(names))): f
                for f in reversed(side)
            }
            for side in (left, right)
        )
        alignment = align_lines(sorted(spots_left), sorted(spots_right))
        for spot, other in alignment.pairs.items():
            before, after = spots_left[spot], spots_right[other]
            del self._left[before], self._right[after]
            if spot[1] in alignment.guessed:
                self._guessed.add(len(self._pairs))
            self._pairs.append(FunctionPair(before, after, how))


def _rooms(functions: Iterable[Function], room_of: Callable[[Function], _Room]) -> dict[_Room, list[Function]]:
    rooms: dict[_Room, list[Function]] = {}
    for function in functions:
        rooms.setdefault(room_of(function), []).append(function)
    return rooms


def _endings(module: str, file_name: str) -> tuple[str, ...]:
    """What moved modules have in common: `io` for `_io`, `app` for `pkg.app` and for `__main__` in `app.py`."""
    stem = file_name.removesuffix(".py")
    endings = {module.rpartition(".")[2].lstrip("_"), "" if stem.startswith("__") else stem.lstrip("_")}
    return tuple(sorted(endings - {"", "main__"}))


def _similarity(ours: set[tuple[str, str]], theirs: set[tuple[str, str]]) -> float:
    """Share of names in common; 0 when those are nothing but names that many modules have."""
    common = ours & theirs
    if all(kind in _ANONYMOUS for _, kind in common):
        return 0.0
    return len(common) / len(ours | theirs)


def _name(function: Function, *, is_moving: bool) -> tuple[str, str]:
    """What must agree: the qualified name without addresses; of a module that moves, nothing but that it is one."""
    if is_moving and function.kind == "module" and not _is_package_file(function):
        return "", function.kind
    return _ADDRESS.sub("0x", function.name), function.kind


def _is_package_file(function: Function) -> bool:
    return _file_name(function) in ("__init__.py", "__main__.py")


def _file_name(function: Function) -> str:
    return _ADDRESS.sub("0x", function.file.replace("\\", "/").rpartition("/")[2])
