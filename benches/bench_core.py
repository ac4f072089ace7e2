"""Speed of the native context tree, its slow twin, and how far each sibling order searches.

    python benches/bench_core.py

Streams: the calls of a real program (writing syntax trees back to source), recorded by a
Python profile function; and a synthetic one of a million contexts.
"""

import ast
import inspect
import random
import statistics
import sys
import textwrap
import time
from types import FrameType

from sonde._native import ContextTree
from sonde.events import EventBatch
from sonde.native.reference import ReferenceContextTree

ROUNDS = 7


def recorded_stream() -> EventBatch:
    """Calls and returns of `ast.unparse`, three times over."""
    tree = ast.parse(inspect.getsource(textwrap))
    batch = EventBatch()
    numbers: dict[object, int] = {}

    def on_event(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            line = frame.f_back.f_lineno if frame.f_back else 0
            number = numbers.setdefault(frame.f_code, len(numbers))
            batch.enter(thread=0, function=number, call_line=line or 0, time_ns=len(batch))
        elif event == "return":
            batch.leave(thread=0, time_ns=len(batch))

    sys.setprofile(on_event)
    for _ in range(3):
        ast.unparse(tree)
    sys.setprofile(None)
    return batch


def wide_stream(contexts: int) -> EventBatch:
    """A random walk that makes about this many contexts."""
    draw = random.Random(0)
    batch, depth = EventBatch(), 0
    while len(batch) < 3 * contexts:
        if depth < 30 and (depth < 3 or draw.random() < 0.52):
            batch.enter(thread=0, function=draw.randrange(40), call_line=1, time_ns=len(batch))
            depth += 1
        else:
            batch.leave(thread=0, time_ns=len(batch))
            depth -= 1
    return batch


def nanoseconds_per_event(tree: ContextTree | ReferenceContextTree, batch: EventBatch) -> float:
    start = time.perf_counter_ns()
    tree.feed(batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
    return (time.perf_counter_ns() - start) / len(batch)


def siblings_looked_at(batch: EventBatch, *, move_to_front: bool) -> float:
    """Mean length of the search for a child, over all calls that find one."""
    children: dict[int, list[tuple[int, int, int]]] = {0: []}
    last: dict[int, int] = {}
    stack, made, searched, found = [0], 0, 0, 0
    for kind, function, line in zip(batch.kind, batch.function, batch.call_line, strict=True):
        if kind != 1:
            if len(stack) > 1:
                stack.pop()
            continue
        at = stack[-1]
        ring = children[at]
        start = 0 if move_to_front else last.get(at, 0)
        for step in range(len(ring)):
            place = (start + step) % len(ring)
            if ring[place][:2] == (function, line):
                searched += step + 1
                found += 1
                last[at] = place
                child = ring[place][2]
                if move_to_front:
                    ring.insert(0, ring.pop(place))
                break
        else:
            made += 1
            child = made
            children[child] = []
            place = 0 if move_to_front or not ring else last.get(at, 0) + 1
            ring.insert(place, (function, line, child))
            last[at] = place
        stack.append(child)
    return searched / max(1, found)


def main() -> None:
    for name, batch in (("ast.unparse", recorded_stream()), ("1,000,000 contexts", wide_stream(1_000_000))):
        native = [nanoseconds_per_event(ContextTree(), batch) for _ in range(ROUNDS)]
        twin = [nanoseconds_per_event(ReferenceContextTree(), batch)]
        low, middle, high = statistics.quantiles(native, n=4)
        print(f"{name}: {len(batch):,} events")
        print(f"  native {middle:.1f} ns per event [{low:.1f}, {high:.1f}], slow twin {twin[0]:.0f} ns")
        ring, front = (siblings_looked_at(batch, move_to_front=choice) for choice in (False, True))
        print(f"  siblings looked at per call found: ring {ring:.2f}, move to front {front:.2f}")


if __name__ == "__main__":
    main()
