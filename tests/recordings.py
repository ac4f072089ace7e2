"""Traces written from streams of events, for tests of what reads them."""

from array import array
from collections.abc import Iterable
from pathlib import Path

from sonde.events import EventBatch
from sonde.trace import TraceAbout, TraceReader, TraceWriter


def write_trace(
    path: Path,
    stream: EventBatch,
    *,
    functions: int,
    finished: bool = True,
    about: TraceAbout = TraceAbout(clock="monotonic"),  # noqa: B008 # frozen
) -> Path:
    """Write a trace; function i is called `f<i>`.

    Args:
        finished: otherwise it is left as a killed program would leave it.
    """
    writer = TraceWriter(path, about)
    for number in range(functions):
        writer.function(f"f{number}", "app", "app.py", number + 1)
    writer.write(stream)
    if finished:
        writer.finish(ticks=max(stream.time_ns, default=0), ns=max(stream.time_ns, default=0))
    writer.abandon()
    return path


def read_back(path: Path) -> EventBatch:
    """All events of a trace, with the functions' numbers in it."""
    return joined(TraceReader(path))


def joined(batches: Iterable[EventBatch]) -> EventBatch:
    """Batches as one."""
    whole = EventBatch(array("B"), array("I"), array("I"), array("I"), array("Q"))
    for batch in batches:
        whole.kind.extend(batch.kind)
        whole.thread.extend(batch.thread)
        whole.function.extend(batch.function)
        whole.call_line.extend(batch.call_line)
        whole.time_ns.extend(batch.time_ns)
    return whole
