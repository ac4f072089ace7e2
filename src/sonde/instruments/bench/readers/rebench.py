"""Reader of ReBench's data files: a line for each value, with its invocation and iteration.

The columns stand in a header since ReBench 1.0; files without one are read by position, as 1.0's candidates wrote them
(invocation, iteration, value, unit, criterion, ...) and as older versions did (`[time]`, value, unit, criterion, ...),
which do not say which values come from one process.

Executors are the alternatives. A criterion other than `total` makes a benchmark of its own, `Name [criterion]`.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Mode, Provenance, Series
from sonde.instruments.bench.readers.environment_names import in_house_names
from sonde.instruments.bench.readers.json_node import bad_measurement
from sonde.instruments.bench.readers.ordering import in_one_order
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured
from sonde.instruments.bench.time_units import SECONDS_PER

_RUN = ("benchmark", "executor", "suite", "extraArgs", "cores", "inputSize", "varValue", "tag", "machine")
_VALUE = ("value", "unit", "criterion")
_BY_POSITION: Final = (("invocation", "iteration", *_VALUE, *_RUN), ("timestamp", *_VALUE, *_RUN))
_NUMBERED = re.compile(r"\d+\t\d+\t[^\t]+\t[^\t]*\t[^\t]+\t")
_TIMED = re.compile(r"\[\d{4}-\d\d-\d\dT[^\t\]]+\]\t[^\t]+\t[^\t]*\t[^\t]+\t")
_DETAILS = ("extraArgs", "cores", "inputSize", "varValue", "tag", "machine")
"""What makes two runs of one benchmark different benchmarks."""


@dataclass(slots=True)
class _Process:
    """Values of one invocation, on their way."""

    number: str
    values: list[float] = field(default_factory=list)
    iterations: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Key:
    """What has a series of its own."""

    run: tuple[str, ...]
    criterion: str
    unit: str
    run_id: str


def _recognises(file: InputFile) -> bool:
    for line in file.text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        columns = line.split("\t")
        return (
            {"invocation", "iteration", "value", "criterion"} <= set(columns)
            or (len(columns) >= 8 and _NUMBERED.match(line) is not None)
            or _TIMED.match(line) is not None
        )
    return "# Execution Start: " in file.text


def _read(file: InputFile) -> Measurements:
    found: dict[_Key, list[_Process]] = defaultdict(list)
    unreadable: list[int] = []
    with_processes = True
    columns: tuple[str, ...] = ()
    for number, line in enumerate(file.text.splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        if "criterion" in cells and "value" in cells:
            columns = tuple(cells)
            continue
        columns = columns or _BY_POSITION[_TIMED.match(line) is not None]
        row = dict(zip(columns, cells, strict=False))
        if not row.get("benchmark"):
            unreadable.append(number)
            continue
        with_processes = with_processes and "invocation" in row
        _add(found, row, _value(file, row["value"], number))
    if not found:
        raise nothing_measured(file, "ReBench", [_unreadable(unreadable)] if unreadable else [])
    return Measurements(
        series=in_one_order(_series(found, _warmups(file.text), with_processes)),
        provenance=_provenance(file),
        skipped=(_unreadable(unreadable),) if unreadable else (),
    )


def _value(file: InputFile, cell: str, line: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not (np.isfinite(value) and value >= 0.0):
        raise bad_measurement(file.path, f"the value in line {line}", cell)
    return value


def _add(found: dict[_Key, list[_Process]], row: Mapping[str, str], value: float) -> None:
    run = tuple(row.get(name, "") for name in _RUN)
    key = _Key(run, row["criterion"], row["unit"], row.get("runId", ""))
    number, iteration = row.get("invocation", ""), row.get("iteration", "")
    processes = found[key]
    # An experiment that was begun anew numbers its invocations from 1 again.
    if not processes or processes[-1].number != number or (iteration and iteration in processes[-1].iterations):
        processes.append(_Process(number))
    processes[-1].values.append(value)
    processes[-1].iterations.add(iteration)


def _series(found: Mapping[_Key, list[_Process]], warmups: Mapping[str, int], separate: bool) -> Iterator[Series]:
    names = _names(found)
    for key, processes in found.items():
        scale = SECONDS_PER.get(key.unit)
        is_total = key.criterion == "total"
        unit = "s" if scale is not None else {"byte": "B", "bytes": "B"}.get(key.unit, key.unit)
        metric = WALL if is_total and scale is not None else Metric.in_unit(key.criterion, unit)
        invocations = tuple(
            Invocation(np.array(process.values) * (scale or 1.0), warmups=warmups.get(key.run_id))
            for process in processes
        )
        mode: Mode = "steady" if any(len(each.values) > 1 for each in invocations) else "startup"
        executor = key.run[1]
        name = names[key.run] + ("" if is_total else f" [{key.criterion}]")
        yield Series(name, executor, mode, invocations, metric, {"executor": executor}, separate)


def _names(found: Mapping[_Key, list[_Process]]) -> dict[tuple[str, ...], str]:
    """A name for each run: its benchmark, and whatever else tells it from others of that benchmark."""
    seen: dict[str, list[dict[str, str]]] = defaultdict(list)
    runs = dict.fromkeys(key.run for key in found)
    for run in runs:
        seen[run[0]].append(dict(zip(_RUN, run, strict=True)))
    names = {}
    for run in runs:
        others = seen[run[0]]
        telling = [detail for detail in _DETAILS if len({other[detail] for other in others}) > 1]
        # An executor usually has suites of its own; only where one has several do these tell benchmarks apart.
        suites = Counter((other["executor"], *(other[detail] for detail in telling)) for other in others)
        if max(suites.values()) > 1:
            telling.insert(0, "suite")
        row = dict(zip(_RUN, run, strict=True))
        names[run] = " ".join([row["benchmark"], *(f"{detail}={row[detail]}" for detail in telling if row[detail])])
    return names


def _warmups(text: str) -> dict[str, int]:
    """Id of a run -> iterations that it took for warm-up; only new files say it."""
    benchmarks: dict[str, int] = {}
    warmups = {}
    for kind, number, document in re.findall(r"^# (benchmark|run_id): (\d+)=(\{.*)$", text, re.MULTILINE):
        try:
            about = json.loads(document)
        except ValueError:
            continue  # metadata of a line that was cut off; the values do not need it
        if kind == "benchmark":
            count = about.get("runDetails", {}).get("warmup")
            if type(count) is int and count > 0:
                benchmarks[number] = count
        elif str(about.get("benchmark_id")) in benchmarks:
            warmups[number] = benchmarks[str(about["benchmark_id"])]
    return warmups


def _unreadable(lines: list[int]) -> str:
    return f"{len(lines)} line{'s' * (len(lines) > 1)} that are not measurements, the first is line {lines[0]}"


def _provenance(file: InputFile) -> Provenance:
    start = re.search(r"^# Execution Start: (.*)$", file.text, re.MULTILINE)
    environment = re.search(r"^# Environment: (\{.*)$", file.text, re.MULTILINE)
    facts = {}
    if environment:
        try:
            facts = json.loads(environment[1])
        except ValueError:
            facts = {}  # cut off
    software = facts.get("software") or []
    facts["kernel"] = next((each.get("version") for each in software if each.get("name") == "kernel-release"), "")
    return Provenance("ReBench", str(file.path), start[1].strip() if start else "", in_house_names(facts))


REBENCH = MeasurementReader("rebench", "ReBench's data file (.data)", _recognises, _read)
