"""Reader of Google Benchmark's JSON: repetitions of a benchmark, all of one process.

What counts is `real_time`, the time that the benchmark asked for (with `UseManualTime`, that is the manual one).
Aggregates that the library adds are left out: they are computed from the repetitions.
"""

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.readers.environment_names import in_house_names
from sonde.instruments.bench.readers.json_node import Node
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured, summaries_only
from sonde.instruments.bench.time_units import SECONDS_PER

_AGGREGATES = ("_mean", "_median", "_stddev", "_cv", "_min", "_max", "_BigO", "_RMS")
"""Ends of names that aggregates have; before version 1.5 nothing else told them."""
_CSV_HEADER = "name,iterations,real_time,cpu_time,time_unit"


def _recognises(file: InputFile) -> bool:
    if _CSV_HEADER in file.text[:4000]:
        return True
    top = file.top
    return isinstance(top, dict) and isinstance(top.get("context"), dict) and isinstance(top.get("benchmarks"), list)


def _read(file: InputFile) -> Measurements:
    if file.top is None and _CSV_HEADER in file.text[:4000]:
        raise file.corrupt(
            "it is Google Benchmark's CSV, which does not tell repetitions from aggregates",
            "--benchmark_out=results.json --benchmark_out_format=json",
        )
    document = file.document
    times: dict[str, list[float]] = {}
    loops: dict[str, int] = {}
    failed: dict[str, str] = {}
    aggregates = 0
    for run in document["benchmarks"].each():
        name = (run.get("run_name") or run["name"]).as_text()
        if run.value.get("run_type") == "aggregate" or ("run_type" not in run.value and _is_aggregate(name)):
            aggregates += 1
        elif run.value.get("error_occurred"):
            failed[name] = str(run.value.get("error_message", ""))
        else:
            unit = str(run.value.get("time_unit", "ns"))
            if unit not in SECONDS_PER:
                run.refuse(f"has times in '{unit}', which is no unit of time")
            time = run["real_time"]
            value = Node([time.value], time.place, time.path).measured(scale=SECONDS_PER[unit])[0]
            times.setdefault(name, []).append(float(value))
            iterations = run.get("iterations")
            loops[name] = iterations.as_count(0) if iterations is not None else 1
    skipped = [f"'{name}' failed: {message}" for name, message in failed.items() if name not in times]
    skipped += [f"repetitions of '{name}' that failed: {message}" for name, message in failed.items() if name in times]
    if not times and aggregates:
        raise summaries_only(
            file, "Google Benchmark", "--benchmark_report_aggregates_only=false --benchmark_repetitions=20"
        )
    if not times:
        raise nothing_measured(file, "Google Benchmark", skipped)
    series = tuple(
        Series(name, file.title, "steady", (Invocation(np.array(found), loops=max(1, loops[name])),), separate=False)
        for name, found in times.items()
    )
    skipped.append("CPU times and user counters of Google Benchmark")
    return Measurements(series, _provenance(file, document), skipped=tuple(skipped))


def _is_aggregate(name: str) -> bool:
    return name.endswith(_AGGREGATES)


def _provenance(file: InputFile, document: Node) -> Provenance:
    context = document["context"].as_object()
    load = context.get("load_avg")
    facts = {key: value for key, value in context.items() if key not in ("date", "caches", "json_schema_version")}
    if isinstance(load, list) and load:
        facts["load"] = load[0]
    version = context.get("library_version", "")
    return Provenance(
        tool=f"Google Benchmark {version}".strip(),
        file=str(file.path),
        measured_at=str(context.get("date", "")),
        environment=in_house_names(facts),
    )


GOOGLE_BENCHMARK = MeasurementReader(
    "google-benchmark", "Google Benchmark's JSON (--benchmark_out_format=json)", _recognises, _read
)
