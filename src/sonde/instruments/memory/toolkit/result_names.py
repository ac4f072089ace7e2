"""What the numbers in the results of a tool are called."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sonde.instruments.memory.toolkit.results import KeyNumbers
from sonde.instruments.memory.toolkit.value_types import HANDLES, Kind

_NONE = "(none)"


@dataclass(frozen=True, slots=True)
class ResultNames:
    """Names by number, from the record of the run: its `T`, `F` and `P` lines.

    >>> names = ResultNames(types={3: "Node"})
    >>> names.name(Kind.TYPE, 3), names.name(Kind.TYPE, 4), names.name(Kind.THREAD, 1)
    ('Node', 'type 4', 'thread 1')
    """

    types: Mapping[int, str] = field(default_factory=dict)
    methods: Mapping[int, str] = field(default_factory=dict)
    places: Mapping[int, str] = field(default_factory=dict)
    objects: Mapping[int, tuple[int | None, int | None]] = field(default_factory=dict)
    """Their types and places of birth, by number."""

    def name(self, kind: Kind, number: int | None) -> str:
        """Of a type, method, place or thread; its number where it has no name. Of an object what and where from."""
        if number is None:
            return _NONE
        if kind is Kind.OBJECT:
            return self._object(number)
        names = {Kind.TYPE: self.types, Kind.METHOD: self.methods, Kind.PLACE: self.places}.get(kind, {})
        return names.get(number, f"{kind.value} {number}")

    def _object(self, number: int) -> str:
        of, place = self.objects.get(number, (None, None))
        what = "object" if of is None else self.name(Kind.TYPE, of)
        return f"{what} {number}" + ("" if place is None else f" born at {self.name(Kind.PLACE, place)}")

    def named(self, kind: Kind, number: int | float | bool | None) -> int | float | bool | str | None:
        """A handle by its name, anything else as it is."""
        if kind not in HANDLES:
            return number
        return self.name(kind, None if number is None else int(number))

    def keys(self, kinds: tuple[Kind, ...], rows: Iterable[KeyNumbers]) -> dict[KeyNumbers, tuple[object, ...]]:
        """A named key for each numbered one; things of one name get their number behind it, so that none is lost."""
        named = {key: tuple(self.named(kind, part) for kind, part in zip(kinds, key, strict=True)) for key in rows}
        same: dict[tuple[object, ...], list[KeyNumbers]] = {}
        for key, name in named.items():
            same.setdefault(name, []).append(key)
        return {key: self._distinct(kinds, key, name, same[name]) for key, name in named.items()}

    def _distinct(
        self, kinds: tuple[Kind, ...], key: KeyNumbers, name: tuple[object, ...], same: list[KeyNumbers]
    ) -> tuple[object, ...]:
        """A name for a key among all keys of the same name: with numbers where these differ."""
        differs = [len({other[part] for other in same}) > 1 for part in range(len(kinds))]
        return tuple(
            f"{text} #{number}" if apart and kind in HANDLES and number is not None else text
            for kind, number, text, apart in zip(kinds, key, name, differs, strict=True)
        )
