"""Reader of sonde's own results files."""

from typing import Final

from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.results_file import read_results

_SQLITE: Final = b"SQLite format 3\0"


def _recognises(file: InputFile) -> bool:
    """Any SQLite database: it is read as results or, a profile for example, refused in the words that fit."""
    return file.head.startswith(_SQLITE)


def _read(file: InputFile) -> Measurements:
    return read_results(file.path)


SONDE = MeasurementReader("sonde", "results of sonde bench (.sonde)", _recognises, _read)
