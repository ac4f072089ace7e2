"""JSON of values nested however deep."""

import json
from collections.abc import Iterator
from typing import Any


def compact_json(value: Any) -> str:
    """The text without blanks, as `json.dumps` has it, which gives up where values are nested a thousand deep or so.

    Cost: O(n). No recursion.

    >>> compact_json({"a": [1, {}], "b": None})
    '{"a":[1,{}],"b":null}'
    """
    try:
        return json.dumps(value, separators=(",", ":"))
    except RecursionError:
        return "".join(_pieces(value))


def _pieces(value: Any) -> Iterator[str]:
    # Each entry: a text that is ready, or a value that has yet to be written.
    waiting: list[tuple[str | None, Any]] = [(None, value)]
    while waiting:
        ready, one = waiting.pop()
        if ready is not None:
            yield ready
        elif isinstance(one, dict):
            yield "{"
            waiting.append(("}", None))
            for place, (key, below) in reversed(list(enumerate(one.items()))):
                waiting += [(None, below), (f"{',' if place else ''}{json.dumps(key)}:", None)]
        elif isinstance(one, list | tuple):
            yield "["
            waiting.append(("]", None))
            for place, below in reversed(list(enumerate(one))):
                waiting += [(None, below), (",", None)] if place else [(None, below)]
        else:
            yield json.dumps(one)
