"""The slow twin of native/core/caches/cache_model.c: sets are lists, and every line is looked for.

What is the same by nature is written anew; the order in which free ways are taken, the bits of the tree and the random
numbers are those of native/core/caches/cache_level.h, so that both cores evict the same lines.
"""

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from sonde.base.cache_geometry import CacheGeometry, CacheSettings

LOAD, STORE, FETCH = range(3)
COLD, CAPACITY, CONFLICT, UNKNOWN = range(4)
_WORD = (1 << 64) - 1
_INSTRUCTION = 3


class CachedLine:
    """A line that is somewhere."""

    def __init__(self, number: int, dirty: bool) -> None:
        self.number = number
        self.dirty = dirty


class CacheSet:
    """Ways, and what is known of their use."""

    def __init__(self, ways: int) -> None:
        self.ways: list[CachedLine | None] = [None] * ways
        self.order: list[int] = []
        """Ways in use, the one used last at the end."""
        self.points_right: dict[tuple[int, int], bool] = {}
        """For each fork, by the ways below it."""


class CacheLevel:
    """One cache."""

    def __init__(self, geometry: CacheGeometry, policy: str, seed: int) -> None:
        self.line_bytes = geometry.line_bytes
        self.policy = policy
        self.sets = [CacheSet(geometry.ways) for _ in range(geometry.sets)]
        self.random = _mixed(seed)
        self.misses = [0, 0, 0]
        self.write_backs = 0

    def find(self, line: int) -> tuple[CacheSet, int | None]:
        """The line's set, and its way there."""
        where = self.sets[line % len(self.sets)]
        for way, held in enumerate(where.ways):
            if held is not None and held.number == line:
                return where, way
        return where, None

    def get(self, line: int) -> CachedLine | None:
        """The line, if it is here; that is no use of it."""
        where, way = self.find(line)
        return None if way is None else where.ways[way]

    def touch(self, line: int, dirty: bool) -> bool:
        """Use a line; whether it is here."""
        where, way = self.find(line)
        if way is None:
            return False
        held = where.ways[way]
        assert held is not None
        held.dirty |= dirty
        self._used(where, way)
        return True

    def fill(self, line: int, dirty: bool) -> CachedLine | None:
        """Take a line in; what has to leave for it."""
        where, _ = self.find(line)
        way = where.ways.index(None) if None in where.ways else self._victim(where)
        evicted, where.ways[way] = where.ways[way], CachedLine(line, dirty)
        self._used(where, way)
        return evicted

    def remove(self, line: int) -> CachedLine | None:
        """Take a line out."""
        where, way = self.find(line)
        if way is None:
            return None
        removed, where.ways[way] = where.ways[way], None
        where.order.remove(way)
        return removed

    def _used(self, where: CacheSet, way: int) -> None:
        if way in where.order:
            where.order.remove(way)
        where.order.append(way)
        low, high = self._leaves(where)
        while high - low > 1:
            middle = (low + high) // 2
            where.points_right[low, high] = way < middle
            low, high = (low, middle) if way < middle else (middle, high)

    def _victim(self, where: CacheSet) -> int:
        if self.policy == "lru":
            return where.order[0]
        if self.policy == "random":
            self.random ^= self.random << 13 & _WORD
            self.random ^= self.random >> 7
            self.random ^= self.random << 17 & _WORD
            return (self.random >> 32) * len(where.ways) >> 32
        low, high = self._leaves(where)
        while high - low > 1:
            middle = (low + high) // 2
            right = where.points_right.get((low, high), False) and middle < len(where.ways)
            low, high = (middle, high) if right else (low, middle)
        return low

    def _leaves(self, where: CacheSet) -> tuple[int, int]:
        return 0, 1 << (len(where.ways) - 1).bit_length()


class MissKinds:
    """Why references to one first-level cache missed."""

    def __init__(self, lines: int) -> None:
        self.capacity = lines
        self.shadow: OrderedDict[int, None] = OrderedDict()
        self.touched: set[int] = set()
        self.counts = [0, 0, 0, 0]

    def touch(self, line: int, allocate: bool) -> int:
        """The kind that a miss of this line would be of."""
        kind = CONFLICT if line in self.shadow else CAPACITY if line in self.touched else COLD
        self.touched.add(line)
        if line in self.shadow or allocate:
            self.shadow[line] = None
            self.shadow.move_to_end(line)
        if len(self.shadow) > self.capacity:
            self.shadow.popitem(last=False)
        return kind


class ReferenceCacheModel:
    """As `sonde.native.CacheCore`."""

    def __init__(self, settings: CacheSettings) -> None:
        self._settings = settings
        seeds = [(settings.seed + number) & _WORD for number in range(_INSTRUCTION + 1)]
        self._levels = [
            CacheLevel(geometry, settings.policy, seed) for geometry, seed in zip(settings.levels, seeds, strict=False)
        ]
        self._instruction = CacheLevel(settings.instruction, settings.policy, seeds[_INSTRUCTION])
        first, other = settings.levels[0], settings.instruction
        self._data_kinds = MissKinds(first.size_bytes // first.line_bytes)
        self._fetch_kinds = MissKinds(other.size_bytes // other.line_bytes)
        self._references = [0, 0, 0]

    def access(self, addresses: Any, sizes: Any = None, operations: Any = None) -> None:
        """As `CacheCore.access`."""
        self.depths(addresses, sizes, operations)

    def depths(self, addresses: Any, sizes: Any = None, operations: Any = None) -> bytes:
        """As `CacheCore.depths`."""
        where = _column(addresses, 8, "addresses")
        how_much = _column(sizes, 1, "sizes") if sizes is not None else [1] * len(where)
        what = _column(operations, 1, "operations") if operations is not None else [LOAD] * len(where)
        if not len(where) == len(how_much) == len(what):
            raise ValueError("the columns differ in length")
        found = bytearray()
        for address, size, operation in zip(where, how_much, what, strict=True):
            kind = operation if operation <= FETCH else LOAD
            self._references[kind] += 1
            found.append(self._refer(address, min(address + max(size, 1) - 1, _WORD), kind))
        return bytes(found)

    def counts(self) -> tuple[int, ...]:
        """As `CacheCore.counts`."""
        numbers = [*self._references, *self._data_kinds.counts, *self._fetch_kinds.counts]
        for level in (self._instruction, *self._levels):
            numbers += [*level.misses, level.write_backs]
        return tuple(numbers)

    def lines(self, level: int) -> bytes:
        """As `CacheCore.lines`."""
        if not (level == _INSTRUCTION or 0 <= level < len(self._levels)):
            raise ValueError("there is no such level")
        it = self._instruction if level == _INSTRUCTION else self._levels[level]
        held = (line for where in it.sets for line in where.ways if line is not None)
        return array("Q", (line.number * it.line_bytes for line in held)).tobytes()

    def _way_of(self, operation: int) -> list[CacheLevel]:
        return [self._instruction if operation == FETCH else self._levels[0], *self._levels[1:]]

    def _refer(self, first_byte: int, last_byte: int, operation: int) -> int:
        way = self._way_of(operation)
        depth, kinds = 0, []
        if self._settings.inclusion == "exclusive":
            for line in _lines(way[0], first_byte, last_byte):
                kind, line_depth = self._classify(line, operation), self._refer_exclusively(way, line, operation)
                depth = max(depth, line_depth)
                kinds += [kind] if line_depth else []
        else:
            while depth < len(way):
                missed = self._ask(way, depth, first_byte, last_byte, operation)
                if not missed:
                    break
                kinds += missed
                depth += 1
        for level in way[:depth]:
            level.misses[operation] += 1
        if depth and self._settings.classify:
            (self._fetch_kinds if operation == FETCH else self._data_kinds).counts[kinds[0]] += 1
        return depth

    def _classify(self, line: int, operation: int) -> int:
        kinds = self._fetch_kinds if operation == FETCH else self._data_kinds
        return kinds.touch(line, self._allocates(operation)) if self._settings.classify else UNKNOWN

    def _allocates(self, operation: int) -> bool:
        return self._settings.write_allocate or operation != STORE

    def _ask(self, way: list[CacheLevel], number: int, first_byte: int, last_byte: int, operation: int) -> list[int]:
        """One level for all lines. The kinds of those that it does not have."""
        level, missed = way[number], []
        dirty = operation == STORE and (number == 0 or not self._settings.write_allocate)
        for line in _lines(level, first_byte, last_byte):
            kind = self._classify(line, operation) if number == 0 else UNKNOWN
            if level.touch(line, dirty):
                continue
            missed.append(kind)
            evicted = level.fill(line, dirty) if self._allocates(operation) else None
            if evicted is not None:
                self._follow_up(level, number, evicted)
        return missed

    def _follow_up(self, level: CacheLevel, number: int, evicted: CachedLine) -> None:
        if self._settings.inclusion == "inclusive" and number > 0:
            for above in (self._instruction, *self._levels[:number]):
                copy = above.remove(evicted.number)
                if copy is not None and copy.dirty:
                    above.write_backs += 1
                    evicted.dirty = True
        if not evicted.dirty:
            return
        level.write_backs += 1
        for below in self._levels[number + 1 :]:
            held = below.get(evicted.number * level.line_bytes // below.line_bytes)
            if held is not None:
                held.dirty = True
                return

    def _refer_exclusively(self, way: list[CacheLevel], line: int, operation: int) -> int:
        if way[0].touch(line, operation == STORE):
            return 0
        if not self._allocates(operation):
            return next((n for n in range(1, len(way)) if way[n].touch(line, True)), len(way))
        depth = next((n for n in range(1, len(way)) if way[n].get(line)), len(way))
        moved = way[depth].remove(line) if depth < len(way) else None
        leaving = way[0].fill(line, operation == STORE or (moved is not None and moved.dirty))
        other = self._levels[0] if operation == FETCH else self._instruction
        shared = other.get(leaving.number) if leaving is not None else None
        if leaving is not None and shared is not None:
            shared.dirty |= leaving.dirty
            return depth
        for number, level in enumerate(way):
            if leaving is None:
                break
            level.write_backs += leaving.dirty
            leaving = way[number + 1].fill(leaving.number, leaving.dirty) if number + 1 < len(way) else None
        return depth


def _lines(level: CacheLevel, first_byte: int, last_byte: int) -> range:
    return range(first_byte // level.line_bytes, last_byte // level.line_bytes + 1)


def _column(buffer: Any, item_bytes: int, what: str) -> Sequence[int]:
    view = memoryview(buffer)
    if view.itemsize != item_bytes:
        raise ValueError(f"{what} has items of {view.itemsize} bytes, expected {item_bytes}")
    return list(view.cast("B").cast("Q" if item_bytes == 8 else "B"))


def _mixed(seed: int) -> int:
    seed = seed + 0x9E3779B97F4A7C15 & _WORD
    seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    seed = (seed ^ seed >> 27) * 0x94D049BB133111EB & _WORD
    return seed ^ seed >> 31 or 1
