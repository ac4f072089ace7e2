"""What is written into a results file comes out, whatever it is, at once or one by one."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sonde.bench.measurements import Doubt, Invocation, Measurements, Metric, Provenance, Series
from sonde.bench.results_file import ResultsWriter, read_results, write_results

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COUNT = st.integers(0, 2**40)

INVOCATIONS = st.builds(
    Invocation,
    st.lists(FINITE, max_size=5).map(lambda values: np.array(values, dtype=np.float64)),
    st.sampled_from(["ok", "failed", "timeout", "interrupted"]),
    TEXT,
    st.none() | COUNT,
    COUNT,
    st.none() | st.integers(-9, 99),
    st.none(),
    st.none() | FINITE,
    st.dictionaries(TEXT, FINITE, max_size=3),
)
SERIES = st.builds(
    Series,
    TEXT,
    TEXT,
    st.sampled_from(["startup", "steady"]),
    st.lists(INVOCATIONS, max_size=4).map(tuple),
    st.builds(Metric, TEXT, TEXT, st.sampled_from(["lower", "higher"])),
    st.dictionaries(TEXT, TEXT, max_size=3),
    st.booleans(),
)
MEASUREMENTS = st.builds(
    Measurements,
    st.lists(SERIES, max_size=4, unique_by=lambda one: (one.benchmark, one.alternative, one.metric.name)).map(tuple),
    st.builds(Provenance, TEXT, TEXT.filter(bool), TEXT, st.dictionaries(TEXT, TEXT, max_size=3)),
    st.lists(st.builds(Doubt, TEXT, TEXT, TEXT), max_size=3, unique_by=lambda one: (one.slug, one.text)).map(tuple),
    st.lists(TEXT, max_size=3).map(tuple),
)


def plain(measurements: Measurements) -> tuple[Any, ...]:
    """As something that compares by value, to the last bit."""
    return (
        [
            (
                (one.benchmark, one.alternative, one.mode, one.metric, dict(one.levels), one.separate),
                [
                    (i.values.tobytes(), i.outcome, i.detail, i.warmups, i.loops, i.round, i.started, dict(i.process))
                    for i in one.invocations
                ],
            )
            for one in measurements.series
        ],
        measurements.provenance,
        measurements.doubts,
        measurements.skipped,
    )


@settings(max_examples=40, deadline=None)
@given(MEASUREMENTS)
def test_measurements_come_out_as_they_went_in(measurements: Measurements) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_results(Path(folder) / "all.sonde", measurements)
        assert plain(read_results(Path(folder) / "all.sonde")) == plain(measurements)


@settings(max_examples=20, deadline=None)
@given(MEASUREMENTS)
def test_one_by_one_they_make_the_same_file_as_at_once(measurements: Measurements) -> None:
    origin = measurements.provenance
    with tempfile.TemporaryDirectory() as folder:
        with ResultsWriter(Path(folder) / "one.sonde") as writer:
            writer.set_meta(
                tool=origin.tool,
                file=origin.file,
                measured_at=origin.measured_at,
                environment=dict(origin.environment),
                skipped=list(measurements.skipped),
            )
            for series in measurements.series:
                number = writer.add_series(series)
                assert writer.add_series(series) == number
                for invocation in series.invocations:
                    writer.record(number, invocation)
            for doubt in measurements.doubts:
                assert writer.add_doubt(doubt)
            assert plain(writer.measurements()) == plain(measurements)
        assert plain(read_results(Path(folder) / "one.sonde")) == plain(measurements)
