"""What is written into a results file comes out, whatever it is, at once or one by one."""

import json
import sqlite3
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from sonde.base.errors import InputError
from sonde.evidence import Doubt
from sonde.instruments.bench.measurements import Invocation, Measurements, Metric, Provenance, Series
from sonde.instruments.bench.results_file import ResultsWriter, read_events, read_meta, read_results, write_results

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
    st.lists(st.builds(Doubt, TEXT, TEXT, hint=TEXT), max_size=3, unique_by=lambda one: (one.kind, one.detail)).map(
        tuple
    ),
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


@examples(0.4)
@given(MEASUREMENTS)
def test_measurements_come_out_as_they_went_in(measurements: Measurements) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_results(Path(folder) / "all.sonde", measurements)
        assert plain(read_results(Path(folder) / "all.sonde")) == plain(measurements)


@examples(0.2)
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


CELLS = [
    (table, column)
    for table, columns in {
        "meta": "key value",
        "series": "benchmark alternative mode metric unit better separate levels",
        "invocation": "series round position started outcome detail warmups loops value_count mean least data process",
        "doubt": "slug text hint round",
        "event": "at kind text",
    }.items()
    for column in columns.split()
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=4,
)
SQLITE_VALUES = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | TEXT
    | st.binary(max_size=24)
    | JSON.map(json.dumps)
    | st.sampled_from(['"x"', "[]", "null", "3", "[1]", "abc", "{}", "[" * 5000, b"\xff"])
)


@examples(1.5)
@given(st.sampled_from(CELLS), SQLITE_VALUES, st.integers(0, 5))
def test_whatever_stands_in_a_cell_it_is_refused_or_read_as_measurements(
    cell: tuple[str, str], value: object, row: int
) -> None:
    table, column = cell
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sonde"
        path.write_bytes(whole_file())
        key = "key" if table == "meta" else "id"
        one = f"SELECT {key} FROM {table} ORDER BY {key} LIMIT 1 OFFSET {row if table == 'meta' else row % 2}"
        db = sqlite3.connect(path)
        with suppress(sqlite3.IntegrityError):  # what SQLite keeps out by itself
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ({one})", (value,))
            db.commit()
        db.close()
        try:
            found = read_results(path)
            read_events(path), read_meta(path)
        except InputError:
            return
        check(found)


@cache
def whole_file() -> bytes:
    """A results file with something in each table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sonde"
        with ResultsWriter(path) as writer:
            writer.set_meta(
                tool="sonde",
                file="",
                measured_at="",
                environment={"cpu": "x"},
                skipped=["y"],
                looked_between={"b": [2, 5]},
            )
            for alternative in "xy":
                number = writer.add_series(Series("b", alternative, "steady", (), levels={"python": "3"}))
                for round_ in (0, 1):
                    writer.record(number, Invocation(np.array([1.0, 2.0]), round=round_, position=round_, started=1.0))
            writer.add_doubt(Doubt("throttled", "the processor was slow", hint="wait"))
            writer.add_event("began", "anew")
        return path.read_bytes()


def check(found: Measurements) -> None:
    origin = found.provenance
    assert all(isinstance(text, str) for text in (origin.tool, origin.file, origin.measured_at, *found.skipped))
    assert all(isinstance(text, str) for text in (*origin.environment, *origin.environment.values()))
    assert all(isinstance(text, str) for doubt in found.doubts for text in (doubt.kind, doubt.detail, doubt.hint))
    assert all(type(number) is int for looks in found.looked_between.values() for number in looks)
    assert sum(len(series.invocations) for series in found.series) == 4
    for series in found.series:
        assert all(isinstance(text, str) for text in (series.benchmark, series.alternative, *series.levels.values()))
        assert (series.mode in ("startup", "steady"), series.metric.better in ("lower", "higher")) == (True, True)
        for one in series.invocations:
            assert np.isfinite(one.values).all()
            assert one.outcome in ("ok", "failed", "timeout", "interrupted")
            assert isinstance(one.detail, str)
            assert all(
                type(number) in (int, type(None)) for number in (one.warmups, one.loops, one.round, one.position)
            )
            assert all(np.isfinite(float(number)) for number in (*one.process.values(), one.started or 0.0))
