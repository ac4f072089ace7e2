"""The guarantees of reading Graal's log: the index finds what parsing finds, and JSON of any depth is the same."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graal_logs import Json, line, root, unit
from sonde.base.errors import InputError
from sonde.instruments.decisions.readers.graal import index_file, read_unit
from sonde.instruments.decisions.readers.graal.deep_json import parse_deep

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
units = st.builds(unit, names, names, st.builds(root, names))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | names
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=20
)


@st.composite
def written_lines(draw: st.DrawFn) -> bytes:
    """A line as Graal writes it, or otherwise: spaced, escaped, cut off, joined to another, with a byte changed."""
    document: Json = draw(units)
    how = draw(st.sampled_from(["plain", "spaced", "escaped", "cut", "joined", "changed", "turned", "odd"]))
    plain = line(document)
    if how == "spaced":
        return line(document, spaced=True)
    if how == "escaped":
        return json.dumps(document).encode() + b"\n"
    if how == "cut":
        return plain[: draw(st.integers(0, len(plain)))]
    if how == "joined":
        return plain[: draw(st.integers(0, len(plain) - 1))] + line(draw(units))
    if how == "changed":
        at = draw(st.integers(0, len(plain) - 2))
        return plain[:at] + draw(st.binary(min_size=1, max_size=1)) + plain[at + 1 :]
    if how == "turned":
        return line(dict(reversed(document.items())))
    return (
        line(draw(st.fixed_dictionaries({"methodName": scalars, "compilationId": scalars}))) if how == "odd" else plain
    )


def by_parsing(content: bytes) -> tuple[list[tuple[str, str, int, int]], list[int]]:
    """Units, and bytes of lines that are none: every line parsed, as plainly as can be."""
    found, skipped, start = [], [], 0
    for raw in content.split(b"\n"):
        try:
            document: Any = json.loads(raw.decode()) if raw.strip() else None
            if not isinstance(document, dict):
                raise ValueError("not an object")
            name, compilation = document["methodName"], document["compilationId"]
            if not (isinstance(name, str) and isinstance(compilation, str)):
                raise ValueError("not text")
            found.append((name, compilation, start, len(raw)))
        except (ValueError, KeyError):
            if raw.strip():
                skipped.append(start)
        start += len(raw) + 1
    return found, skipped


@given(st.lists(written_lines(), max_size=6))
def test_the_index_equals_a_full_parse(lines: list[bytes]) -> None:
    content = b"".join(lines)
    with TemporaryDirectory() as folder:
        file = Path(folder, "0_1")
        file.write_bytes(content)

        index = index_file(file)

        units_then, skipped = by_parsing(content)
        parsed = {start: (name, compilation, start, length) for name, compilation, start, length in units_then}
        indexed = {each.offset: each for each in index.lines}
        for start, expected in parsed.items():
            assert indexed.pop(start) == expected
        for start, each in indexed.items():  # what only looks like a unit is found out when it is read
            assert start in skipped
            with pytest.raises(InputError):
                read_unit(file, start, each.length)
        assert {each.offset for each in index.skipped} == set(skipped) - set(indexed)


@given(documents)
def test_json_without_recursion_is_the_same(document: Any) -> None:
    for text in (json.dumps(document), json.dumps(document, indent=1, ensure_ascii=False)):
        assert parse_deep(text) == json.loads(text)
        assert json.dumps(parse_deep(text)) == json.dumps(document)


@given(st.text('{}[]:,"\\ n1.e-tru', max_size=12))
def test_what_is_no_json_is_refused_without_recursion_too(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011
            parse_deep(text)
    else:
        assert parse_deep(text) == expected
