"""JSON without recursion says what the standard library says."""

import json

import pytest

from sonde.instruments.decisions.readers.graal.deep_json import parse_deep, parse_json


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, -2.5e3, true, false, null, "x\\n\\u00e9\\"]"], "b": {}, "c": []}',
        " [ ] ",
        "3",
        '"é"',
        '{"a":1,"a":2}',
    ],
)
def test_what_is_json_is_read(text: str) -> None:
    assert parse_deep(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "{,}",
        '{"a"}',
        '{"a":}',
        '{"a":1,}',
        "{1:2}",
        "[1 2]",
        "[1}",
        "]",
        "nul",
        "1 2",
        "'a'",
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        json.loads(text)
    with pytest.raises(ValueError):  # noqa: PT011
        parse_deep(text)


def test_depth_is_no_limit() -> None:
    value = parse_json("[" * 50_000 + "]" * 50_000)

    levels = 1
    while value:
        (value,) = value
        levels += 1
    assert levels == 50_000
