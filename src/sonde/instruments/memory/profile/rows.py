"""The rows of a memory profile: caches, code, memory, and what was counted of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

MemoryKind = Literal["object", "block", "stack", "frames", "global", "heap", "mapping", "code", "unknown"]
"""`object`: instances of a class. `block`: allocated memory without a type. `stack`: of a thread. `frames`: the
interpreter's own stack of Python frames. `global`: variables of programs and libraries. `heap`: memory of allocators
that belongs to no block. `mapping`: files and anonymous memory. `code`: constants between machine code."""
MEMORY_KINDS: tuple[MemoryKind, ...] = get_args(MemoryKind)
CACHE_NAMES = ("I1", "D1", "L2", "L3")
"""In the order in which a profile lists those that it has."""
MOST_BINS = 64
"""Of lifetimes: they are 64-bit numbers."""
MOST_OBJECTS = 1_000
"""A profile tells of so many single objects, those with the most misses."""

NO_PLACE = -1
"""The allocation site of what was there before, and of regions."""
NO_CALLER = -1
"""The parent of the outermost contexts."""
NO_FUNCTION = -1
"""What runs in the context of all that was done while no Python function ran."""


@dataclass(frozen=True, slots=True)
class CacheLevel:
    """One simulated cache."""

    name: str
    """`I1`, `D1`, `L2`, `L3`."""
    size_bytes: int
    ways: int
    line_bytes: int


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A line of code, with what it was inlined into."""

    frames: tuple[tuple[int, int], ...]
    """(number of the function, line), innermost first, at least one; line 0 is unknown."""


@dataclass(frozen=True, slots=True)
class LineAccesses:
    """What one place of code did."""

    place: int
    loads: int
    """Including instructions that load and store one address."""
    stores: int
    misses: tuple[int, ...]
    """Per data level, first the nearest."""
    instructions: int = 0
    """Executed; 0 in the Python layer."""
    fetch_misses: tuple[int, ...] = ()
    """I1 and the levels behind it."""


@dataclass(frozen=True, slots=True)
class MemoryType:
    """A class of objects, or a region."""

    kind: MemoryKind
    name: str


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long objects were in use: accesses, of all memory, from birth to last use."""

    counts: tuple[int, ...] = ()
    """Objects per bin: bin 0 were never accessed, bin b lived at least 2**(b-1) and less than 2**b accesses. The last
    bin is not empty."""
    total: int = 0
    """Sum of all lifetimes, in accesses."""

    @property
    def objects(self) -> int:
        """How many objects the distribution is of."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class ObjectClass:
    """All objects of one type that one place made; or one region."""

    type: int
    site: int
    """Number of a place, or `NO_PLACE`."""
    born: int
    """In a window: what was there before counts here no more than in `freed` and `size_bytes`."""
    freed: int
    size_bytes: int
    """Sum over the objects, each as large as it ever was."""
    accesses: int
    misses: tuple[int, ...]
    lifetimes: Lifetimes = field(default_factory=Lifetimes)


@dataclass(frozen=True, slots=True)
class TypeMisses:
    """Misses of one place of code on one type, and how many of a sample of all accesses were of it."""

    place: int
    type: int
    misses: tuple[int, ...]
    sampled_loads: int = 0
    """Of the accesses that were drawn, which the total `sampled` counts."""
    sampled_stores: int = 0

    @property
    def sampled(self) -> int:
        """Loads and stores."""
        return self.sampled_loads + self.sampled_stores


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What was done in a Python function that was called in another context, by whatever code."""

    parent: int
    """Position of the caller's context, or `NO_CALLER`."""
    function: int
    """Number of the function, or `NO_FUNCTION`."""
    accesses: int
    """Its own: without those of the contexts below it; likewise `misses`."""
    misses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TrackedObject:
    """One object among those with the most misses."""

    type: int
    site: int
    number: int
    """The how many-th birth of the run it was."""
    birth: int
    """Accesses that had been made."""
    last_use: int
    size_bytes: int
    accesses: int
    misses: tuple[int, ...]
    alive: bool


@dataclass(frozen=True, slots=True)
class Collections:
    """Garbage collections of one generation."""

    generation: int
    count: int
    accesses: int
    """Made by them."""


@dataclass(frozen=True, slots=True)
class MemoryRun:
    """How it was measured."""

    command: tuple[str, ...]
    started_at: str
    """ISO 8601, UTC."""
    duration_ns: int
    ended: str
    """`exited N`, `killed by SIGNAL`, `still running`, `cut off`."""
    machine: str
    sonde_version: str
    tool: str
    """What was measured with: `valgrind 3.19.0, sonde's tool`."""
    complete: bool = True


def add_counts(sums: list[int], counts: Sequence[int]) -> None:
    """Add as many numbers to sums, in place."""
    for number, count in enumerate(counts):
        sums[number] += count


def are_misses(misses: tuple[int, ...], levels: int, references: int | None = None) -> bool:
    """One number per level, none more than what reaches the level."""
    if len(misses) != levels:
        return False
    if not misses:
        return True
    if misses[-1] < 0 or (references is not None and misses[0] > references):
        return False
    return sorted(misses, reverse=True) == [*misses]
