"""A reader in forty lines: measurements written down from a stopwatch, a lap in each line."""

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.readers import InputFile, MeasurementReader, bad_measurement, nothing_measured

HEADER = "stopwatch laps"


def recognises(file: InputFile) -> bool:
    """Whether the first line says so."""
    return file.text.startswith(HEADER)


def read_laps(file: InputFile) -> Measurements:
    """Read `who seconds` in each line after the first; everyone is an alternative, every lap a start from rest."""
    laps: dict[str, list[float]] = {}
    skipped = []
    for number, line in enumerate(file.text.splitlines()[1:], start=2):
        words = line.split()
        if len(words) != 2:
            skipped.append(f"line {number}, which is not a name and a time")
            continue
        try:
            seconds = float(words[1])
        except ValueError:
            seconds = -1.0
        if not 0.0 <= seconds < 1e9:
            raise bad_measurement(file.path, f"the time in line {number}", words[1])
        laps.setdefault(words[0], []).append(seconds)
    if not laps:
        raise nothing_measured(file, "a stopwatch", skipped)
    return Measurements(
        series=tuple(
            Series("lap", name, "startup", tuple(Invocation(np.array([seconds])) for seconds in times))
            for name, times in laps.items()
        ),
        provenance=Provenance("stopwatch", str(file.path)),
        skipped=tuple(skipped),
    )


STOPWATCH = MeasurementReader("toy-stopwatch", "laps of a stopwatch", recognises, read_laps)
