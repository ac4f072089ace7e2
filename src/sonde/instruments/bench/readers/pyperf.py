"""Reader of pyperf's JSON: runs are invocations, each with its warm-ups and values.

Format versions 4 (pyperf 0.8.2) to 1.0 (all of pyperf 1 and 2) are read. Before 1.0, warm-ups were stored as the time
of all loops together; before 6, values were called samples.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Provenance, Series, Values
from sonde.instruments.bench.readers.environment_names import in_house_names
from sonde.instruments.bench.readers.json_node import Node, plausible
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import check_version, nothing_measured

_VERSIONS: Final = (4, 5, 6, "1.0")
_SAMPLES: Final = (4, 5)
"""Versions that call values samples, and metadata of a benchmark common metadata."""
_METRICS = {"second": WALL, "byte": Metric("memory", "B"), "integer": Metric("value", "1")}
_OF_THE_BENCHMARK = {"name", "unit", "loops", "inner_loops", "perf_version", "description", "command"}
"""Metadata that say what was measured, not where."""


def _recognises(file: InputFile) -> bool:
    top = file.top
    if not (isinstance(top, dict) and "version" in top and isinstance(top.get("benchmarks"), list)):
        return False
    return "machine_info" not in top and all(isinstance(each, dict) and "runs" in each for each in top["benchmarks"])


def _read(file: InputFile) -> Measurements:
    document = file.document
    version = document["version"].value
    check_version(file, "pyperf", version, _VERSIONS)
    shared = _metadata(document, "metadata")
    facts: dict[str, Any] = {}
    series, calibrations, skipped, position = [], 0, [], 0
    for benchmark in document["benchmarks"].each():
        metadata = {**shared, **_metadata(benchmark, "common_metadata" if version in _SAMPLES else "metadata")}
        facts = facts or metadata
        name = str(metadata.get("name") or file.title)
        found = [_invocation(run, metadata, version) for run in benchmark["runs"].each()]
        runs = [run for run in found if run is not None]
        calibrations += len(found) - len(runs)
        if not runs:
            skipped.append(f"'{name}': none of its runs has a value")
            continue
        placed = tuple(replace(run, position=position + index) for index, run in enumerate(runs))
        position += len(runs)
        steady = any(len(run.values) > 1 for run in runs)
        unit = str(metadata.get("unit", "second"))
        metric = _METRICS.get(unit) or Metric.in_unit("value", unit)
        series.append(Series(name, file.title, "steady" if steady else "startup", placed, metric))
    if not series:
        raise nothing_measured(file, "pyperf", skipped)
    if calibrations:
        skipped.append(f"{calibrations} run{'s' * (calibrations > 1)} of pyperf that only calibrated, without values")
    return Measurements(tuple(series), _provenance(file, document, facts), skipped=tuple(skipped))


def _metadata(node: Node, key: str) -> dict[str, Any]:
    found = node.get(key)
    return found.as_object() if found is not None else {}


def _invocation(run: Node, metadata: Mapping[str, Any], version: object) -> Invocation | None:
    """One run; None where it has no values."""
    key = "samples" if version in _SAMPLES else "values"
    if not run.as_object().get(key):
        return None
    facts = {**metadata, **_metadata(run, "metadata")}  # what is the same in all runs is said once, above them
    values = run[key].measured()
    loops, inner = (_count(facts.get(name)) for name in ("loops", "inner_loops"))
    warmups = _warmups(run, None if version == "1.0" else inner)
    memory = plausible(facts.get("command_max_rss", facts.get("mem_max_rss")))
    return Invocation(
        np.concatenate((warmups, values)) if len(warmups) else values,
        warmups=len(warmups),
        loops=loops * inner,
        process={} if memory is None else {"peak-memory": memory},
    )


def _warmups(run: Node, inner_loops: int | None) -> Values:
    """The warm-up values of a run, each for one call.

    Args:
        inner_loops: calls in a loop, where what is stored is the time of all loops; None where it is that of one call.
    """
    found = run.get("warmups")
    if found is None:
        return np.empty(0)
    for pair in found.each():
        if not (isinstance(pair.value, list) and len(pair.value) == 2):
            pair.refuse("is not a pair of loops and a value")
        pair[0].as_count()
        if type(pair.value[1]) not in (float, int):
            pair[1].refuse_value()
    values = Node([pair[1] for pair in found.value], found.place, found.path).measured()
    if inner_loops is None:
        return values
    return values / (np.array([pair[0] for pair in found.value], dtype=np.float64) * inner_loops)


def _count(found: object) -> int:
    return found if type(found) is int and found > 0 else 1


def _provenance(file: InputFile, document: Node, facts: Mapping[str, Any]) -> Provenance:
    first = document["benchmarks"][0]["runs"]
    date = _metadata(first[0], "metadata").get("date", "") if first.value else ""
    return Provenance(
        tool=f"pyperf {facts.get('perf_version', '')}".strip(),
        file=str(file.path),
        measured_at=str(date).replace(" ", "T"),
        environment=in_house_names({name: value for name, value in facts.items() if name not in _OF_THE_BENCHMARK}),
    )


PYPERF = MeasurementReader("pyperf", "pyperf's JSON (.json, .json.gz)", _recognises, _read)
