"""Reader of `perf stat`: its text, `-x,` and `-j`; each run is an invocation, a file may hold many (`--append`).

Of `-r N` perf prints means, which nothing can be judged by; with `--table` it adds the time of each run, and those are
read. Text says the command, which is the alternative, as of hyperfine. `-x` and `-j` leave out the elapsed time unless
`-e duration_time` asks for it; without it the series is of the first event, and `--metric` chooses another.
Source: tools/perf/Documentation/perf-stat.txt.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Provenance, Series
from sonde.instruments.bench.readers.json_node import bad_measurement
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured, summaries_only
from sonde.instruments.bench.time_units import SECONDS_PER
from sonde.instruments.bench.unnamed_benchmark import COMMANDS

_HEADER = re.compile(r" ?Performance counter stats for (?P<what>.*?)(?: \((?P<runs>\d+) runs\))?:")
_COMMAND = re.compile(r"'(?!system wide'|CPU\(s\) )(.+)'")
_NUMBER = r"\d[\d.,'\u00a0\u202f]*|<not \w+>"
_COUNT = re.compile(rf"\s+(?P<value>{_NUMBER})\s+(?:(?P<unit>[A-Za-z/%]+)\s+)?(?P<event>[^\s#]+)\s*(?:[#(].*)?")
_SECONDS = re.compile(rf"\s+(?P<value>{_NUMBER}) (?P<mean>\+- .*)?seconds (?P<what>time elapsed|user|sys)\b.*")
_ROW = re.compile(rf"\s+(?P<value>{_NUMBER}) \([+-][\d.,]+\)[ #]*")
"""Of the table of individual measurements."""
_FIELDS = re.compile(
    r"(?P<value>\d[\d.]*|<not \w+>)(?P<s>[,;|\t])(?P<unit>[A-Za-z/%]*)(?P=s)(?P<event>.+?)(?P=s)"
    r"(?:(?P<variance>[\d.]+%)(?P=s))?\d+(?P=s)[\d.]+(?:(?P=s).*)?"
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,'\u00a0\u202f]\d{3})+(?P<rest>[.,]\d+)?")
_STARTED = "# started on "
_NAMES = {
    "time elapsed": "wall",
    "duration_time": "wall",
    "user_time": "user",
    "sys": "system",
    "system_time": "system",
    "cpu-migrations": "migrations",
}
"""perf's names -> ours."""
_PARTS = {"interval", "cpu", "core", "die", "socket", "node", "thread", "cgroup"}
"""What else `-j` says where counts are not those of a whole command."""
_PEEK = 4000
"""Characters by which the forms without a header are told: the program's own output may stand before."""
_INSTEAD = "perf stat -r 20 --table COMMAND"


@dataclass(slots=True)
class _Run:
    """What perf said of one command, run once, or several times."""

    command: str = ""
    metrics: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Name -> value and unit, of a run alone."""
    walls: list[float] = field(default_factory=list)
    """Of each run, in seconds."""
    is_mean: bool = False
    """Whether counts are means of several runs."""
    position: int = 0
    """Runs of commands before it."""
    first: str = ""
    """The event that stands first, counted or not."""


@dataclass(slots=True)
class _Output:
    """What stands in a file."""

    runs: list[_Run] = field(default_factory=list)
    uncounted: dict[str, None] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    """What was watched and is no command."""


def _recognises(file: InputFile) -> bool:
    text = file.text
    if "Performance counter stats for" in text:
        return any(map(_HEADER.fullmatch, text.splitlines()))
    return any(_FIELDS.fullmatch(line) or _is_event(line) for line in text[:_PEEK].splitlines())


def _is_event(line: str) -> bool:
    return line.startswith("{") and '"counter-value"' in line and '"event"' in line


def _read(file: InputFile) -> Measurements:
    lines = file.text.splitlines()
    output = _Output()
    if any(map(_HEADER.fullmatch, lines)):
        _read_text(file, lines, output)
    else:
        _read_events(file, lines, output)
    position = 0
    for run in output.runs:
        run.position = position
        position += max(1, len(run.walls))
    means = any(run.is_mean for run in output.runs)
    if means and not any(run.walls for run in output.runs):
        raise summaries_only(file, "perf stat", _INSTEAD)
    by_command: dict[str, list[_Run]] = {}
    for run in output.runs:
        if run.walls or (run.metrics and not run.is_mean):
            by_command.setdefault(run.command or file.title, []).append(run)
    skipped = [f"{what}: it is no command that perf ran" for what in output.others]
    series = [one for name, runs in by_command.items() if (one := _series(name, runs)) is not None]
    if not series:
        raise nothing_measured(file, "perf stat", skipped)
    if means:
        skipped.append("counts of perf stat -r: it prints their means only, not those of each run")
    if output.uncounted:
        skipped.append(f"events that were not counted: {', '.join(output.uncounted)}")
    return Measurements(tuple(series), Provenance("perf stat", str(file.path)), skipped=tuple(skipped))


def _read_text(file: InputFile, lines: list[str], output: _Output) -> None:
    run: _Run | None = None
    for number, line in enumerate(lines, start=1):
        if header := _HEADER.fullmatch(line):
            run = None
            if command := _COMMAND.fullmatch(header["what"]):
                run = _Run(command[1], is_mean=header["runs"] is not None)
                output.runs.append(run)
            else:
                output.others.append(header["what"])
        elif run is None or line.startswith(_STARTED):
            continue
        elif seconds := _SECONDS.fullmatch(line):
            if not run.is_mean:
                _add(file, output, run, seconds["what"], seconds["value"], "s", number)
        elif row := _ROW.fullmatch(line):
            run.walls.append(_number(file, row["value"], "the time", number))
        elif count := _COUNT.fullmatch(line):
            _add(file, output, run, count["event"], count["value"], count["unit"] or "", number)


def _read_events(file: InputFile, lines: list[str], output: _Output) -> None:
    """Read `-x` and `-j`: an event in each line; a run begins where perf says so, or with the first event again."""
    is_told = any(line.startswith(_STARTED) for line in lines)
    run = _Run()
    for number, (unit, event, value, is_mean) in _events(file, lines):
        if run.first == event and not is_told:
            run = _Run()
        if not event:
            run = _Run()
            continue
        if not run.first:
            run.first, run.is_mean = event, is_mean
            output.runs.append(run)
        _add(file, output, run, event, value, unit, number)


def _events(file: InputFile, lines: list[str]) -> Iterator[tuple[int, tuple[str, str, str, bool]]]:
    """Number of the line; unit, event, value, whether it is a mean. All are empty where a run begins."""
    for number, line in enumerate(lines, start=1):
        if line.startswith(_STARTED):
            yield number, ("", "", "", False)
        elif fields := _FIELDS.fullmatch(line):
            yield number, (fields["unit"], fields["event"], fields["value"], fields["variance"] is not None)
        elif _is_event(line):
            try:
                said = json.loads(line)
            except ValueError as error:
                raise file.corrupt(f"the JSON in line {number} is broken: {error}") from error
            if parts := _PARTS & said.keys():
                raise file.corrupt(f"line {number} counts for one '{min(parts)}' only", "perf stat without -a and -I")
            unit, event, value = (str(said.get(key) or "") for key in ("unit", "event", "counter-value"))
            yield number, (unit, event or "?", value, "variance" in said)


def _add(file: InputFile, output: _Output, run: _Run, event: str, text: str, unit: str, line: int) -> None:
    name = _NAMES.get(event, event)
    if text.startswith("<not"):
        output.uncounted[event] = None
        return
    value = _number(file, text, f"'{event}'", line)
    if unit in SECONDS_PER:
        value, unit = value * SECONDS_PER[unit], "s"
    if name == "wall" and not run.is_mean:
        run.walls = [value]
    elif name not in run.metrics:  # of user and system time, what was counted rather than what is printed below
        run.metrics[name] = (value, unit or "1")


def _number(file: InputFile, text: str, what: str, line: int) -> float:
    """Read a number as any locale writes it: three digits behind a sign are thousands, else it is the decimal one."""
    if found := _THOUSANDS.fullmatch(text):
        rest = found["rest"] or ""
        text = re.sub(r"\D", "", text.removesuffix(rest)) + rest.replace(",", ".")
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise bad_measurement(file.path, f"{what} in line {line}", text)
    return value


def _series(command: str, runs: list[_Run]) -> Series | None:
    """The runs of a command, by their times; where perf did not tell these, by the first event that all have."""
    if all(run.walls for run in runs):
        values = [(wall, run, place) for run in runs for place, wall in enumerate(run.walls, start=run.position)]
        metric = WALL
    else:
        shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
        if not shared:
            return None
        metric = Metric(shared[0], runs[0].metrics[shared[0]][1])
        values = [(run.metrics[metric.name][0], run, run.position) for run in runs]
    invocations = tuple(
        Invocation(
            np.array([value]),
            position=position,
            process={} if run.is_mean else {name: found for name, (found, _) in run.metrics.items()},
        )
        for value, run, position in values
    )
    return Series(COMMANDS, command, "startup", invocations, metric)


PERF_STAT = MeasurementReader("perf-stat", "what perf stat prints, as text, with -x or with -j", _recognises, _read)
