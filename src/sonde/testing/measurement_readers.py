"""The contract of a reader of measurements, see `sonde.instruments.bench.readers.MeasurementReader`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.readers import InputFile, MeasurementReader, read_measurements
from sonde.testing.foreign_files import CUTS, foreign_files, refusal

_MORE_FOREIGN = {"a list of numbers": b"[1, 2, 3]", "half of JSON": b'{"benchmarks": [{"name": '}


def check_measurement_reader(reader: MeasurementReader, sample: Path, folder: Path) -> None:
    """Check every promise.

    Args:
        sample: a file, or folder, that the reader is for.
        folder: an empty one, to write in.
    Raises:
        AssertionError: the first promise found broken.
    """
    for check in MEASUREMENT_READER_CHECKS.values():
        check(reader, sample, folder)


def _description(reader: MeasurementReader, sample: Path, folder: Path) -> None:  # noqa: ARG001 - as all checks are
    assert reader.name and reader.name == reader.name.lower() and " " not in reader.name, "a name is typed"
    assert reader.about and "\n" not in reader.about, "nothing says in one line what it reads"


def _recognises_its_files(reader: MeasurementReader, sample: Path, folder: Path) -> None:
    assert reader.recognises(InputFile(sample)), "it does not recognise its own sample"
    if sample.is_file():
        renamed = folder / "nameless"
        renamed.write_bytes(sample.read_bytes())
        assert reader.recognises(InputFile(renamed)), "it looks at the name of the file, not at what is in it"


def _leaves_others_alone(reader: MeasurementReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    for what, path in foreign_files(folder, _MORE_FOREIGN):
        assert not reader.recognises(InputFile(path)), f"it takes {what} for a file of its own"


def _reads_valid_measurements(reader: MeasurementReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    measurements = reader.read(InputFile(sample))
    assert measurements.series, "no series"
    assert measurements.provenance.tool, "it does not say which tool measured"
    assert measurements.provenance.file == str(sample), "it does not say which file they come from"
    for series in measurements.series:
        where = f"'{series.benchmark}' of '{series.alternative}'"
        assert series.benchmark and series.alternative and series.metric.unit, f"{where} lacks a name or a unit"
        assert any(len(invocation.values) for invocation in series.invocations), f"{where} has no value"
        assert series.separate or len(series.invocations) == 1, f"{where} is not separate, but has several invocations"
        for invocation in series.invocations:
            values = invocation.values
            assert values.dtype == np.float64 and values.ndim == 1, f"{where}: values are not a row of float64"
            assert np.isfinite(values).all(), f"{where}: a value is not finite"
            assert (invocation.warmups or 0) <= len(values), f"{where}: more warm-up than values"
            assert invocation.loops >= 1, f"{where}: less than one loop"
            assert len(values) or invocation.outcome != "ok", f"{where}: ended well, without a value"


def _determinism(reader: MeasurementReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    one, other = (_comparable(reader.read(InputFile(sample))) for _ in range(2))
    assert one == other, "read twice, other measurements"
    assert _comparable(read_measurements(sample, reader.name, more={reader.name: lambda: reader}))[1] == one[1]


def _refuses_damage(reader: MeasurementReader, sample: Path, folder: Path) -> None:
    for what, path in foreign_files(folder, _MORE_FOREIGN):
        if path.is_file():
            assert refusal(partial(reader.read, InputFile(path))) is not None, f"it finds measurements in {what}"
    if not sample.is_file():
        return
    whole = sample.read_bytes()
    for part in range(CUTS):
        cut = folder / "cut"
        cut.write_bytes(whole[: len(whole) * part // CUTS])
        refused = refusal(partial(reader.read, InputFile(cut)))  # a table is one without its last rows, so None will do
        assert refused is None or str(cut) in refused.message, f"the error does not name the file: {refused}"


def _writes_nothing(reader: MeasurementReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    def state() -> list[tuple[Path, int, int]]:
        around = sample if sample.is_dir() else sample.parent
        return sorted((path, (stat := path.stat()).st_size, stat.st_mtime_ns) for path in around.rglob("*"))

    before = state()
    reader.read(InputFile(sample))
    assert state() == before, "reading changed files"


Check = Callable[[MeasurementReader, Path, Path], None]
MEASUREMENT_READER_CHECKS: dict[str, Check] = {
    "description": _description,
    "recognises-its-files": _recognises_its_files,
    "leaves-others-alone": _leaves_others_alone,
    "reads-valid-measurements": _reads_valid_measurements,
    "determinism": _determinism,
    "refuses-damage": _refuses_damage,
    "writes-nothing": _writes_nothing,
}


def _comparable(measurements: Measurements) -> tuple[str, list[object]]:
    series = [
        (
            each.benchmark,
            each.alternative,
            each.mode,
            each.metric,
            dict(each.levels),
            each.separate,
            [(run.values.tolist(), run.outcome, run.warmups, run.loops, dict(run.process)) for run in each.invocations],
        )
        for each in measurements.series
    ]
    return repr(measurements.provenance), [*series, measurements.skipped, measurements.doubts]
