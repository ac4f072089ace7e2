"""Writing traces from events that are already there: for tests, tools and other recorders."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

import sonde._native
from sonde.base.errors import SondeError
from sonde.events import EventBatch
from sonde.trace.trace_about import CLOCKS, TraceAbout


class TraceWriter:
    """Writes one trace; leaving the block without an error finishes it.

    With an error, or without `finish`, the trace is left as a killed program would leave it: readable, and
    without an end. Programs are recorded by the agent, which uses the same writer without Python.

    Args:
        path: a file that does not exist.
        about: what is written into the header; `ns_per_tick` and `end_ns` do not matter.
    Raises:
        SondeError: `cannot-write`.
    """

    def __init__(self, path: Path, about: TraceAbout | None = None) -> None:
        about = about or TraceAbout()
        try:
            self._native = sonde._native.TraceWriter(
                path=os.fsencode(path.absolute()),
                clock=CLOCKS.index(about.clock),
                unit_shift=about.unit_shift,
                start_ticks=about.start_ticks,
                start_ns=about.start_ns,
                pid=about.pid,
                parent_pid=about.parent_pid,
                command=_encoded(about.command),
                python=_encoded(about.python),
                mechanism=_encoded(about.mechanism),
            )
        except OSError as error:
            raise SondeError(f"cannot write '{path}': {error.strerror}", slug="cannot-write") from error

    def function(self, name: str, module: str, file: str, first_line: int, flags: int = 3) -> int | None:
        """Define the next function, as `sonde.events.function_of_code` knows it.

        Returns:
            Its number: 0, 1, 2, ...; None when the disk is full.
        Raises:
            ValueError: one of the texts is longer than 16,384 bytes.
        """
        number = self._native.function_count
        defined = self._native.function(_encoded(name), _encoded(module), _encoded(file), first_line, flags)
        return number if defined else None

    def write(self, batch: EventBatch) -> None:
        """Append events; their times are in ticks of the trace's clock.

        Raises:
            ValueError: an event has an unknown kind or a function that is not defined; nothing was written.
        """
        self._native.feed(batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)

    def finish(self, *, ticks: int = 0, ns: int = 0) -> None:
        """Write the end: the last reading of the trace's clock, and of `CLOCK_MONOTONIC`."""
        self._native.finish(ticks, ns)

    def abandon(self) -> None:
        """Let go of the file as it is."""
        self._native.abandon()

    @property
    def lost_events(self) -> int:
        """Events that found no room."""
        return self._native.lost_events

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
        self.abandon()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
