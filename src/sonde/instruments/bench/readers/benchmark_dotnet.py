"""Reader of BenchmarkDotNet's JSON: launches are invocations, their results the values, each the time of one operation.

The full export lists every measurement with its launch; read are those of the stage `Result`, from which the overhead
is taken out, and outliers by BenchmarkDotNet's rule. The brief one has the same values (`OriginalValues`), and does not
say of which launch they are. Jobs are the alternatives, where a benchmark has several.
"""

import re
from collections import Counter

import numpy as np

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Mode, Provenance, Series
from sonde.instruments.bench.readers.environment_names import in_house_names
from sonde.instruments.bench.readers.json_node import Node
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured, summaries_only

_JOB = re.compile(r"[^:]*: (?P<job>.*?)( \[.*\])?")
"""`Type.Method: Job-ABCDEF(Runtime=.NET 8.0) [N=100]`."""
_FACTS = {
    "OsVersion": "system",
    "ProcessorName": "cpu",
    "LogicalCoreCount": "cores",
    "ProcessorCount": "cores",
    "RuntimeVersion": "runtime",
    "Architecture": "architecture",
    "DotNetCliVersion": "sdk",
    "Configuration": "configuration",
}
"""BenchmarkDotNet's names -> ours."""


def _recognises(file: InputFile) -> bool:
    top = file.top
    return isinstance(top, dict) and "HostEnvironmentInfo" in top and isinstance(top.get("Benchmarks"), list)


def _read(file: InputFile) -> Measurements:
    document = file.document
    benchmarks = list(document["Benchmarks"].each())
    names = [_name(benchmark) for benchmark in benchmarks]
    seen = Counter(names)
    series: list[Series] = []
    skipped: list[str] = []
    summaries = removed = others = 0
    for name, benchmark in zip(names, benchmarks, strict=True):
        statistics = benchmark.get("Statistics")
        launches, outliers = _launches(benchmark)
        original = statistics.get("OriginalValues") if statistics is not None else None
        if not launches and original is not None and original.as_list():
            launches = [Invocation(original.measured(scale=1e-9), warmups=0)]
        removed += outliers
        others += benchmark.get("Memory") is not None or benchmark.get("Metrics") is not None
        if not launches:
            summaries += statistics is not None
            skipped.append(f"'{name}' has {'no results: it failed' if statistics is None else 'no values'}")
            continue
        job = _job(benchmark)
        mode: Mode = "steady" if any(len(launch.values) > 1 for launch in launches) else "startup"
        several = seen[name] > 1 and bool(job)
        levels = {"job": job} if several else {}
        alternative = job if several else file.title
        series.append(Series(name, alternative, mode, tuple(launches), WALL, levels, separate=len(launches) > 1))
    if not series and summaries:
        raise summaries_only(file, "BenchmarkDotNet", "[JsonExporterAttribute.Full], or --exporters fulljson")
    if not series:
        raise nothing_measured(file, "BenchmarkDotNet", skipped)
    if removed:
        skipped.append(f"{removed} values that BenchmarkDotNet took for outliers and left out of its results")
    if others:
        skipped.append("memory and other metrics of BenchmarkDotNet")
    return Measurements(tuple(series), _provenance(file, document), skipped=tuple(skipped))


def _name(benchmark: Node) -> str:
    """Type, method and parameters, without the namespace."""
    full, namespace = benchmark.get("FullName"), benchmark.get("Namespace")
    if full is not None:
        return full.as_text().removeprefix(f"{namespace.as_text()}." if namespace is not None else "") or "benchmark"
    parameters = benchmark.get("Parameters")
    given = parameters.as_text() if parameters is not None else ""
    return f"{benchmark['Type'].as_text()}.{benchmark['Method'].as_text()}" + (f"({given})" if given else "")


def _job(benchmark: Node) -> str:
    info = benchmark.get("DisplayInfo")
    found = _JOB.fullmatch(info.as_text()) if info is not None else None
    return found["job"] if found else ""


def _launches(benchmark: Node) -> tuple[list[Invocation], int]:
    """What each process yielded, and how many values were left out; nothing where single measurements are not kept."""
    measurements = benchmark.get("Measurements")
    values: dict[int, list[float]] = {}
    loops: dict[int, int] = {}
    results = actual = 0
    for each in measurements.each() if measurements is not None else ():
        mode, stage = each["IterationMode"].value, each.value.get("IterationStage")
        actual += (mode, stage) in (("Workload", "Actual"), ("MainTarget", None))
        if "Result" not in (mode, stage):  # before 0.11.2 there were no stages
            continue
        results += 1
        launch, count, time = each["LaunchIndex"].as_count(0), each["Operations"].as_count(), each["Nanoseconds"]
        (nanoseconds,) = Node([time.value], time.place, time.path).measured()
        values.setdefault(launch, []).append(float(nanoseconds) / count * 1e-9)
        loops[launch] = count
    runs = [Invocation(np.array(found), warmups=0, loops=loops[launch]) for launch, found in sorted(values.items())]
    return runs, max(0, actual - results) if results else 0


def _provenance(file: InputFile, document: Node) -> Provenance:
    host = document["HostEnvironmentInfo"].as_object()
    facts: dict[str, object] = {}
    for theirs, ours in _FACTS.items():
        said = host.get(theirs)
        facts[ours] = facts.get(ours) or (said.get("Value") if isinstance(said, dict) else said)
    version = host.get("BenchmarkDotNetVersion", "")
    return Provenance(f"BenchmarkDotNet {version}".strip(), str(file.path), environment=in_house_names(facts))


BENCHMARK_DOTNET = MeasurementReader(
    "benchmark-dotnet", "BenchmarkDotNet's JSON, full or brief (--exporters fulljson)", _recognises, _read
)
