"""Measurements as rows of a results file, and back."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sonde.evidence import Doubt
from sonde.instruments.bench.measurements import Invocation, Measurements, Metric, Provenance, Series
from sonde.instruments.bench.results_file.cells import (
    check_invocation,
    check_process,
    levels_of,
    one_of,
    read_all_meta,
    texts,
    time_of,
    whole_number,
)
from sonde.instruments.bench.results_file.event import Event
from sonde.store.container import storable
from sonde.store.writing import DatabaseWriter

INSERT_INVOCATION = f"INSERT INTO invocation VALUES (NULL{', ?' * 13})"
_ROWS_AT_ONCE = 1000


def read_measurements(db: sqlite3.Connection, path: Path) -> Measurements:
    """Everything that a results file holds.

    Args:
        path: what it is called.
    """
    meta = read_all_meta(db)
    invocations = _read_invocations(db)
    series = tuple(
        Series(
            benchmark, alternative, mode, tuple(invocations.pop(number, ())), Metric(metric, unit, better), levels, sep
        )
        for number, benchmark, alternative, mode, metric, unit, better, sep, levels in _read_series(db)
    )
    if invocations:
        raise ValueError(f"there are invocations of series {next(iter(invocations))!r}, which is not there")
    return Measurements(
        series=series,
        provenance=Provenance(
            tool=meta.get("tool", ""),
            file=meta.get("file") or str(path),
            measured_at=meta.get("measured_at", ""),
            environment=meta.get("environment", {}),
        ),
        doubts=_read_doubts(db),
        skipped=tuple(meta.get("skipped", ())),
        looked_between={name: (least, most) for name, (least, most) in meta.get("looked_between", {}).items()},
    )


def read_all_events(db: sqlite3.Connection) -> tuple[Event, ...]:
    """What befell the run, in order."""
    events = tuple(Event(*row) for row in db.execute("SELECT at, kind, text FROM event ORDER BY id"))
    for event in events:
        texts("event", {"kind": event.kind, "text": event.text})
        time_of("event", "at", event.at)
    return events


def _read_doubts(db: sqlite3.Connection) -> tuple[Doubt, ...]:
    """Those of the whole experiment; and those of single rounds where none sums them up, as the run was cut off."""
    rows = db.execute("SELECT slug, text, hint, round FROM doubt ORDER BY id").fetchall()
    for slug, text, hint, round_ in rows:
        texts("doubt", {"slug": slug, "text": text, "hint": hint})
        whole_number("doubt", "round", round_, or_null=True)
    summed_up = {slug for slug, _, _, round_ in rows if round_ is None}
    return tuple(
        Doubt(slug, text, hint=hint) for slug, text, hint, round_ in rows if round_ is None or slug not in summed_up
    )


def _read_series(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    for row in db.execute("SELECT * FROM series ORDER BY id"):
        number, benchmark, alternative, mode, metric, unit, better, separate, levels = row
        names = {"benchmark": benchmark, "alternative": alternative, "metric": metric, "unit": unit}
        texts("series", names)
        one_of("series", "mode", mode, ("startup", "steady"))
        one_of("series", "better", better, ("lower", "higher"))
        whole_number("series", "separate", separate, least=0)
        yield number, benchmark, alternative, mode, metric, unit, better, bool(separate), levels_of(levels)


def _read_invocations(db: sqlite3.Connection) -> dict[int, list[Invocation]]:
    """Series -> invocations, in the order of the run."""
    found: dict[int, list[Invocation]] = defaultdict(list)
    cursor = db.execute(
        "SELECT series, outcome, detail, warmups, loops, round, position, started, process, value_count, data"
        " FROM invocation ORDER BY id"
    )
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        # Numbers of many rows are converted at once: one at a time takes twice as long.
        for row in rows:
            check_invocation((*row[1:8], *row[9:]))
        values = np.frombuffer(b"".join([row[10] for row in rows]), dtype="<f8").astype(np.float64, copy=False)
        if not np.isfinite(values).all():
            raise ValueError("values of an invocation are not finite")
        processes = json.loads(f"[{','.join([row[8] for row in rows])}]")
        end = 0
        for row, process in zip(rows, processes, strict=True):
            check_process(process)
            series, outcome, detail, warmups, loops, round_, position, started, _, count, _ = row
            begin, end = end, end + count
            found[series].append(
                Invocation(values[begin:end], outcome, detail, warmups, loops, round_, position, started, process)
            )
    return found


def write_measurements(writer: DatabaseWriter, measurements: Measurements) -> None:
    """Fill an empty results file."""
    origin = measurements.provenance
    writer.write_meta(
        {
            "tool": origin.tool,
            "file": origin.file,
            "measured_at": origin.measured_at,
            "environment": dict(origin.environment),
            "skipped": list(measurements.skipped),
            "looked_between": {name: list(looks) for name, looks in measurements.looked_between.items()},
        }
    )
    writer.insert("doubt", ((None, doubt.kind, doubt.detail, doubt.hint, None) for doubt in measurements.doubts))
    writer.insert(
        "series", ((number, *series_row(series)) for number, series in enumerate(measurements.series, start=1))
    )
    writer.insert("invocation", ((None, *row) for row in _in_order_of_the_run(measurements.series)))


def _in_order_of_the_run(all_series: Iterable[Series]) -> Iterator[tuple[Any, ...]]:
    """Rows of `invocation`; those without a position stand where their series stands."""
    found = [
        (number, invocation) for number, series in enumerate(all_series, start=1) for invocation in series.invocations
    ]
    if all(invocation.position is not None for _, invocation in found):
        found.sort(key=lambda entry: entry[1].position or 0)
    return (invocation_row(number, invocation) for number, invocation in found)


def series_row(series: Series) -> tuple[Any, ...]:
    """The row of a series, without its number."""
    metric = series.metric
    names = (series.benchmark, series.alternative, series.mode, metric.name, metric.unit, metric.better)
    return (*map(storable, names), int(series.separate), json.dumps(dict(series.levels)))


def invocation_row(series: int, invocation: Invocation) -> tuple[Any, ...]:
    """What `INSERT_INVOCATION` takes."""
    values = np.ascontiguousarray(invocation.values, dtype="<f8")
    some = len(values) > 0
    with np.errstate(over="ignore"):  # the mean of values near the largest that there is: infinite
        mean = float(values.mean()) if some else None
    return (
        series,
        invocation.round,
        invocation.position,
        invocation.started,
        invocation.outcome,
        storable(invocation.detail),
        invocation.warmups,
        invocation.loops,
        len(values),
        mean,
        float(values.min()) if some else None,
        values.tobytes(),
        json.dumps(dict(invocation.process), separators=(",", ":")),
    )
