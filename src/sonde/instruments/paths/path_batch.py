"""A part of a stream of paths: what sources yield and analyses take."""

from array import array
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class PathBatch:
    """Ids of acyclic paths in the order in which they were taken, and where activations of routines begin.

    A stream may be cut into batches anywhere: ids before the first activation of a batch are of the last one of the
    batch before.
    """

    ids: "array[int]" = field(default_factory=lambda: array("Q"))
    """(n_ids,) uint64."""
    begins: "array[int]" = field(default_factory=lambda: array("Q"))
    """(n_activations,) uint64: how many ids stand before each; ascending."""
    routines: "array[int]" = field(default_factory=lambda: array("I"))
    """(n_activations,) uint32: numbers of routines."""
