"""Reader of Go's benchmarks: what `go test -bench` prints, or `go test -bench -json`, also of several runs in one file.

    goos: linux
    pkg: example.org/sums
    BenchmarkSum/n=100-8    	  707974	       105.4 ns/op	       0 B/op
    PASS

All values that a process printed for a benchmark (`-count`) are of that process; a file to which several runs of
`go test` were added has as many processes. Time is the benchmark, each other unit one of its own, `Sum [B/op]`. Where
all names end in the same number of processors (`-8`) it is left out, as it tells nothing; benchstat calls it a part of
the name. Units are benchstat's: `ns` become seconds, `MB` bytes, and lines `Unit ns/op better=lower` are heeded.
Source: golang.org/design/14313-benchmark-format; golang.org/x/perf/benchunit.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import median_low

import numpy as np

from sonde.instruments.bench.directions import Direction
from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Provenance, Series
from sonde.instruments.bench.readers.json_node import bad_measurement
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured

_RESULT = re.compile(r"Benchmark(?P<name>\S*)\s+(?P<count>\d+)\s+(?P<values>\S+\s+\S.*)")
_FACT = re.compile(r"(?P<key>[a-z][^\s:A-Z]*):\s*(?P<value>.*)")
_UNIT = re.compile(r"Unit\s+(?P<unit>\S+)\s.*\bbetter=(?P<better>lower|higher)\b")
_ENDED_BADLY = re.compile(r"--- (?P<how>FAIL|SKIP): Benchmark(?P<name>\S+)")
_PROCESSORS = re.compile(r"(?P<name>.+)-(?P<count>\d+)")
_NANOSECONDS = re.compile(r"(?:\S+-)?ns(?:/\S+)?")
_BEGINS = ("goos", "goarch", "pkg")
"""Facts that each process prints before its first result."""
_ENDS = ("PASS", "FAIL", "ok  \t")
_PEEK = 1000
"""Characters by which the events of `-json` are told."""
_PER_CALL = "ns/op"
_RATE = "MB/s"
"""Computed by Go from the time and `b.SetBytes`."""


@dataclass(slots=True)
class _Process:
    """Values of one benchmark and unit that one process printed."""

    number: int
    values: list[float] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Output:
    """What stands in a file."""

    found: dict[tuple[str, str, str], list[_Process]] = field(default_factory=lambda: defaultdict(list))
    """(package, name, unit) -> processes that printed it."""
    facts: dict[str, str] = field(default_factory=dict)
    better: dict[str, Direction] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    rates: int = 0
    broken: list[int] = field(default_factory=list)
    """Numbers of lines that begin as results do."""
    package: str = ""
    process: int = 0
    in_process: bool = False
    """Whether the process printed a result."""

    def begin(self) -> None:
        """Take what follows for another process, if this one printed something."""
        self.process += self.in_process
        self.in_process = False


def _recognises(file: InputFile) -> bool:
    text = file.text
    return "Benchmark" in text and any(map(_RESULT.fullmatch, _lines(text)))


def _lines(text: str) -> Iterator[str]:
    """The lines that the benchmarks printed."""
    if '"Action":' not in text[:_PEEK]:
        return iter(text.splitlines())
    printed: dict[str, list[str]] = defaultdict(list)  # a line comes in pieces, those of packages mixed
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue  # the build's own words, or the end of what was cut off
        if isinstance(event, dict) and event.get("Action") == "output":
            printed[str(event.get("Package"))].append(str(event.get("Output", "")))
    return (line for pieces in printed.values() for line in "".join(pieces).splitlines())


def _read(file: InputFile) -> Measurements:
    output = _Output()
    for number, line in enumerate(_lines(file.text), start=1):
        _take(file, output, line, number)
    skipped = output.skipped
    if output.broken:
        count = len(output.broken)
        skipped.append(f"{count} line{'s' * (count > 1)} that are no whole results, the first is {output.broken[0]}")
    if not output.found:
        raise nothing_measured(file, "Go", skipped)
    if output.rates:
        skipped.append("MB/s of Go: it is computed from the time")
    names, processors = _names(output.found)
    series = tuple(_series(file, output, names[key[:2]], key[2], runs) for key, runs in output.found.items())
    return Measurements(series, _provenance(file, output.facts, processors), skipped=tuple(skipped))


def _take(file: InputFile, output: _Output, line: str, number: int) -> None:
    if result := _RESULT.fullmatch(line):
        output.in_process = True
        _add(file, output, result, number)
    elif fact := _FACT.fullmatch(line):
        if fact["key"] in _BEGINS:
            output.begin()
        if fact["key"] == "pkg":
            output.package = fact["value"]
        else:
            output.facts[fact["key"]] = fact["value"]
    elif unit := _UNIT.fullmatch(line):
        output.better[unit["unit"]] = "lower" if unit["better"] == "lower" else "higher"
    elif ended := _ENDED_BADLY.match(line):
        output.skipped.append(f"'{ended['name']}' {'failed' if ended['how'] == 'FAIL' else 'was skipped'}")
    elif line.startswith(_ENDS):
        output.begin()
    elif line.startswith("Benchmark") and len(line.split()) > 1:
        output.broken.append(number)


def _add(file: InputFile, output: _Output, result: re.Match[str], number: int) -> None:
    cells = result["values"].split()
    units = cells[1::2]
    for cell, unit in zip(cells[::2], units, strict=False):
        try:
            value = float(cell)
        except ValueError:
            output.broken.append(number)
            return
        if not np.isfinite(value) or (value < 0.0 and unit in (_PER_CALL, _RATE, "B/op", "allocs/op")):
            raise bad_measurement(file.path, f"the value of '{unit}' in line {number}", cell)
        if unit == _RATE and _PER_CALL in units:
            output.rates += 1
            continue
        processes = output.found[output.package, result["name"], unit]
        if not processes or processes[-1].number != output.process:
            processes.append(_Process(output.process))
        processes[-1].values.append(value)
        processes[-1].loops.append(max(1, int(result["count"])))
    if len(cells) % 2:
        output.broken.append(number)


def _names(found: Mapping[tuple[str, str, str], object]) -> tuple[dict[tuple[str, str], str], str]:
    """(package, name) -> what to call it, and the number of processors if it is the same for all."""
    runs = dict.fromkeys(key[:2] for key in found)
    several = len({package for package, _ in runs}) > 1
    ends = {matched["count"] if (matched := _PROCESSORS.fullmatch(name)) else "" for _, name in runs}
    end = ends.pop() if len(ends) == 1 else ""
    names = {}
    for package, name in runs:
        short = name.removesuffix(f"-{end}") if end else name
        names[package, name] = f"{package}.{short}" if several else short or "Benchmark"
    return names, end


def _series(file: InputFile, output: _Output, name: str, unit: str, processes: list[_Process]) -> Series:
    scale, metric = _metric(unit)
    if unit in output.better:
        metric = replace(metric, better=output.better[unit])
    return Series(
        name if unit == _PER_CALL else f"{name} [{unit}]",
        file.title,
        "steady",
        tuple(Invocation(np.array(each.values) * scale, loops=median_low(each.loops)) for each in processes),
        metric,
        separate=len(processes) > 1,
    )


def _metric(unit: str) -> tuple[float, Metric]:
    """What to multiply values with, and the metric that they are of then."""
    if unit == _PER_CALL:
        return 1e-9, WALL
    if _NANOSECONDS.fullmatch(unit):
        return 1e-9, Metric(unit, "s")
    if unit == _RATE:
        return 1e6, Metric.in_unit("throughput", "B/s")
    return (1.0, Metric("B/op", "B")) if unit == "B/op" else (1.0, Metric.in_unit(unit, unit))


def _provenance(file: InputFile, facts: Mapping[str, str], processors: str) -> Provenance:
    said = {
        "cpu": facts.get("cpu", ""),
        "system": "/".join(facts[key] for key in ("goos", "goarch") if key in facts),
        "gomaxprocs": processors,
        **{key: value for key, value in facts.items() if key not in ("cpu", "goos", "goarch", "exit")},
    }
    return Provenance("go test", str(file.path), environment={key: value for key, value in said.items() if value})


GO = MeasurementReader("go", "what go test -bench prints, with -json or without", _recognises, _read)
