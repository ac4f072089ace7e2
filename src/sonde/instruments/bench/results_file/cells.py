"""What may stand in the cells of a results file: SQLite itself lets anything stand anywhere."""

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

_OUTCOMES = ("ok", "failed", "timeout", "interrupted")


def texts(table: str, cells: Mapping[str, object]) -> None:
    """Refuse what is no text.

    Raises:
        ValueError: with the column's name.
    """
    for column, cell in cells.items():
        if not isinstance(cell, str):
            raise _odd(table, column, cell, "text")


def one_of(table: str, column: str, cell: object, known: Sequence[str]) -> None:
    """Refuse what is none of these words."""
    if cell not in known:
        raise _odd(table, column, cell, " or ".join(known))


def whole_number(table: str, column: str, cell: object, *, least: int | None = None, or_null: bool = False) -> None:
    """Refuse what is no whole number, or below the least."""
    if cell is None and or_null:
        return
    if type(cell) is not int or (least is not None and cell < least):
        raise _odd(table, column, cell, "a whole number" if least is None else f"a whole number from {least} on")


def time_of(table: str, column: str, cell: object) -> None:
    """Refuse what are no seconds since the epoch."""
    if not _is_number(cell):
        raise _odd(table, column, cell, "a time")


def check_invocation(row: Sequence[Any]) -> None:
    """Refuse a row of the table `invocation`.

    Args:
        row: outcome, detail, warmups, loops, round, position, started, value_count, data.
    Raises:
        ValueError: with the column's name.
    """
    outcome, detail, warmups, loops, round_, position, started, count, data = row
    one_of("invocation", "outcome", outcome, _OUTCOMES)
    texts("invocation", {"detail": detail})
    whole_number("invocation", "warmups", warmups, least=0, or_null=True)
    whole_number("invocation", "loops", loops, least=0)
    whole_number("invocation", "round", round_, or_null=True)
    whole_number("invocation", "position", position, or_null=True)
    if started is not None:
        time_of("invocation", "started", started)
    whole_number("invocation", "value_count", count, least=0)
    if not isinstance(data, bytes):
        raise _odd("invocation", "data", data, "float64 numbers")
    if 8 * count != len(data):
        raise ValueError(f"an invocation has {count} values in {len(data)} bytes")


def check_process(process: object) -> None:
    """Refuse what are no metrics of a process, by name."""
    if not isinstance(process, dict) or not all(map(_is_number, process.values())):
        raise _odd("invocation", "process", process, "an object of numbers")


def levels_of(cell: object) -> Mapping[str, str]:
    """Factor -> level, from the JSON of a series."""
    texts("series", {"levels": cell})
    levels = json.loads(str(cell))
    if not isinstance(levels, dict) or not all(isinstance(level, str) for level in levels.values()):
        raise _odd("series", "levels", levels, "an object of texts")
    return levels


def read_all_meta(db: sqlite3.Connection) -> dict[str, Any]:
    """Everything in the table `meta`, with what sonde itself reads of it as it should be.

    Raises:
        ValueError: with the key.
    """
    meta = {}
    for key, value in db.execute("SELECT key, value FROM meta ORDER BY key"):
        texts("meta", {"key": key, "value": value})
        meta[key] = json.loads(value)
    for key in ("tool", "file", "measured_at"):
        texts("meta", {key: meta.get(key, "")})
    environment, skipped, looks = (meta.get(key, {}) for key in ("environment", "skipped", "looked_between"))
    if not isinstance(environment, dict) or not all(isinstance(fact, str) for fact in environment.values()):
        raise _odd("meta", "environment", environment, "an object of texts")
    if "skipped" in meta and not (isinstance(skipped, list) and all(isinstance(each, str) for each in skipped)):
        raise _odd("meta", "skipped", skipped, "a list of texts")
    if not isinstance(looks, dict) or not all(_is_range(each) for each in looks.values()):
        raise _odd("meta", "looked_between", looks, "an object of least and most rounds")
    if "plan" in meta and not isinstance(meta["plan"], dict):
        raise _odd("meta", "plan", meta["plan"], "an object")
    return meta


def _is_range(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(each) is int and each >= 0 for each in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _odd(table: str, column: str, found: object, wanted: str) -> ValueError:
    text = repr(found)
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    return ValueError(f"{column} in the table '{table}' is {shown}, not {wanted}")
