"""Looks things up in reports that are JSON (`sonde.report/1`)."""

from typing import Any


def table(answer: dict[str, Any], key: str) -> dict[str, Any]:
    """The table of a key."""
    return _only(answer, "table", key)


def rows(answer: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The rows of a table, each before those below it."""
    found: list[dict[str, Any]] = []
    pending = list(reversed(table(answer, key)["rows"]))
    while pending:
        row = pending.pop()
        found.append(row)
        pending.extend(reversed(row.get("below", ())))
    return found


def facts(answer: dict[str, Any], key: str = "") -> dict[str, Any]:
    """Facts by their keys: those of one block, or of all."""
    blocks = [block for block in answer["blocks"] if block["type"] == "facts" and key in ("", block["key"])]
    return {fact["key"]: fact["value"] for block in blocks for fact in block["facts"]}


def notices(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """All notices."""
    return [each for block in answer["blocks"] if block["type"] == "notices" for each in block["notices"]]


def _only(answer: dict[str, Any], kind: str, key: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [block for block in answer["blocks"] if block["type"] == kind and block["key"] == key]
    assert len(found) == 1, [block["key"] for block in answer["blocks"]]
    return found[0]
