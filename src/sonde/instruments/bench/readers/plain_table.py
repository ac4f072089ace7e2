"""Reader of plain tables: CSV, TSV, or one number in a line.

    value          benchmark,alternative,invocation,iteration,value        old,new
    0.131          sort,quick,1,1,0.131                                    0.131,0.127
    0.128          sort,quick,1,2,0.128                                    0.128,0.130

Columns may be in any order, and all but the value's may be missing. Values are seconds unless their column says
otherwise (`time_ms`, `value (MB/s)`, `ops/s`), or a column `unit` does; more of what is per second is better. Where
no column `invocation` tells which values come from one process, none are taken for independent.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sonde.base.errors import InputError
from sonde.instruments.bench.directions import direction_of
from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Mode, Provenance, Series
from sonde.instruments.bench.readers.json_node import bad_measurement
from sonde.instruments.bench.readers.ordering import in_one_order
from sonde.instruments.bench.readers.reader import InputFile, MeasurementReader
from sonde.instruments.bench.readers.refusals import nothing_measured
from sonde.instruments.bench.time_units import SECONDS_PER

_NAMES = {
    "benchmark": ("benchmark", "bench", "name", "test"),
    "alternative": ("alternative", "variant", "version", "configuration", "config", "command", "executor", "vm"),
    "invocation": ("invocation", "process", "run", "fork"),
    "iteration": ("iteration", "iter"),
    "unit": ("unit",),
    "value": ("value", "time", "wall", "elapsed", "duration", "runtime", "real"),
}
"""What a column is -> how it may be named; the first is the name that is meant. Where no column is named as that of the
values, it is the first that is called by a unit alone."""
_UNIT_IN_BRACKETS = re.compile(r"(?P<name>[^(\[]+?)\s*[(\[](?P<unit>[^()\[\]]+)[)\]]")
_TIME_UNIT = re.compile(r"(?P<name>\w+?)_(?P<unit>[a-zµμ]+)")
_BENCHMARK = "values"
"""What is measured where no column says it; the same in all files, so that these can be compared."""
_PEEK = 5
"""Rows by which a table is told."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows of cells, with what their columns are."""

    columns: tuple[str, ...]
    """Names; empty where there is no header."""
    roles: Mapping[str, int]
    """What -> which column."""
    scale_unit: str
    """The unit of the values as their column says it; empty where it does not."""
    rows: Sequence[tuple[int, list[str]]]
    """Number of the line, cells."""


@dataclass(slots=True)
class _Process:
    """What one invocation yielded."""

    values: dict[str, float]
    """By iteration; by line where there is no such column."""
    last: int = 0
    """Line."""

    def in_order(self) -> list[float]:
        """By the number of the iteration, where all have one; as they stand in the file where not."""
        if not all(map(_is_number, self.values)):
            return list(self.values.values())
        return [value for _, value in sorted(self.values.items(), key=lambda item: float(item[0]))]


def _recognises(file: InputFile) -> bool:
    if file.is_folder or not file.text.strip() or file.text.lstrip()[:1] in ("{", "["):
        return False
    return _table(file, most=_PEEK) is not None


def _read(file: InputFile) -> Measurements:
    table = _table(file, most=None)
    if table is None:
        raise file.corrupt("it is no table of numbers: its columns are not named, or none of them is called 'value'")
    if not table.rows:
        raise nothing_measured(file, "plain text")
    if "value" in table.roles:
        return _long(file, table)
    return _wide(file, table)


def _table(file: InputFile, most: int | None) -> _Table | None:
    """The file as a table; None where it is none. Only the first `most` rows are looked at."""
    lines = [
        (number, line)
        for number, line in enumerate(file.text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        return None
    lines = lines if most is None else lines[:most]
    separator = next((each for each in ("\t", ";", ",") if each in lines[0][1]), ",")
    texts = csv.reader((line for _, line in lines), delimiter=separator, skipinitialspace=True)
    try:
        rows = [(number, [cell.strip() for cell in cells]) for (number, _), cells in zip(lines, texts, strict=False)]
    except csv.Error:
        return None
    first = rows[0][1]
    if len(first) == 1 and _is_number(first[0]):
        return _Table((), {"value": 0}, "", rows)
    if any(_is_number(cell) for cell in first) or not all(first):
        return None
    roles, unit = _roles(first)
    data = [[cell for cell in cells if cell] for _, cells in rows[1:_PEEK]]
    if "value" not in roles and (roles or not any(cells and all(map(_is_number, cells)) for cells in data)):
        return None
    if len(roles) == 1 and not any(map(_is_number, (cell for cells in data for cell in cells))):
        return None  # a text whose first line happens to be one of our names
    return _Table(tuple(first), roles, unit, rows[1:])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _roles(header: Sequence[str]) -> tuple[dict[str, int], str]:
    """What -> column, and the unit that the value's column names."""
    roles: dict[str, int] = {}
    value_unit = ""
    for index, cell in enumerate(header):
        name, unit = _name_and_unit(cell)
        role = next((role for role, names in _NAMES.items() if name in names), None)
        if role is not None and role not in roles:
            roles[role] = index
            value_unit = unit if role == "value" else value_unit
    if "value" not in roles:
        units = [(index, unit) for index, unit in enumerate(map(_unit, header)) if _is_known(unit)]
        if units:
            roles["value"], value_unit = units[0]
    return roles, value_unit


def _name_and_unit(cell: str) -> tuple[str, str]:
    """What a column is called, and the unit that it says."""
    name, unit = _bracketed(cell)
    if unit:
        return name.lower(), unit
    suffixed = _TIME_UNIT.fullmatch(name.lower())
    if suffixed and suffixed["unit"] in SECONDS_PER:
        return suffixed["name"], suffixed["unit"]
    return name.lower(), ""


def _bracketed(cell: str) -> tuple[str, str]:
    """The cell without what stands in brackets at its end, and that as a unit."""
    found = _UNIT_IN_BRACKETS.fullmatch(cell)
    return (found["name"], _unit(found["unit"].strip())) if found else (cell, "")


def _unit(text: str) -> str:
    """Units of time as `SECONDS_PER` has them, others as they are written."""
    return text.lower() if text.lower() in SECONDS_PER else text


def _is_known(unit: str) -> bool:
    return unit in SECONDS_PER or direction_of(unit) == "higher"


def _long(file: InputFile, table: _Table) -> Measurements:
    """A value in each row."""
    found: dict[tuple[str, str, str], dict[str, _Process]] = defaultdict(dict)
    last: dict[tuple[str, str, str], str] = {}
    for number, cells in table.rows:
        if table.columns and len(cells) != len(table.columns):
            raise file.corrupt(f"line {number} has {len(cells)} columns, the header has {len(table.columns)}")
        said = {role: cells[index] for role, index in table.roles.items()}
        unit = _unit(said.get("unit", "")) or table.scale_unit or "s"
        key = (said.get("benchmark", _BENCHMARK), said.get("alternative", file.title), unit)
        name, iteration = said.get("invocation", ""), said.get("iteration")
        process = found[key].setdefault(name, _Process({}))
        if iteration is None and process.values and last[key] != name:
            raise _repeated(file, f"line {number} goes back to invocation '{name}', which ended in line {process.last}")
        if iteration is not None and iteration in process.values:
            raise _repeated(file, f"line {number} repeats iteration '{iteration}' of invocation '{name}'")
        process.values[iteration or str(number)] = _value(file, said["value"], number, unit)
        process.last, last[key] = number, name
    separate = "invocation" in table.roles
    unknown = [name for index, name in enumerate(table.columns) if index not in table.roles.values()]
    skipped = (f"columns {', '.join(repr(name) for name in unknown)}",) if unknown else ()
    series = in_one_order(
        _series(benchmark, alternative, unit, [each.in_order() for each in processes.values()], separate)
        for (benchmark, alternative, unit), processes in found.items()
    )
    return Measurements(series, Provenance("plain table", str(file.path)), skipped=skipped)


def _repeated(file: InputFile, fact: str) -> InputError:
    """Two processes of one name, perhaps of two runs, would pass for one."""
    return file.corrupt(fact, "give each process a number of its own, and its values a column 'iteration'")


def _wide(file: InputFile, table: _Table) -> Measurements:
    """An alternative in each column; columns may be of different length."""
    columns: dict[int, list[float]] = defaultdict(list)
    names = [_alternative_and_unit(cell) for cell in table.columns]
    for number, cells in table.rows:
        if len(cells) > len(table.columns):
            raise file.corrupt(f"line {number} has {len(cells)} columns, the header has {len(table.columns)}")
        for index, cell in enumerate(cells):
            if cell:
                columns[index].append(_value(file, cell, number, names[index][1]))
    series = tuple(
        _series(_BENCHMARK, name, unit, [columns[index]], False)
        for index, (name, unit) in enumerate(names)
        if columns[index]
    )
    return Measurements(series, Provenance("plain table", str(file.path)))


def _alternative_and_unit(cell: str) -> tuple[str, str]:
    """What stands in brackets is a unit only if it is known as one: `old (MB/s)`, but not `sort (quick)`."""
    name, unit = _bracketed(cell)
    return (name, unit) if _is_known(unit) else (cell, "s")


def _value(file: InputFile, cell: str, line: int, unit: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value) or (value < 0.0 and unit in SECONDS_PER):
        raise bad_measurement(file.path, f"the value in line {line}", cell)
    return value


def _series(benchmark: str, alternative: str, unit: str, processes: list[list[float]], separate: bool) -> Series:
    scale = SECONDS_PER.get(unit)
    metric = WALL if scale is not None else Metric.in_unit("value", unit)
    invocations = tuple(Invocation(np.array(values) * (scale or 1.0)) for values in processes)
    mode: Mode = "steady" if any(len(values) > 1 for values in processes) else "startup"
    return Series(benchmark, alternative, mode, invocations, metric, separate=separate)


PLAIN_TABLE = MeasurementReader("table", "CSV, TSV, or one number in a line", _recognises, _read)
