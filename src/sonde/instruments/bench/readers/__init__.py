"""Readers of what other tools measured: one file per tool, told apart by the content of their files.

Runs of a tool become invocations where it says which values come from which process. Where it does not, all values
stand in one invocation and the series is not `separate`: nothing is inferred from it as if they were independent.
"""

from sonde.instruments.bench.readers.combining import as_alternatives, as_invocations, names_of_files
from sonde.instruments.bench.readers.json_node import Node, bad_measurement
from sonde.instruments.bench.readers.known_readers import READERS, read_measurements, reader_named
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import check_version, nothing_measured, summaries_only

__all__ = [
    "READERS",
    "InputFile",
    "MeasurementReader",
    "Node",
    "as_alternatives",
    "as_invocations",
    "bad_measurement",
    "check_version",
    "names_of_files",
    "nothing_measured",
    "read_measurements",
    "reader_named",
    "summaries_only",
]
