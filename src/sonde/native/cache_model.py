"""A hierarchy of caches that is told of memory references, in batches, and counts what they missed."""

from dataclasses import dataclass
from typing import Any

from sonde.base.cache_geometry import CacheSettings
from sonde.native.choice import new_cache_core


@dataclass(frozen=True, slots=True)
class LevelCounts:
    """What one cache missed, in references, and the dirty lines that left it."""

    load_misses: int
    store_misses: int
    fetch_misses: int
    write_backs: int

    @property
    def misses(self) -> int:
        """Of all references."""
        return self.load_misses + self.store_misses + self.fetch_misses


@dataclass(frozen=True, slots=True)
class KindCounts:
    """Misses of a first-level cache by kind (native/core/caches/miss_kinds.h); zeros if they were not classified."""

    cold: int
    capacity: int
    conflict: int
    unknown: int


@dataclass(frozen=True, slots=True)
class CacheCounts:
    """References, and what each cache missed. A reference to two lines is one reference, and one miss at most."""

    loads: int
    stores: int
    fetches: int
    data_kinds: KindCounts
    fetch_kinds: KindCounts
    instruction: LevelCounts
    levels: tuple[LevelCounts, ...]


class CacheModel:
    """Caches that are empty at first; see native/core/caches/cache_model.h for what they do.

    May be used from several threads; batches are then taken one after another.

    Cost: 5 to 15 ns for a reference that hits the first level, 60 to 120 ns for one that does not, 20 to 30 ns more
        with `classify`; 17 bytes of memory for each line of each cache; with `classify` also 16 to 43 bytes for
        each 64 lines that were ever touched. The native core does not hold the interpreter's lock.

    >>> from array import array
    >>> from sonde.base.cache_geometry import CacheSettings, parse_geometry
    >>> model = CacheModel(CacheSettings(parse_geometry("32K,8,64"), (parse_geometry("32K,8,64"),)))
    >>> model.access(array("Q", range(0, 4096, 8))).levels[0].load_misses
    64
    """

    def __init__(self, settings: CacheSettings) -> None:
        self.settings = settings
        self._core = new_cache_core(settings)

    def access(self, addresses: Any, sizes: Any = None, stores: Any = None) -> CacheCounts:
        """Refer to memory. The counts of this batch, or of several if threads feed this model at once.

        Args:
            addresses: a buffer of 64-bit items (`array('Q')`, NumPy's uint64).
            sizes: a buffer of bytes: how many each reference is to, 0 as 1; None: 1.
            stores: a buffer of bytes: 0 (and above 2) for a load, 1 for a store, 2 for an instruction that is read;
                None: loads.
        Raises:
            ValueError: items have other sizes, or there are not equally many; nothing was counted.
        """
        before = self._core.counts()
        self._core.access(addresses, sizes, stores)
        return _counts([after - was for after, was in zip(self._core.counts(), before, strict=True)])

    def depths(self, addresses: Any, sizes: Any = None, stores: Any = None) -> bytes:
        """As `access`, but how many levels missed each reference."""
        return self._core.depths(addresses, sizes, stores)

    def counts(self) -> CacheCounts:
        """Of all batches."""
        return _counts(list(self._core.counts()))

    def lines(self, level: int) -> memoryview:
        """The addresses of the lines that are in a level now (uint64), set by set.

        Args:
            level: a number from 0; 3 is the instruction cache.
        Raises:
            ValueError: there is no such level.
        """
        return memoryview(self._core.lines(level)).cast("Q")


def _counts(numbers: list[int]) -> CacheCounts:
    caches = [LevelCounts(*numbers[at : at + 4]) for at in range(11, len(numbers), 4)]
    kinds = KindCounts(*numbers[3:7]), KindCounts(*numbers[7:11])
    return CacheCounts(numbers[0], numbers[1], numbers[2], *kinds, caches[0], tuple(caches[1:]))
