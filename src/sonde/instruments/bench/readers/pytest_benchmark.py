"""Reader of pytest-benchmark's JSON: all rounds of a test come from one process.

Tests of a group are alternatives of one benchmark, as pytest-benchmark compares them; a test without a group is a
benchmark of its own, whose parameters, if it has some, make the alternatives.
"""

from collections.abc import Mapping
from typing import Any

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.readers.environment_names import in_house_names
from sonde.instruments.bench.readers.json_node import Node
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured, summaries_only


def _recognises(file: InputFile) -> bool:
    top = file.top
    return isinstance(top, dict) and "machine_info" in top and isinstance(top.get("benchmarks"), list)


def _read(file: InputFile) -> Measurements:
    document = file.document
    series, skipped, without_data = [], [], 0
    for test in document["benchmarks"].each():
        stats = test.get("stats")
        data = stats.get("data") if stats is not None else None
        name = test["name"].as_text()
        if stats is None or data is None:
            without_data += 1
            skipped.append(f"'{name}' has {'no statistics: it failed' if stats is None else 'no data'}")
        elif not data.as_list():
            skipped.append(f"'{name}' has no rounds")
        else:
            loops = stats.get("iterations")
            values = data.measured()
            invocation = Invocation(values, loops=loops.as_count() if loops is not None else 1)
            benchmark, alternative, levels = _place(file, test, name)
            series.append(Series(benchmark, alternative, "steady", (invocation,), WALL, levels, separate=False))
    if not series and without_data:
        raise summaries_only(file, "pytest-benchmark", "pytest --benchmark-json=results.json")
    if not series:
        raise nothing_measured(file, "pytest-benchmark", skipped)
    return Measurements(tuple(series), _provenance(file, document), skipped=tuple(skipped))


def _place(file: InputFile, test: Node, name: str) -> tuple[str, str, Mapping[str, str]]:
    """Benchmark, alternative and levels of a test."""
    found, group = test.get("params"), test.get("group")
    levels = {key: str(node.value) for key, node in found.items()} if found is not None else {}
    if group is not None:
        return group.as_text(), name, levels
    function, bracket, parameters = name.partition("[")
    if bracket and levels:
        return function, parameters.removesuffix("]"), levels
    return name, file.title, levels


def _provenance(file: InputFile, document: Node) -> Provenance:
    machine: dict[str, Any] = document["machine_info"].as_object()
    cpu = machine.get("cpu")
    facts = {
        **{key: value for key, value in machine.items() if key not in ("machine", "processor", "release")},
        "kernel": machine.get("release", ""),
        "architecture": machine.get("machine", ""),
        "cpu": cpu.get("brand_raw", "") if isinstance(cpu, dict) else "",
    }
    date = document.get("datetime")
    version = document.get("version")
    return Provenance(
        tool=f"pytest-benchmark {version.value}" if version is not None else "pytest-benchmark",
        file=str(file.path),
        measured_at=str(date.value) if date is not None else "",
        environment=in_house_names(facts),
    )


PYTEST_BENCHMARK = MeasurementReader(
    "pytest-benchmark", "pytest-benchmark's JSON (--benchmark-json)", _recognises, _read
)
