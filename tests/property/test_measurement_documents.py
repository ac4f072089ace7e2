"""Whatever is put into a document of another tool, its reader reads it or refuses it in an orderly way."""

import bz2
import gzip
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from example_counts import examples
from measurement_samples import MEASUREMENTS
from sonde.base.errors import InputError
from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.readers import InputFile, reader_named

DOCUMENTS = {
    "pyperf": "pyperf/before.json",
    "hyperfine": "hyperfine/version_2.json",
    "jmh": "jmh/results.json",
    "asv": "asv/results/box/25a8130d-existing-py.json",
    "pytest-benchmark": "pytest-benchmark/results.json",
    "google-benchmark": "google-benchmark/results.json",
    "krun": "krun/results.json.bz2",
    "criterion": "criterion/criterion/sum/iter/100/new/sample.json",
    "benchmark-dotnet": "benchmark-dotnet/full.json",
}
ODD: tuple[Any, ...] = (None, 0, 1, -1, 2.5, math.nan, 10**400, "", "x", True, [], {}, [[]], [None], {"a": 1}, ["x"])
REMOVED = object()


@cache
def text_of(name: str) -> str:
    content = (MEASUREMENTS / DOCUMENTS[name]).read_bytes()
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress}.get(Path(DOCUMENTS[name]).suffix, bytes)
    return unpack(content).decode()


def changed(document: Any, draw: Any) -> Any:
    """The document with something odd, or nothing, at a place somewhere in it."""
    node, depth = document, draw(st.integers(1, 8))
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = draw(st.sampled_from(keys))
        depth -= 1
        if depth == 0 or not isinstance(node[key], dict | list) or not node[key]:
            break
        node = node[key]
    odd = draw(st.sampled_from((*ODD, REMOVED)))
    if odd is REMOVED:
        del node[key]
    else:
        node[key] = odd
    return document


def read(name: str, path: Path) -> tuple[Measurements | None, str]:
    """Measurements, or the message with which they are refused."""
    try:
        return reader_named(name, {}).read(InputFile(path)), ""
    except InputError as refused:
        return None, refused.message


@pytest.mark.parametrize("name", DOCUMENTS)
@examples(0.6, unlike=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_document_is_read_or_refused(name: str, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(changed(json.loads(text_of(name)), data.draw)))

    measurements, message = read(name, path)

    if measurements is None:
        assert str(path) in message
        return
    for series in measurements.series:
        for run in series.invocations:
            assert np.isfinite(run.values).all()
            assert (run.values >= 0.0).all() or series.metric.unit not in ("s", "B")


@examples(0.6, unlike=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.lists(st.floats(0.0, 1e6, allow_nan=False), min_size=1, max_size=5), min_size=1, max_size=5))
def test_values_come_back_as_they_were_written(values: list[list[float]], tmp_path: Path) -> None:
    as_pyperf = {"version": "1.0", "benchmarks": [{"runs": [{"values": run} for run in values]}]}
    as_jmh = [
        {
            "benchmark": "a.b",
            "mode": "avgt",
            "primaryMetric": {"scoreUnit": "s/op", "rawData": values},
        }
    ]
    rows = [
        f"{process},{iteration},{value!r}" for process, run in enumerate(values) for iteration, value in enumerate(run)
    ]
    texts = {
        "pyperf": json.dumps(as_pyperf),
        "jmh": json.dumps(as_jmh),
        "krun": json.dumps({"config": "", "wallclock_times": {"a:b:c": values}}),
        "table": "\n".join(["invocation,iteration,value", *rows]),
    }
    for name, text in texts.items():
        path = tmp_path / "x"
        path.write_text(text)

        (series,) = reader_named(name, {}).read(InputFile(path)).series

        assert [run.values.tolist() for run in series.invocations] == values
