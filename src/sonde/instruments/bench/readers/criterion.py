"""Reader of what Rust's criterion keeps: the folder `target/criterion`, or one `sample.json` of it.

Each sample is the time of as many iterations as stand beside it, in nanoseconds, so values are per iteration. All of
them come from one process. The newest measurement is in a folder `new`, the one before it, or the same one, in `base`,
and those that were saved (`--save-baseline`) in folders of their names: these are the alternatives, where they differ.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.readers.json_node import Node
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured, summaries_only

_SAMPLE, _ABOUT = "sample.json", "benchmark.json"
_NEWEST, _BEFORE = "new", "base"
_CSV_HEADER = "group,function,value,throughput_num,throughput_type,sample_measured_value,"
_INSTEAD = "name the folder target/criterion, or the sample.json beside it"


def _recognises(file: InputFile) -> bool:
    if file.is_folder:
        return any(_is_sample(InputFile(path).top) for path in _samples(file.path))
    return file.text.startswith(_CSV_HEADER) or _is_sample(file.top) or _is_estimates(file.top)


def _samples(folder: Path) -> Iterator[Path]:
    """Samples below a folder, in the order of their names."""
    return iter(sorted(folder.rglob(_SAMPLE)))


def _is_sample(top: object) -> bool:
    return isinstance(top, dict) and {"iters", "times"} <= top.keys()


def _is_estimates(top: object) -> bool:
    return isinstance(top, dict) and {"mean", "median_abs_dev", "std_dev"} <= top.keys()


def _read(file: InputFile) -> Measurements:
    if file.text.startswith(_CSV_HEADER) or (not file.is_folder and _is_estimates(file.top)):
        raise summaries_only(file, "criterion", _INSTEAD)
    skipped: list[str] = []
    series: list[Series] = []
    found = {name: _different(runs) for name, runs in _found(file).items()}
    has_several = any(len(runs) > 1 for runs in found.values())
    for name, runs in found.items():
        for alternative, run in runs.items():
            if len(run.values):
                called = alternative if has_several else file.title
                series.append(Series(name, called, "steady", (run,), WALL, separate=False))
            else:
                skipped.append(f"'{name}' has no samples")
    if not series:
        raise nothing_measured(file, "criterion", skipped)
    return Measurements(tuple(series), Provenance("criterion", str(file.path)), skipped=tuple(skipped))


def _found(file: InputFile) -> Mapping[str, Mapping[str, Invocation]]:
    """Benchmark -> name of a folder -> what was measured."""
    if not file.is_folder:
        return {_name(file.path) or file.title: {_NEWEST: _invocation(file.document)}}
    found: dict[str, dict[str, Invocation]] = {}
    for path in _samples(file.path):
        name = _name(path) or str(path.parent.parent.relative_to(file.path))
        found.setdefault(name, {})[path.parent.name] = _invocation(InputFile(path).document)
    return found


def _name(sample: Path) -> str:
    """What the file beside a sample calls the benchmark; nothing where there is none."""
    try:
        about = json.loads(sample.with_name(_ABOUT).read_bytes())
    except (OSError, ValueError):
        return ""
    name = about.get("full_id") if isinstance(about, dict) else None
    return name if isinstance(name, str) else ""


def _invocation(document: Node) -> Invocation:
    counts, times = document["iters"].measured(), document["times"].measured(scale=1e-9)
    if len(counts) != len(times):
        document.refuse(f"has {len(counts)} 'iters' and {len(times)} 'times'")
    if not counts.all():
        document["iters"][int(np.argmin(counts))].refuse_value()
    return Invocation(times / counts, loops=max(1, int(counts.min())) if len(counts) else 1)


def _different(runs: Mapping[str, Invocation]) -> Mapping[str, Invocation]:
    """What was measured, each once: the newest is also in the folder of the name that it was saved under."""
    newest = runs.get(_NEWEST)
    if newest is None:
        return runs
    same = [name for name, run in runs.items() if name != _NEWEST and np.array_equal(run.values, newest.values)]
    left_out = {_BEFORE} & set(same)
    if set(same) - left_out:
        left_out.add(_NEWEST)
    order = sorted(runs, key=lambda name: (name == _NEWEST, name != _BEFORE))
    return {name: runs[name] for name in order if name not in left_out}


CRITERION = MeasurementReader(
    "criterion", "what Rust's criterion keeps: the folder target/criterion, or a sample.json", _recognises, _read
)
