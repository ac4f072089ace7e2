"""Reader of Krun's results (JSON, usually packed by bzip2) and of the CSV files of warmup_stats.

Both hold all iterations of all process executions, with nothing left out for warm-up. Krun names what it measures
`benchmark:vm:variant`; the vm and variant are the alternative.
"""

import csv

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Mode, Provenance, Series
from sonde.instruments.bench.readers.json_node import Node, bad_measurement
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured

_TIMES = ("wallclock_times", "data")
"""Where Krun keeps times; `data` was the name until 2016."""
_HEADERS = ("process_exec_num", "process_exec_idx", "process num", "process_exec")
"""How the first column of warmup_stats' CSV is named; a convention, not enforced by it."""


def _recognises(file: InputFile) -> bool:
    top = file.top
    if isinstance(top, dict):
        return any(isinstance(top.get(key), dict) for key in _TIMES) and ("audit" in top or "config" in top)
    return file.text.lstrip().lower().startswith(_HEADERS)


def _read(file: InputFile) -> Measurements:
    return _read_json(file) if file.broken_json is not None or file.top is not None else _read_csv(file)


def _read_json(file: InputFile) -> Measurements:
    document = file.document
    key = next((key for key in _TIMES if document.get(key) is not None), _TIMES[0])
    times = document[key]
    series, skipped = [], []
    for key, executions in times.items():
        benchmark, _, alternative = key.partition(":")
        runs = [_execution(execution) for execution in executions.each()]
        if not any(len(run.values) for run in runs):
            skipped.append(f"'{key}' has no iterations")
            continue
        series.append(_series(benchmark, alternative or file.title, runs))
    if not series:
        raise nothing_measured(file, "Krun", skipped)
    audit = document.get("audit")
    facts = audit.as_object() if audit is not None else {}
    kept = {"cpu": "cpuinfo", "system": "uname"}
    environment = {ours: _first_line(str(facts[theirs])) for ours, theirs in kept.items() if facts.get(theirs)}
    return Measurements(
        tuple(series), Provenance("Krun", str(file.path), environment=environment), skipped=tuple(skipped)
    )


def _execution(execution: Node) -> Invocation:
    """One process execution; Krun stores an empty list for one that crashed."""
    values = execution.measured()
    return (
        Invocation(values) if len(values) else Invocation(values, outcome="failed", detail="no iterations were stored")
    )


def _first_line(text: str) -> str:
    for line in text.splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    words = text.strip().splitlines()[0].split() if text.strip() else []
    return " ".join(words[:1] + words[2:]) if words[:1] in (["Linux"], ["OpenBSD"]) else ""  # the second is the host


def _read_csv(file: InputFile) -> Measurements:
    found: dict[str, list[Invocation]] = {}
    for number, row in enumerate(csv.reader(file.text.splitlines(), skipinitialspace=True), start=1):
        if number == 1 or not any(cell.strip() for cell in row):
            continue
        if len(row) < 3:
            raise file.corrupt(f"line {number} has {len(row)} columns, not a process, a benchmark and iterations")
        values = np.empty(len(row) - 2)
        for column, cell in enumerate(row[2:]):
            values[column] = _time(file, cell, f"line {number}, column {column + 3}")
        found.setdefault(row[1].strip(), []).append(Invocation(values))
    if not found:
        raise nothing_measured(file, "warmup_stats")
    series = tuple(_series(benchmark, file.title, runs) for benchmark, runs in found.items())
    return Measurements(series, Provenance("warmup_stats", str(file.path)))


def _time(file: InputFile, cell: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not (np.isfinite(value) and value >= 0.0):
        raise bad_measurement(file.path, place, cell)
    return value


def _series(benchmark: str, alternative: str, runs: list[Invocation]) -> Series:
    mode: Mode = "steady" if any(len(run.values) > 1 for run in runs) else "startup"
    return Series(benchmark, alternative, mode, tuple(runs))


KRUN = MeasurementReader("krun", "Krun's results (.json, .json.bz2) and warmup_stats' CSV", _recognises, _read)
