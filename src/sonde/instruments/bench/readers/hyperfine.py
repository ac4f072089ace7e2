"""Reader of hyperfine's JSON: commands are the alternatives of one benchmark, each run a process of its own.

Read are the format of hyperfine 1 (`times`, and in later versions exit codes and memory) and that of hyperfine 2, which
has a schema version and says all about each run. Runs of a command stand together: hyperfine measures one command after
the other.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.readers.json_node import Node, plausible
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import check_version, nothing_measured, summaries_only
from sonde.instruments.bench.unnamed_benchmark import COMMANDS

_SCHEMAS: Final = (2,)
_PROCESS = {
    "time_user": "user",
    "time_system": "system",
    "memory_peak_resident": "peak-memory",
    "cpu_cycles": "cycles",
    "instructions": "instructions",
    "cache_references": "cache-references",
    "cache_misses": "cache-misses",
    "branch_misses": "branch-misses",
}
"""hyperfine 2's names of what it knows about a run -> ours."""
_CSV_HEADER = re.compile(r"command,(mean,stddev|\w+_unit,\w+_mean),")
"""Of the tables that hyperfine 1 and 2 export."""


def _recognises(file: InputFile) -> bool:
    if _CSV_HEADER.match(file.text):
        return True
    results = file.top.get("results") if isinstance(file.top, dict) else None
    return isinstance(results, list) and all(isinstance(each, dict) and "command" in each for each in results)


def _read(file: InputFile) -> Measurements:
    if _CSV_HEADER.match(file.text):
        raise summaries_only(file, "hyperfine", "hyperfine --export-json results.json")
    document = file.document
    schema = document.get("schema_version")
    if schema is not None:
        check_version(file, "hyperfine", schema.value, _SCHEMAS)
    series, skipped, position = [], [], 0
    for result in document["results"].each():
        runs = _runs_of_2(result) if schema is not None else _runs_of_1(file, result)
        placed = tuple(replace(run, position=position + index) for index, run in enumerate(runs))
        position += len(placed)
        if not placed:
            skipped.append(f"'{_name(result)}' has no runs")
            continue
        series.append(Series(COMMANDS, _name(result), "startup", placed, WALL, _levels(result)))
    if not series:
        raise nothing_measured(file, "hyperfine", skipped)
    if schema is None:
        skipped.append("user and system times of hyperfine 1: it stores their means only, not those of each run")
    return Measurements(tuple(series), _provenance(file, document), skipped=tuple(skipped))


def _name(result: Node) -> str:
    name = result.get("name")
    return (name or result["command"]).as_text()


def _runs_of_1(file: InputFile, result: Node) -> Iterator[Invocation]:
    times = result.get("times")
    if times is None:
        raise summaries_only(file, "hyperfine", "upgrade hyperfine: old versions store no times")
    values = times.measured()
    codes, memory = _beside(result, "exit_codes", len(values)), _beside(result, "memory_usage_byte", len(values))
    for index, value in enumerate(values):
        size = plausible(memory[index]) if memory else None
        yield Invocation(
            np.array([value]),
            detail=_ending(codes[index]) if codes else "",
            process={} if size is None else {"peak-memory": size},
        )


def _beside(result: Node, key: str, length: int) -> list[object]:
    """What a list beside the times says of each; empty where there is none."""
    found = result.get(key)
    if found is None:
        return []
    if len(found.as_list()) != length:
        found.refuse(f"has {len(found.value)} items, 'times' has {length}")
    return found.as_list()


def _runs_of_2(result: Node) -> Iterator[Invocation]:
    for run in result["measurements"].each():
        value = run["time_wall_clock"]["value"]
        yield Invocation(
            Node([value.value], value.place, value.path).measured(),
            detail=_ending(run.value.get("exit_code", 0)),
            process=dict(_process(run)),
        )


def _process(run: Node) -> Iterator[tuple[str, float]]:
    for theirs, ours in _PROCESS.items():
        found = run.get(theirs)
        if found is not None:
            value = plausible(found["value"].value)
            if value is None:
                found["value"].refuse_value()
            yield ours, value


def _ending(code: object) -> str:
    """What to say of a run that did not end with 0. It counts: hyperfine goes on after it only if told to ignore it."""
    if code == 0:
        return ""
    return "ended by a signal" if code is None else f"exit code {code}, ignored as hyperfine was told to"


def _levels(result: Node) -> Mapping[str, str]:
    found = result.get("parameters")
    if found is None:
        return {}
    return {
        name: str(node.value["value"] if isinstance(node.value, dict) and "value" in node.value else node.value)
        for name, node in found.items()
    }


def _provenance(file: InputFile, document: Node) -> Provenance:
    metadata = document.get("metadata")
    if metadata is None:
        return Provenance("hyperfine", str(file.path))
    version, start, platform = (metadata.get(key) for key in ("hyperfine_version", "start_time", "platform"))
    facts = platform.as_object() if platform is not None else {}
    return Provenance(
        tool=f"hyperfine {version.value}" if version is not None else "hyperfine",
        file=str(file.path),
        measured_at=str(start.value) if start is not None else "",
        environment={name: str(value) for name, value in facts.items()},
    )


HYPERFINE = MeasurementReader("hyperfine", "hyperfine's JSON (--export-json)", _recognises, _read)
