"""The memory that the worker writes to, as sonde sees it: `worker/worker.py` says what is where."""

import os
import struct
from types import TracebackType
from typing import Self

import numpy as np

from sonde.base.nameless_file import nameless_file
from sonde.instruments.bench.invocations.launcher import enough_descriptors
from sonde.instruments.bench.measurements import Values

_STATUS_BYTES = 4096
_CELL_BYTES = 8


class WorkerReport:
    """Memory without a name, whose descriptor the worker inherits; what is in it outlives the worker."""

    def __init__(self, most_values: int) -> None:
        """Make room for so many values; pages that are never written to take none."""
        self._most = most_values
        with enough_descriptors("worker.py"):
            self.descriptor = nameless_file("sonde-worker")
        os.ftruncate(self.descriptor, _STATUS_BYTES + (1 + most_values) * _CELL_BYTES)

    def status(self) -> dict[str, str]:
        """What the worker said last: `state` and what belongs to it; empty if it said nothing."""
        text = os.pread(self.descriptor, _STATUS_BYTES, 0).rstrip(b"\0").decode(errors="replace")
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    def values(self) -> Values:
        """(n,) float64, seconds for each call: of the iterations that came to their end."""
        (count,) = struct.unpack("=d", os.pread(self.descriptor, _CELL_BYTES, _STATUS_BYTES))
        whole = int(min(max(count, 0.0), self._most)) if count == count else 0  # the program may write anywhere
        data = os.pread(self.descriptor, whole * _CELL_BYTES, _STATUS_BYTES + _CELL_BYTES)
        values = np.frombuffer(data, dtype=np.float64)
        return values[np.isfinite(values) & (values >= 0.0)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)
