"""The sums of a record, without the tables: all that there is when accesses are only counted."""

from pathlib import Path

from sonde.instruments.memory.source.record_lines import RecordLines


def read_totals(path: Path) -> dict[str, int]:
    """The record's `total` lines.

    Raises:
        InputError: `no-memory-record`, `damaged-memory-record`.
    """
    return {key: int(value) for _, (key, value) in RecordLines(path).fields("total")}
