"""`examples/memory/heap_alone.py` simulates both what is accessed and objects alone, as LRU is defined."""

import random
from pathlib import Path

from cache_oracle import depths_by_distance
from sonde.instruments.memory.toolkit import compile_tool
from sonde.instruments.memory.toolkit.host import Event, Location, run_on_events

HEAP_ALONE = Path(__file__).parents[5] / "examples/memory/heap_alone.py"
L1, L2 = (32 << 10, 4, 32), (1 << 20, 8, 128)
STRIDE = 8 << 10
"""Lines so far apart share a set of L1; 16 times as far, one of L2."""


def accesses(count: int) -> list[Event]:
    """Of objects and of the stack, in few sets, so that lines push each other out."""
    draw = random.Random(7)
    kinds = [draw.choice(("object:access", "nonobject:access")) for _ in range(count)]
    return [
        Event(kind, Location(address=draw.randrange(40) * draw.choice((STRIDE, 16 * STRIDE)), size=8)) for kind in kinds
    ]


def test_objects_alone_have_caches_of_their_own() -> None:
    stream = accesses(1500)

    results = run_on_events(compile_tool(HEAP_ALONE), stream)

    for name, seen in {
        "everything": stream,
        "objects": [event for event in stream if event.join_point == "object:access"],
    }.items():
        references = [(event.location.address, event.location.size, 0) for event in seen]
        depths = depths_by_distance([L1, L2], L1, references)
        misses = (sum(depth >= 1 for depth in depths), sum(depth >= 2 for depth in depths))
        assert results.caches[name].accesses == len(seen)
        assert results.caches[name].misses == misses
        assert len(seen) > misses[0] > misses[1] > 200
