"""The table of readers, and reading: which of them a file is for is told by its content."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from sonde.base.errors import InputError, UsageError
from sonde.base.near_names import near_hint
from sonde.instruments.bench.measurements import Measurements, Series
from sonde.instruments.bench.readers.asv import ASV
from sonde.instruments.bench.readers.benchmark_dotnet import BENCHMARK_DOTNET
from sonde.instruments.bench.readers.criterion import CRITERION
from sonde.instruments.bench.readers.go import GO
from sonde.instruments.bench.readers.google_benchmark import GOOGLE_BENCHMARK
from sonde.instruments.bench.readers.hyperfine import HYPERFINE
from sonde.instruments.bench.readers.jmh import JMH
from sonde.instruments.bench.readers.json_node import bad_measurement
from sonde.instruments.bench.readers.krun import KRUN
from sonde.instruments.bench.readers.perf_stat import PERF_STAT
from sonde.instruments.bench.readers.plain_table import PLAIN_TABLE
from sonde.instruments.bench.readers.pyperf import PYPERF
from sonde.instruments.bench.readers.pytest_benchmark import PYTEST_BENCHMARK
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.rebench import REBENCH
from sonde.instruments.bench.readers.results import SONDE

READERS: tuple[MeasurementReader, ...] = (
    SONDE,
    PYPERF,
    HYPERFINE,
    JMH,
    ASV,
    PYTEST_BENCHMARK,
    GOOGLE_BENCHMARK,
    GO,
    CRITERION,
    BENCHMARK_DOTNET,
    PERF_STAT,
    KRUN,
    REBENCH,
    PLAIN_TABLE,
)
"""In the order in which they are asked; the last one recognises any table of numbers."""


_LARGEST = 1e150
"""Sums of squares of a hundred million of these are below 1.8e308, the largest float64."""


_MOST_LOOPS = 2**63 - 1
"""The largest number that a results file holds."""


def read_measurements(
    path: Path, reader: str | None = None, *, more: Mapping[str, Callable[[], MeasurementReader]] | None = None
) -> Measurements:
    """Read measurements of any tool that is known.

    Args:
        path: a file, packed or not, or a folder of results of asv or criterion.
        reader: which reader to use; None to tell by what is in the file.
        more: readers that others plug in, by name; they are loaded when none of ours recognises the file, or by name.
    Returns:
        at least one series with at least one value; benchmark, alternative and metric are different for each.
    Raises:
        InputError: there is no such file, it is of no tool that is known (`not-results`), of another version
            (`results-version`), damaged (`corrupt-results`), without values (`nothing-measured`, `summaries-only`), or
            a value in it cannot have been measured (`bad-measurement`).
        UsageError: `unknown-reader`.
    Cost: O(bytes); 50 MB of JSON take two seconds.
    """
    if not path.exists():
        raise InputError(f"cannot read results '{path}': no such file", slug="no-such-results")
    file = InputFile(path)
    chosen = reader_named(reader, more or {}) if reader else _recognised(file, more or {})
    measurements = chosen.read(file)
    for series in measurements.series:
        _check_size(path, series)
    return replace(measurements, series=tuple(_with_names_of_their_own(measurements.series)))


def reader_named(name: str, more: Mapping[str, Callable[[], MeasurementReader]]) -> MeasurementReader:
    """Find a reader.

    Raises:
        UsageError: `unknown-reader`.

    >>> reader_named("hyperfine", {}).about
    "hyperfine's JSON (--export-json)"
    """
    for each in READERS:
        if each.name == name:
            return each
    if name in more:
        return more[name]()
    names = [*(each.name for each in READERS), *more]
    raise UsageError(
        f"cannot read results with '{name}': known readers are {', '.join(names)}",
        slug="unknown-reader",
        hint=near_hint(name, names, "leave --reader out: files are told by their content", before="--reader "),
    )


def _recognised(file: InputFile, more: Mapping[str, Callable[[], MeasurementReader]]) -> MeasurementReader:
    if not file.is_folder and not file.head:
        raise file.corrupt("it is empty", "measure again: the tool may have been stopped before it wrote anything")
    for each in READERS:
        if each.recognises(file):
            return each
    for load in more.values():
        if (plugged_in := load()).recognises(file):
            return plugged_in
    if file.broken_json is not None:
        raise file.broken_json
    raise InputError(
        f"cannot read results '{file.path}': {_what(file)} of no tool that is known",
        slug="not-results",
        hint=f"known are {', '.join([*(each.name for each in READERS), *more])}; --reader NAME insists on one",
    )


def _what(file: InputFile) -> str:
    if file.is_folder:
        return "it is a folder"
    if isinstance(file.top, dict):
        keys = ", ".join(f"'{key[:20]}'" for key in list(file.top)[:5])
        return f"it is a JSON object with {keys or 'nothing in it'},"
    if file.top is not None:
        return "it is a JSON list"
    return "it is text" if file.text else "it is a binary file"


def _check_size(path: Path, series: Series) -> None:
    """Refuse values whose squares no float64 can hold, so that nothing could be said of them, and counts like these."""
    for number, invocation in enumerate(series.invocations, start=1):
        odd: list[float] = invocation.values[~(np.abs(invocation.values) < _LARGEST)].tolist()
        odd += [value for value in invocation.process.values() if not abs(value) < _LARGEST]
        if odd:
            where = f"a value of invocation {number} of '{series.benchmark}', '{series.alternative}',"
            raise bad_measurement(path, where, odd[0])
        if invocation.loops > _MOST_LOOPS:
            raise bad_measurement(path, f"the number of calls in '{series.benchmark}'", invocation.loops)


def _with_names_of_their_own(series: Iterable[Series]) -> Iterable[Series]:
    """Number what is named alike: a command that is compared with itself, to see how large chance is."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for each in series:
        key = (each.benchmark, each.alternative, each.metric.name)
        seen[key] += 1
        yield each if seen[key] == 1 else replace(each, alternative=f"{each.alternative} ({seen[key]})")
