"""What the numbers of a routine's paths mean: its blocks, the edges between them, and the way that each path takes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from sonde.base.errors import InputError
from sonde.flow import Path, PathNumbering


class RoutineBlock(NamedTuple):
    """Code that runs from its beginning to its end."""

    lines: tuple[int, ...]
    """Of the routine's file, in order, none twice in a row; of code that was inlined from others, those of the
    calls."""
    successors: tuple[int, ...]
    """Numbers of the blocks that may follow."""
    handlers: tuple[int, ...] = ()
    """Those of them that only exceptions lead to."""
    inlined: tuple[str, ...] = ()
    """Functions whose code is in the block, with where: `clamp (pixel.h:12)`."""


class Way(NamedTuple):
    """The way of one acyclic path."""

    blocks: tuple[int, ...]
    leads_to: int | None
    """The block that the next path begins with, when an edge of the path leads there."""

    @classmethod
    def of(cls, path: Path, numbering: PathNumbering) -> "Way":
        """The way of a path that was decoded."""
        last = path.edges[-1] if path.edges else None
        leads_to = numbering.graph.target(last) if last is not None and last in numbering.cut else None
        return cls(path.blocks(numbering), leads_to)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs of blocks, the edge that ends the path included."""
        after = (*self.blocks[1:], *(() if self.leads_to is None else (self.leads_to,)))
        return list(zip(self.blocks, after, strict=False))

    @property
    def is_iteration(self) -> bool:
        """Whether it ends where it began: once around a loop."""
        return self.leads_to == self.blocks[0]


@dataclass(frozen=True, slots=True)
class RoutineCode:
    """The control-flow graph of a routine, and the ways of the paths that it took.

    >>> code = RoutineCode((RoutineBlock((3,), (1, 2)), RoutineBlock((4,), (0,)), RoutineBlock((5,), ())))
    >>> code = RoutineCode(code.blocks, {0: Way((0, 1), 0), 1: Way((0, 2), None)})
    >>> code.lines(1), code.edge_counts({0: 9, 1: 1})
    ((3, 5), {(0, 1): 9, (1, 0): 9, (0, 2): 1})
    """

    blocks: tuple[RoutineBlock, ...] = ()
    """(n_blocks,); block 0 is the entry."""
    ways: Mapping[int, Way] = field(default_factory=dict)
    """By path: those that were taken."""

    def __bool__(self) -> bool:
        return bool(self.blocks)

    def lines(self, path: int) -> tuple[int, ...]:
        """The lines that a path comes by, in order; empty if it is not known."""
        way = self.ways.get(path)
        lines = () if way is None else (line for block in way.blocks for line in self.blocks[block].lines)
        return tuple(line for line, _ in groupby(lines))

    def block_counts(self, taken: Mapping[int, int]) -> list[int]:
        """(n_blocks,) how often each block was entered.

        Args:
            taken: path -> how often.
        """
        counts = [0] * len(self.blocks)
        for path, count in taken.items():
            for block in self.ways[path].blocks:
                counts[block] += count
        return counts

    def edge_counts(self, taken: Mapping[int, int]) -> dict[tuple[int, int], int]:
        """How often each edge was taken, of those that were.

        Edges are not there out of blocks that end paths before it is known which edge is taken (computed jumps).

        Args:
            taken: path -> how often.
        """
        counts: dict[tuple[int, int], int] = {}
        for path, count in taken.items():
            for edge in self.ways[path].edges:
                counts[edge] = counts.get(edge, 0) + count
        return counts

    def line_counts(self, taken: Mapping[int, int]) -> dict[int, int]:
        """Line -> how often it was come by: as often as the block of it that ran most.

        Args:
            taken: path -> how often.
        """
        counts: dict[int, int] = {}
        for block, count in zip(self.blocks, self.block_counts(taken), strict=True):
            for line in block.lines:
                counts[line] = max(counts.get(line, 0), count)
        return counts

    def check_valid(self, paths: Iterable[int]) -> None:
        """Refuse what is no such graph.

        Args:
            paths: that were taken.
        Raises:
            InputError: `corrupt-profile`. Successors, handlers or ways name blocks that are not there, or edges; a path
                that was taken has no way.
        """
        known = range(len(self.blocks))
        targets = [set(block.successors) for block in self.blocks]
        if any(target not in known for block in self.blocks for target in block.successors):
            raise InputError("cannot use these paths: an edge leads to no block", slug="corrupt-profile")
        if any(not targets[at] >= set(block.handlers) for at, block in enumerate(self.blocks)):
            raise InputError("cannot use these paths: a handler follows no block", slug="corrupt-profile")
        for path, way in self.ways.items():
            inside = bool(way.blocks) and all(block in known for block in way.blocks)
            if not inside or any(target not in targets[source] for source, target in way.edges):
                raise InputError(f"cannot use these paths: path {path} has no way", slug="corrupt-profile")
        if self.blocks and any(path not in self.ways for path in paths):
            raise InputError("cannot use these paths: the way of one is missing", slug="corrupt-profile")
