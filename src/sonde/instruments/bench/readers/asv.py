"""Reader of airspeed velocity's results: a file for each commit and environment, or a folder of them.

Commits, and environments where there are several, are the alternatives; parameters belong to the benchmark's name. asv
pools the samples of all its processes, so nothing tells which come from which. Format versions 1 and 2 are read; the
folder's `benchmarks.json` tells names of parameters and units, where it is there.
"""

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

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
from sonde.instruments.bench.readers.environment_names import in_house_names
from sonde.instruments.bench.readers.json_node import Node, plausible
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import check_version, nothing_measured, summaries_only

_VERSIONS: Final = (1, 2)
_LIST, _MACHINE = "benchmarks.json", "machine.json"
_UNITS = {"seconds": "s", "bytes": "B"}
_KINDS = {"time": "s", "timeraw": "s", "peakmem": "B", "mem": "B"}
"""First word of a benchmark's function -> unit of its values."""
_COMMIT_LENGTH = 8


@dataclass(frozen=True, slots=True)
class _Result:
    """One benchmark with one set of parameters, of one commit."""

    benchmark: str
    unit: str
    values: Values | None
    """The samples, or the one number of a benchmark that is not timed; None where only a summary was kept."""


@dataclass(frozen=True, slots=True)
class _Commit:
    """One file of results."""

    document: Node
    commit: str
    environment: str
    machine: str
    date: float


def _recognises(file: InputFile) -> bool:
    if file.is_folder:
        return any(_is_result_file(path) for path in _json_files(file.path))
    return _is_result(file.top)


def _is_result(top: object) -> bool:
    return isinstance(top, dict) and "commit_hash" in top and isinstance(top.get("results"), dict)


def _is_result_file(path: Path) -> bool:
    try:
        return b'"commit_hash"' in path.read_bytes()
    except OSError:
        return False


def _json_files(folder: Path) -> Iterator[Path]:
    """Files that may be results: in the folder, in those of its machines, or in its `results`."""
    for pattern in ("*.json", "*/*.json", "results/*/*.json"):
        for path in sorted(folder.glob(pattern)):
            if path.name not in (_LIST, _MACHINE) and path.is_file():
                yield path


def _read(file: InputFile) -> Measurements:
    paths = [path for path in _json_files(file.path) if _is_result_file(path)] if file.is_folder else [file.path]
    commits = sorted((_commit(InputFile(path) if file.is_folder else file) for path in paths), key=lambda c: c.date)
    about = _about_benchmarks(paths[0])
    series: list[Series] = []
    skipped: list[str] = []
    summaries = 0
    for commit in commits:
        alternative, levels = _alternative(commit, commits)
        for result in _results(commit, about, skipped):
            if result.values is None:
                summaries += 1
            else:
                metric = (
                    WALL
                    if result.unit == "s"
                    else Metric.in_unit("memory" if result.unit == "B" else "value", result.unit)
                )
                mode: Mode = "steady" if len(result.values) > 1 else "startup"
                invocation = Invocation(result.values)
                series.append(
                    Series(result.benchmark, alternative, mode, (invocation,), metric, levels, separate=False)
                )
    if summaries and not any(each.metric == WALL for each in series):
        raise summaries_only(file, "asv", "asv run --record-samples")
    if not series:
        raise nothing_measured(file, "asv", skipped)
    if summaries:
        skipped.append(f"{summaries} results of asv without samples; asv run --record-samples keeps them")
    return Measurements(tuple(series), _provenance(file, commits), skipped=tuple(skipped))


def _commit(file: InputFile) -> _Commit:
    document = file.document
    version, found, date = (document.get(key) for key in ("version", "params", "date"))
    if version is not None:  # files made by hand, or by other programs, may lack it; the columns tell as well
        check_version(file, "asv", version.value, _VERSIONS)
    params = found.as_object() if found is not None else {}
    return _Commit(
        document,
        commit=document["commit_hash"].as_text()[:_COMMIT_LENGTH],
        environment=str(document.value.get("env_name") or params.get("python", "")),
        machine=str(params.get("machine", "")),
        date=(plausible(date.value) if date is not None else None) or 0.0,
    )


def _about_benchmarks(path: Path) -> Mapping[str, Any]:
    """What `benchmarks.json` beside the machine's folder says; empty where there is none."""
    for folder in (path.parent, path.parent.parent):
        try:
            found = json.loads((folder / _LIST).read_bytes())
        except (OSError, ValueError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _alternative(commit: _Commit, all_commits: list[_Commit]) -> tuple[str, dict[str, str]]:
    """Name and levels: the commit, and what else differs between the files."""
    levels = {"commit": commit.commit}
    for name in ("environment", "machine"):
        if len({getattr(each, name) for each in all_commits}) > 1:
            levels[name] = getattr(commit, name)
    return " ".join(levels.values()), levels


def _results(commit: _Commit, about: Mapping[str, Any], skipped: list[str]) -> Iterator[_Result]:
    columns = commit.document.get("result_columns")
    names = [str(name) for name in columns.as_list()] if columns is not None else []
    for name, node in commit.document["results"].items():
        row = _row(node, names)
        unit = _unit(name, about.get(name))
        result_or_results, samples = row.get("result"), row.get("samples")
        results = result_or_results if isinstance(result_or_results, list) else [result_or_results]
        if not samples:
            samples = [None] * len(results)
        elif not isinstance(result_or_results, list):  # version 1, of a benchmark without parameters
            samples = [samples] if isinstance(samples, list) and not isinstance(samples[0], list) else samples
        labels = _labels(node, row.get("params") or [])
        if not (len(results) == len(samples) == len(labels)):
            node.refuse(f"has {len(results)} results and {len(samples)} samples of {len(labels)} sets of parameters")
        for index, (label, result, found) in enumerate(zip(labels, results, samples, strict=True)):
            title = f"{name}{label}"
            if result is None or (isinstance(result, float) and math.isnan(result)):
                skipped.append(f"'{title}' of {commit.commit} has no result: it failed, or was skipped")
                continue
            place = f"{node.place} result {index}"
            if found is not None:
                values: Values | None = Node(found, f"{node.place} samples {index}", node.path).measured()
            elif unit == "s":
                values = None
            else:
                values = Node([result], place, node.path).measured(signed=unit != "B")
            yield _Result(title, unit, values)


def _row(node: Node, names: list[str]) -> dict[str, Any]:
    """What is said of one benchmark, by column; version 1 has no columns, and a bare number where there is no more."""
    if names and node.value is not None:
        return dict(zip(names, node.as_list(), strict=False))
    return node.value if isinstance(node.value, dict) else {"result": node.value}


def _labels(node: Node, params: Any) -> list[str]:
    """`(100, 'up')` for each combination; one empty label where there are no parameters."""
    if not params:
        return [""]
    if not isinstance(params, list) or not all(isinstance(each, list) for each in params):
        node.refuse("has parameters that are not lists")
    return [f"({', '.join(map(str, combination))})" for combination in itertools.product(*params)]


def _unit(name: str, about: object) -> str:
    if isinstance(about, dict) and about.get("unit"):
        return _UNITS.get(str(about["unit"]), str(about["unit"]))
    return _KINDS.get(name.rpartition(".")[2].partition("_")[0].lower(), "1")


def _provenance(file: InputFile, commits: list[_Commit]) -> Provenance:
    params = commits[-1].document.value.get("params") or {}
    facts = {key: value for key, value in params.items() if key in ("cpu", "os", "arch", "ram", "num_cpu", "python")}
    python = str(facts.get("python", ""))
    if "/" in python:  # of an environment that existed already: a path, not a version
        facts["python"] = ""
    return Provenance("asv", str(file.path), environment=in_house_names(facts))


ASV = MeasurementReader("asv", "asv's results: a file of a commit, or the folder", _recognises, _read)
