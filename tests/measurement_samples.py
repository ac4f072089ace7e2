"""Files of measurements to be read in tests: those in `data/measurements`, and results of our own."""

from pathlib import Path

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.results_file import write_results

MEASUREMENTS = Path(__file__).parent / "data" / "measurements"
_NOT_TO_BE_READ = {"summaries.csv"}
"""Files that are refused, with a message of their own."""


def measurement_samples(reader: str, folder: Path) -> list[Path]:
    """All samples of a reader; those of ours are written into a folder."""
    if reader == "sonde":
        return [write_sample_results(folder)]
    return sorted(path for path in (MEASUREMENTS / reader).iterdir() if path.name not in _NOT_TO_BE_READ)


def write_sample_results(folder: Path) -> Path:
    """A results file with two alternatives, one of which failed once."""
    (own := folder / "own").mkdir(exist_ok=True)
    path = own / "sample.sonde"
    runs = tuple(
        Invocation(np.array([0.1 + round_ / 1000]), round=round_, position=2 * round_, process={"user": 0.05})
        for round_ in range(5)
    )
    failed = Invocation(np.empty(0), outcome="failed", detail="exit code 1", round=0, position=1)
    series = (Series("sort", "quick", "startup", runs), Series("sort", "heap", "startup", (failed, *runs[1:])))
    write_results(path, Measurements(series, Provenance("sonde", "")), force=True)
    return path
