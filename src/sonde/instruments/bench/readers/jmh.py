"""Reader of JMH's JSON: forks are invocations, measurement iterations their values; warm-up is not in the file.

Throughput (`thrpt`) counts operations per second, higher is better; average (`avgt`), sampled (`sample`) and
single-shot (`ss`) times are in seconds. A sampled iteration is a histogram; its mean is the value of the iteration.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from sonde.instruments.bench.measurements import (
    WALL,
    Invocation,
    Measurements,
    Metric,
    Mode,
    Provenance,
    Series,
    Values,
)
from sonde.instruments.bench.readers.json_node import Node
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured, summaries_only
from sonde.instruments.bench.time_units import SECONDS_PER

_MODES: Final = {"thrpt", "avgt", "sample", "ss"}
_CSV_HEADER = '"Benchmark","Mode","Threads","Samples","Score"'
_THROUGHPUT = Metric("throughput", "ops/s", "higher")


def _recognises(file: InputFile) -> bool:
    if file.text.startswith(_CSV_HEADER):
        return True
    top = file.top
    return (
        isinstance(top, list)
        and bool(top)
        and all(isinstance(each, dict) and {"benchmark", "primaryMetric"} <= each.keys() for each in top)
    )


def _read(file: InputFile) -> Measurements:
    if file.text.startswith(_CSV_HEADER):
        raise summaries_only(file, "JMH", "java -jar benchmarks.jar -rf json")
    document = file.document
    results = list(document.each())
    modes = _modes(results)
    series, skipped, secondary, no_raw = [], [], 0, 0
    for result in results:
        metric, runs = _runs(result)
        name = result["benchmark"].as_text()
        levels = _levels(result)
        others = result.get("secondaryMetrics")
        secondary += len(others.as_object()) if others is not None else 0
        if runs is None:
            no_raw += 1
            skipped.append(f"'{name}' has no raw data")
            continue
        found = tuple(run for run in runs if len(run))
        if not found:
            skipped.append(f"'{name}' has no iterations")
            continue
        title = _short(name) + (f" ({result.value['mode']})" if len(modes[name]) > 1 else "")
        alternative = ", ".join(f"{key}={value}" for key, value in levels.items()) or file.title
        mode: Mode = "steady" if any(len(run) > 1 for run in found) else "startup"
        in_forks = result.value.get("forks") != 0
        series.append(
            Series(
                title,
                alternative,
                mode,
                tuple(Invocation(run, warmups=0) for run in found),
                metric,
                levels,
                separate=in_forks,
            )
        )
    if not series and no_raw:
        raise summaries_only(file, "JMH", "java -jar benchmarks.jar -rf json")
    if not series:
        raise nothing_measured(file, "JMH", skipped)
    if secondary:
        skipped.append(f"{secondary} secondary metrics of JMH (profilers, percentiles)")
    return Measurements(tuple(series), _provenance(file, results[0]), skipped=tuple(skipped))


def _modes(results: list[Node]) -> dict[str, set[str]]:
    """Benchmark -> the modes in which it was run."""
    modes: dict[str, set[str]] = {}
    for result in results:
        modes.setdefault(result["benchmark"].as_text(), set()).add(result["mode"].as_text())
    return modes


def _short(name: str) -> str:
    """Class and method, without the package."""
    return ".".join(name.split(".")[-2:])


def _runs(result: Node) -> tuple[Metric, list[Values] | None]:
    """The metric and the values of each fork; None where there is no raw data."""
    mode = result["mode"].as_text()
    if mode not in _MODES:
        result.refuse(f"has mode '{mode}', known are {', '.join(sorted(_MODES))}")
    primary = result["primaryMetric"]
    metric, scale = _unit(primary)
    raw, histogram = primary.get("rawData"), primary.get("rawDataHistogram")
    if histogram is not None:
        return metric, [_means(fork, scale) for fork in histogram.each()]
    if raw is None:
        return metric, None
    return metric, [fork.measured(scale=scale) for fork in raw.each()]


def _unit(primary: Node) -> tuple[Metric, float]:
    """The metric in our units, and what to multiply values with."""
    unit = primary["scoreUnit"].as_text()
    above, _, below = unit.partition("/")
    if below == "op" and above in SECONDS_PER:
        return WALL, SECONDS_PER[above]
    if above == "ops" and below in SECONDS_PER:
        return _THROUGHPUT, 1.0 / SECONDS_PER[below]
    return Metric.in_unit("score", unit), 1.0


def _means(fork: Node, scale: float) -> Values:
    """The mean of each iteration's histogram, a list of pairs of a value and how often it was seen."""
    means = []
    for iteration in fork.each():
        for pair in iteration.each():
            if not (isinstance(pair.value, list) and len(pair.value) == 2):
                pair.refuse("is not a pair of a value and a count")
        if not iteration.value:
            continue
        values, counts = (
            Node([pair[part] for pair in iteration.value], iteration.place, iteration.path).measured()
            for part in (0, 1)
        )
        if counts.sum() <= 0:
            iteration.refuse("counts nothing")
        means.append(float(values @ counts / counts.sum()) * scale)
    return np.array(means)


def _levels(result: Node) -> Mapping[str, str]:
    found = result.get("params")
    return {name: str(node.value) for name, node in found.items()} if found is not None else {}


def _provenance(file: InputFile, result: Node) -> Provenance:
    facts = {
        "java": " ".join(str(result.value.get(key, "")) for key in ("vmName", "vmVersion")).strip(),
        "jdk": str(result.value.get("jdkVersion", "")),
        "threads": str(result.value.get("threads", "")),
    }
    return Provenance(
        tool=f"JMH {result.value.get('jmhVersion', '')}".strip(),
        file=str(file.path),
        environment={name: value for name, value in facts.items() if value},
    )


JMH = MeasurementReader("jmh", "JMH's JSON (-rf json)", _recognises, _read)
