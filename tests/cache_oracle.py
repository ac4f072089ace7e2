"""What a cache misses, from the definition of LRU: by distances in the stream, without a cache.

A line is missed when it was not used before, or when as many other lines of its set as there are ways were used since.
"""

from collections.abc import Iterable, Sequence


class LruByDistance:
    """One cache."""

    def __init__(self, size_bytes: int, ways: int, line_bytes: int) -> None:
        self.ways = ways
        self.line_bytes = line_bytes
        self.sets = size_bytes // (ways * line_bytes)
        self.uses: dict[int, list[int]] = {}
        """By set, all lines in the order of use."""

    def misses(self, address: int, size: int) -> bool:
        """Whether one of the reference's lines is missed."""
        lines = range(address // self.line_bytes, (address + max(size, 1) - 1) // self.line_bytes + 1)
        return sum(self._misses_line(line) for line in lines) > 0  # all of them are used

    def _misses_line(self, line: int) -> bool:
        uses = self.uses.setdefault(line % self.sets, [])
        since: set[int] = set()
        found = False
        for used in reversed(uses):
            if used == line:
                found = True
                break
            since.add(used)
        uses.append(line)
        return not found or len(since) >= self.ways


def depths_by_distance(
    caches: Sequence[tuple[int, int, int]],
    instruction: tuple[int, int, int],
    references: Iterable[tuple[int, int, int]],
) -> list[int]:
    """How many levels each reference misses; `references` are address, size, operation (2: instruction)."""
    levels = [LruByDistance(*cache) for cache in caches]
    of_instructions = LruByDistance(*instruction)
    depths = []
    for address, size, operation in references:
        depth = 0
        for level in [of_instructions if operation == 2 else levels[0], *levels[1:]]:
            if not level.misses(address, size):
                break
            depth += 1
        depths.append(depth)
    return depths
