"""What path probes count: the numbers of paths, what they mean, and where their counts are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sonde.flow import PathNumbering
from sonde.ir import SourceFrame, SourceFrames


@dataclass(frozen=True, slots=True)
class FunctionPaths:
    """The paths of a function with probes."""

    name: str
    """With sigil."""
    numbering: PathNumbering
    blocks: tuple[str, ...]
    """(n_blocks,) names, as of the module when the probes were put in. What follows a call that may return twice is a
    block of its own, which begins with that call."""
    locations: tuple[tuple[int, ...], ...]
    """(n_blocks,) the debug locations in each, in the order of the instructions, one for several in a row."""
    first: int
    """The counter of path 0."""
    in_array: int
    """Paths with lower numbers have a counter each, one after the other; others have keys."""
    first_key: int
    """The key of the first of them."""
    begun: int | None
    """The counter of how often a path began at the function's entry, or after a call that returned once more; None: no
    path can be left midway but by the end of the process."""
    again: frozenset[int]
    """The blocks that begin with such a call."""
    cut_blocks: tuple[str, ...] = ()
    """Where paths end and others begin for no other reason than that there are too many."""
    landing_pads: frozenset[int] = frozenset()
    """The blocks that exceptions lead to."""
    row: int = 0
    """Of sequences: how many words the row of its node has (`native/probes/path_forests.h`)."""

    @property
    def has_keys(self) -> bool:
        """Whether some of its paths have keys."""
        return self.in_array < self.numbering.paths

    def counts(self, counters: Sequence[int], by_key: Mapping[int, int]) -> dict[int, int]:
        """Path -> how often it was taken, of those that were.

        Args:
            counters, by_key: of all functions, see `sonde.native.PathCounts`.
        """
        own = counters[self.first : self.first + self.in_array]
        found = {number: count for number, count in enumerate(own) if count}
        number = self.in_array - self.first_key  # of key 0
        if self.has_keys:
            end = self.numbering.paths - number
            found |= {key + number: count for key, count in by_key.items() if self.first_key <= key < end}
        return found

    def lost(self, counts: Mapping[int, int], counters: Sequence[int]) -> int:
        """How many paths were left midway, by exceptions, `longjmp` or the end of the thread, and so not counted.

        Args:
            counts: of this function.
        """
        if self.begun is None:
            return 0
        ended = sum(count for number, count in counts.items() if self.is_end(number))
        return counters[self.begun] - ended

    def names(self, number: int) -> tuple[str, ...]:
        """The blocks of a path."""
        return tuple(self.blocks[block] for block in self.numbering.decode(number).blocks(self.numbering))

    def places(self, number: int, frames: SourceFrames) -> list[tuple[SourceFrame, ...]]:
        """Where in the source a path comes by: inline stacks, innermost first, one for several of one line in a row.

        Args:
            frames: of the module that the probes were put into.
        """
        found: list[tuple[SourceFrame, ...]] = []
        lines: list[tuple[tuple[str, str, int], ...]] = []
        for block in self.numbering.decode(number).blocks(self.numbering):
            for location in self.locations[block]:
                stack = frames.of(location)
                line = tuple((each.function, each.file, each.line) for each in stack)
                if stack[0].line and lines[-1:] != [line]:
                    found.append(stack)
                    lines.append(line)
        return found

    def is_end(self, number: int) -> bool:
        """Whether the function ends with a path, or what it leads to counts once more what begins."""
        graph, path = self.numbering.graph, self.numbering.decode(number)
        last = path.edges[-1] if path.edges else None
        if last is not None and last in self.numbering.cut:
            return graph.target(last) in self.again
        block = path.start if last is None else graph.target(last)
        return not graph.successors[block]


@dataclass(frozen=True, slots=True)
class ProbedPaths:
    """What a module with path probes counts."""

    functions: tuple[FunctionPaths, ...]
    counters: int
    """How many there are: `sn_paths_plan.counters`."""
    left_out: tuple[tuple[str, str], ...]
    """Functions without probes, and why."""
