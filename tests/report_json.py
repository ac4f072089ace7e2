"""Answers as programs read them: what is in the JSON of a report (`--json` of every instrument)."""

from typing import Any

from sonde.render.report_json import SCHEMA

Data = dict[str, Any]


def blocks(answer: Data, kind: str) -> list[Data]:
    """The blocks of a kind: `facts`, `notices`, `findings`, `note`, `table` or `listing`.

    >>> blocks({"schema": SCHEMA, "blocks": [{"type": "note", "text": "so"}]}, "note")
    [{'type': 'note', 'text': 'so'}]
    """
    assert answer["schema"] == SCHEMA
    return [block for block in answer["blocks"] if block["type"] == kind]


def facts(answer: Data, key: str = "") -> Data:
    """The values of all facts by their keys, or of those in the blocks of a key.

    >>> facts({"schema": SCHEMA, "blocks": [{"type": "facts", "key": "run", "facts": [{"key": "calls", "value": 3}]}]})
    {'calls': 3}
    """
    told = [fact for block in blocks(answer, "facts") if key in ("", block["key"]) for fact in block["facts"]]
    found = {fact["key"]: fact["value"] for fact in told}
    assert all(found[fact["key"]] == fact["value"] for fact in told), "two facts of one key differ"
    return found


def table(answer: Data, key: str) -> list[Data]:
    """The rows of a table, in order; those below a row are its `below`. Fails when there is not one such table.

    >>> table({"schema": SCHEMA, "blocks": [{"type": "table", "key": "types", "rows": [{"born": 3}]}]}, "types")
    [{'born': 3}]
    """
    (found,) = (block for block in blocks(answer, "table") if block["key"] == key)
    rows: list[Data] = found["rows"]
    return rows


def all_rows(answer: Data, key: str) -> list[Data]:
    """The rows of a table, each before those below it."""
    found: list[Data] = []
    pending = table(answer, key)[::-1]
    while pending:
        found.append(pending.pop())
        pending.extend(reversed(found[-1].get("below", ())))
    return found


def left_out(answer: Data, key: str) -> int:
    """How many rows a table does not have."""
    (found,) = (block for block in blocks(answer, "table") if block["key"] == key)
    count: int = found.get("left_out", 0)
    return count


def units(answer: Data, key: str) -> dict[str, str]:
    """The units of a table's columns by their keys."""
    (found,) = (block for block in blocks(answer, "table") if block["key"] == key)
    return {column["key"]: column["unit"] for column in found["columns"]}


def has_table(answer: Data, key: str) -> bool:
    """Whether there is such a table: most that have no rows are left out."""
    return any(block["key"] == key for block in blocks(answer, "table"))


def notices(answer: Data) -> list[Data]:
    """All notices, in order."""
    return [notice for block in blocks(answer, "notices") for notice in block["notices"]]
