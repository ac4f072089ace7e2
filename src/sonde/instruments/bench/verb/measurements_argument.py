"""Measurements as they are named on the command line: files of any tool, read by our readers or plugged-in ones."""

from pathlib import Path
from typing import TYPE_CHECKING

from sonde.registry import entries

if TYPE_CHECKING:
    from sonde.instruments.bench.measurements import Measurements


def read_argument(path: Path, reader: str | None = None) -> "Measurements":
    """Read a file of measurements.

    Args:
        reader: the value of `--reader`.
    Raises:
        InputError, UsageError: as `read_measurements` does.
    """
    from sonde.instruments.bench.readers import read_measurements  # NumPy, which --help does without

    plugged_in = {
        name: entry.load for name, entry in entries("measurement-reader").items() if entry.publisher != "sonde"
    }
    return read_measurements(path, reader, more=plugged_in)
