"""An address trace through caches: what the same accesses miss elsewhere."""

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sonde.base.cache_geometry import CacheSettings
from sonde.native import CacheCounts, CacheModel
from sonde.trace import AddressTrace, AddressTraceEnding

_OPERATIONS = bytes((0, 1, 0, 2)) + bytes(252)
"""Of a load, a store, what loads and stores (one access, a load), and a fetch, as the model calls them."""
_LARGEST = 255
"""Bytes of an access that the model is told of; only some instructions that save registers have more."""


class Replayed(NamedTuple):
    """What several hierarchies of caches missed of one trace."""

    counts: tuple[CacheCounts, ...]
    """Of each."""
    ending: AddressTraceEnding


def replay_addresses(path: Path, settings: Sequence[CacheSettings]) -> Replayed:
    """Send all accesses of a trace through caches.

    Raises:
        InputError: as `AddressTrace`.
    Guarantee: with the caches of the run, as many misses of D1 as the run had.
    Cost: O(n) for n accesses, some 20 to 100 ns each for each hierarchy; bounded memory.
    """
    trace = AddressTrace(path)
    models = [CacheModel(each) for each in settings]
    for batch in trace:
        operations = batch.kind.tobytes().translate(_OPERATIONS)
        sizes = _sizes(batch.size)
        for model in models:
            model.access(batch.address, sizes, operations)
    assert trace.ending is not None  # it was read
    return Replayed(tuple(model.counts() for model in models), trace.ending)


def _sizes(sizes: "array[int]") -> bytes:
    """One byte for each."""
    column = sizes.tobytes()  # little-endian, as traces are
    low, high = column[::2], column[1::2]
    return bytes(min(size, _LARGEST) for size in sizes) if any(high) else low
