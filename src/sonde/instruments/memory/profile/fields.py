"""Which part of objects misses the caches: by type, and by word within the object."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonde.instruments.memory.profile.rows import NO_PLACE, TypeMisses, add_counts, are_misses

TO_THE_END = 0
"""The size of a field that has all that is left of an object."""


@dataclass(frozen=True, slots=True)
class FieldMisses:
    """Misses on one word of the objects of a type, and how many of a sample of all accesses were of it.

    An access counts for the word that it begins in.
    """

    type: int
    site: int
    """Number of a place, of blocks of malloc and operator new; `NO_PLACE` for all objects of the type."""
    offset: int
    """Bytes from the reference count on, or from where a block begins; below 0: before the reference count."""
    size_bytes: int
    """`TO_THE_END` for the items of an array, and for what lies far behind."""
    name: str
    """Empty when it is not known."""
    misses: tuple[int, ...]
    sampled_loads: int = 0
    sampled_stores: int = 0

    @property
    def sampled(self) -> int:
        """Loads and stores."""
        return self.sampled_loads + self.sampled_stores

    @property
    def bytes(self) -> str:
        """Which bytes of the object it is.

        >>> FieldMisses(0, NO_PLACE, 24, 8, "value", (1,)).bytes, FieldMisses(0, NO_PLACE, 512, 0, "", (1,)).bytes
        ('24-31', 'from 512')
        """
        if self.size_bytes == TO_THE_END:
            return f"from {self.offset}"
        last = self.offset + self.size_bytes - 1
        return f"{self.offset} to {last}" if self.offset < 0 else f"{self.offset}-{last}"


def broken_fields(
    fields: Sequence[FieldMisses], line_types: Sequence[TypeMisses], *, levels: int, places: int, types: int
) -> Iterator[str]:
    """What is wrong with the fields: each is there once, and those of a type have no more than lines have on it."""
    seen: set[tuple[int, int, int, int, str]] = set()
    sums: dict[int, list[int]] = defaultdict(lambda: [0] * (levels + 2))
    for each in fields:
        key = (each.type, each.site, each.offset, each.size_bytes, each.name)
        if not (0 <= each.type < types and NO_PLACE <= each.site < places) or key in seen:
            yield f"fields name type {each.type} and site {each.site}, which are not there, or byte {each.offset} twice"
            continue
        seen.add(key)
        if not are_misses(each.misses, levels) or min(each.sampled_loads, each.sampled_stores, each.size_bytes) < 0:
            yield (
                f"byte {each.offset} of type {each.type} has {each.size_bytes} bytes, misses {each.misses} of {levels}"
                f" levels, {each.sampled_loads} loads and {each.sampled_stores} stores that were sampled"
            )
            continue
        add_counts(sums[each.type], (*each.misses, each.sampled_loads, each.sampled_stores))
    if not sums:
        return
    by_lines: dict[int, list[int]] = defaultdict(lambda: [0] * (levels + 2))
    for row in line_types:
        if len(row.misses) == levels:
            add_counts(by_lines[row.type], (*row.misses, row.sampled_loads, row.sampled_stores))
    for kind, found in sums.items():
        if any(part > whole for part, whole in zip(found, by_lines[kind], strict=True)):
            yield f"fields of type {kind} have {found} misses and samples, more than lines have on it: {by_lines[kind]}"
