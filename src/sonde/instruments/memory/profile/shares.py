"""Shares of a memory profile: what is attributed to what, what the heap has, how often a cache is missed."""

from dataclasses import dataclass

from sonde.instruments.memory.profile.memory_profile import LineAccesses, MemoryKind, MemoryProfile

HEAP_KINDS: tuple[MemoryKind, ...] = ("object", "block", "heap")
"""Memory that somebody allocated."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Of how many accesses something is known. What is not attributed is the difference to `accesses`."""

    accesses: int
    with_function: int
    """Native code with a name, or any while a Python function ran: at least so many."""
    with_line: int
    """Native code with a line, or any while a Python line ran: at least so many."""
    with_object: int
    """On an object, a block or a region with a name."""


@dataclass(frozen=True, slots=True)
class HeapShare:
    """What of all accesses and misses fell on the heap."""

    accesses: int
    misses: tuple[int, ...]
    of_accesses: int
    of_misses: tuple[int, ...]

    @property
    def share(self) -> float:
        """Of the accesses; 0 when there are none."""
        return miss_rate(self.accesses, self.of_accesses)

    @property
    def overestimates(self) -> tuple[float, ...]:
        """How many times too high miss rates, per level, would be if heap accesses were taken for all there are.

        1.0 where there is nothing to compare.
        """
        rates = ((miss_rate(*pair), miss_rate(*of)) for pair, of in self._levels())
        return tuple(heap / real if real else 1.0 for heap, real in rates)

    def _levels(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        pairs = zip(self.misses, self.of_misses, strict=True)
        return [((misses, self.accesses), (of, self.of_accesses)) for misses, of in pairs]


def miss_rate(misses: int, references: int) -> float:
    """Misses per reference, 0 when there was none.

    >>> miss_rate(3, 12), miss_rate(0, 0)
    (0.25, 0.0)
    """
    return misses / references if references else 0.0


def heap_share(profile: MemoryProfile) -> HeapShare:
    """How much of what was accessed is on the heap: objects, blocks, and what belongs to no block.

    Cost: O(n) for n classes.
    """
    levels = range(len(profile.data_levels))
    heap = [each for each in profile.classes if profile.types[each.type].kind in HEAP_KINDS]
    return HeapShare(
        accesses=sum(each.accesses for each in heap),
        misses=tuple(sum(each.misses[level] for each in heap) for level in levels),
        of_accesses=sum(each.accesses for each in profile.classes),
        of_misses=tuple(sum(each.misses[level] for each in profile.classes) for level in levels),
    )


def attribution(profile: MemoryProfile) -> Attribution:
    """How many accesses are attributed to a function, a line, an object or region.

    An access may have a native and a Python line. How many have at least one is not recorded, so the larger of the two
    counts stands for it.

    Guarantee: no share is more than the truth.
    Cost: O(n) for n places and classes.
    """
    python = sum(map(_accesses, profile.python_lines))
    named = lined = 0
    for each in profile.native_lines:
        function, line = profile.places[each.place].frames[0]
        if is_named(profile.functions[function].name):
            named += _accesses(each)
        if line:
            lined += _accesses(each)
    return Attribution(
        accesses=profile.accesses,
        with_function=max(named, python),
        with_line=max(lined, python),
        with_object=sum(each.accesses for each in profile.classes if profile.types[each.type].kind != "unknown"),
    )


def is_named(name: str) -> bool:
    """Whether the name of a function says anything: code without symbols has none, or question marks.

    >>> is_named("main"), is_named("???"), is_named("")
    (True, False, False)
    """
    return bool(name.strip("?"))


def _accesses(line: LineAccesses) -> int:
    return line.loads + line.stores
