"""`Cache`: caches that the tool tells of accesses; slowly here, by native/core/caches/cache_model.h when compiled."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from sonde.base.errors import InputError
from sonde.instruments.memory.toolkit.containers import Container

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MOST_WAYS = 64
_LARGEST = 1 << 40


class Reference(Protocol):
    """What a cache looks at in a location."""

    @property
    def address(self) -> int: ...
    @property
    def size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Geometry:
    """One cache: bytes in all, ways of a set, bytes of a line."""

    size: int
    ways: int
    line: int


def geometry_of(text: str) -> Geometry:
    """Read `SIZE,WAYS,LINE`.

    >>> geometry_of("32K,8,64")
    Geometry(size=32768, ways=8, line=64)

    Raises:
        InputError: `bad-tool`: there is no such cache.
    """
    words = [word.strip() for word in text.split(",")]
    if len(words) != 3:
        raise _refusal(text, "it is not SIZE,WAYS,LINE")
    numbers = []
    for word in words:
        digits, unit = (word[:-1], _UNITS[word[-1].upper()]) if word[-1:].upper() in _UNITS else (word, 1)
        if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
            raise _refusal(text, f"{word!r} is no size")
        numbers.append(int(digits) * unit)
    size, ways, line = numbers
    if not 1 <= ways <= _MOST_WAYS:
        raise _refusal(text, f"it has {ways} ways, not 1 to {_MOST_WAYS}")
    if not 8 <= line <= 4096 or line & (line - 1):
        raise _refusal(text, f"its lines of {line} bytes are no power of two from 8 to 4096")
    sets, rest = divmod(size, ways * line)
    if rest or sets < 1 or sets & (sets - 1) or size > _LARGEST:
        raise _refusal(text, f"{size} bytes in {ways} ways with lines of {line} bytes make no power of two of sets")
    return Geometry(size, ways, line)


class Cache(Container):
    """One to three levels of caches: least recently used lines leave; stores take their lines in.

    In advice: `missed = self.cache.access(loc)`, the number of levels that missed. In `report()`: `accesses`, and
    `misses`, a number for each level.

    >>> from types import SimpleNamespace
    >>> cache = Cache(l1="32K,4,32", l2="1M,8,128")
    >>> [cache.access(SimpleNamespace(address=address, size=8)) for address in (0, 8, 32)]
    [2, 0, 1]
    >>> cache.accesses, cache.misses
    (3, [2, 1])
    """

    def __init__(self, l1: str, l2: str | None = None, l3: str | None = None) -> None:
        if l3 is not None and l2 is None:
            raise _refusal(l3, "there is a third level without a second one")
        self.levels = tuple(geometry_of(text) for text in (l1, l2, l3) if text is not None)
        for above, below in zip(self.levels, self.levels[1:], strict=False):
            if below.line < above.line:
                raise _refusal(f"lines of {below.line} bytes", f"the level before has lines of {above.line} bytes")
        self.accesses = 0
        self.misses = [0] * len(self.levels)
        self._sets: list[dict[int, OrderedDict[int, None]]] = [{} for _ in self.levels]

    def access(self, loc: Reference) -> int:
        """How many levels do not have what is accessed, which they then have."""
        self.accesses += 1
        depth = 0
        while depth < len(self.levels) and self._misses(depth, loc.address, loc.size):
            self.misses[depth] += 1
            depth += 1
        return depth

    def _misses(self, level: int, address: int, size: int) -> bool:
        """Use all lines of a reference. An address has 64 bits without a sign; lines behind the last do not exist."""
        geometry = self.levels[level]
        first = (address & 0xFFFF_FFFF_FFFF_FFFF) // geometry.line
        last = ((address & 0xFFFF_FFFF_FFFF_FFFF) + max(size, 1) - 1) // geometry.line
        missed = False
        for line in range(first, last + 1):
            lines = self._sets[level].setdefault(
                line % (geometry.size // geometry.ways // geometry.line), OrderedDict()
            )
            if line in lines:
                lines.move_to_end(line)
                continue
            missed = True
            lines[line] = None
            if len(lines) > geometry.ways:
                lines.popitem(last=False)
        return missed


def _refusal(text: str, fact: str) -> InputError:
    return InputError(f"cannot simulate cache {text!r}: {fact}", slug="bad-tool", hint='write Cache(l1="32K,8,64")')
