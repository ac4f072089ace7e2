"""Parameters on the command line: names, the values that each takes, and what commands become with them."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from sonde.base.errors import UsageError
from sonde.instruments.bench.runs.plan import Alternative
from sonde.instruments.bench.runs.suite_factors import combinations, filled, is_factor_name, placeholders
from sonde.instruments.bench.runs.suite_mistakes import near_to

MOST_COMBINATIONS = 10_000
"""Of the levels of one benchmark: more is a slip, and takes days to run."""
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(\d+))?")
_HINT = "--parameter n=1,10,100, or n=1..10, or n=0..100..20"

Parameters = Mapping[str, Sequence[str]]
"""Name -> values."""


def read_parameters(definitions: Sequence[str]) -> dict[str, list[str]]:
    """Read `NAME=VALUES`: values between commas, or ranges of whole numbers with both ends, in steps perhaps.

    Raises:
        UsageError: `bad-parameter`.

    >>> read_parameters(["n=1,10,100", "k=1..3", "size=0..100..50"])
    {'n': ['1', '10', '100'], 'k': ['1', '2', '3'], 'size': ['0', '50', '100']}
    """
    parameters: dict[str, list[str]] = {}
    for text in definitions:
        name, equals, listed = text.partition("=")
        if not equals or not is_factor_name(name):
            raise _refused(text, "it is not NAME=VALUES, with a name that begins with a letter and has no blanks")
        if name in parameters:
            raise _refused(text, f"'{name}' is there already")
        values = [value for part in listed.split(",") for value in _values(text, part)]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise _refused(text, f"it has the value '{twice}' twice")
        parameters[name] = values
    if (count := math.prod(map(len, parameters.values()))) > MOST_COMBINATIONS:
        raise _refused(" ".join(definitions), f"that makes {count} combinations, {MOST_COMBINATIONS} is the most")
    return parameters


def with_parameters(
    alternatives: Sequence[Alternative], parameters: Parameters
) -> Iterator[tuple[str, dict[str, str], list[Alternative]]]:
    """Fill `{name}` in all texts of alternatives, once for each combination of values.

    Yields:
        the name of a combination, such as `n=10, k=2`; its values; the alternatives as they are in it.
    Raises:
        UsageError: `bad-parameter`, a parameter that no text mentions, or a text that mentions what is none.
    """
    mentioned = placeholders(text for alternative in alternatives for text in _texts(alternative))
    for name in mentioned:
        if name not in parameters:
            remark = near_to(name, parameters)
            raise UsageError(
                f"cannot fill in '{{{name}}}': there is no parameter '{name}'{remark}",
                slug="bad-parameter",
                hint=f"write {{{{{name}}}}} for the text itself",
            )
    for name in parameters:
        if name not in mentioned:
            raise _refused(f"{name}=...", f"nothing mentions {{{name}}}")
    factors = {name: {value: value for value in values} for name, values in parameters.items()}
    for values in combinations(factors, ()):
        name = ", ".join(f"{key}={value}" for key, value in values.items())
        yield name, values, [_filled(alternative, values) for alternative in alternatives]


def _values(text: str, part: str) -> list[str]:
    found = _RANGE.fullmatch(part)
    if found is None:
        return [part]
    first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
    if not step or first > last:
        raise _refused(text, f"'{part}' is no range: the lesser end comes first, and steps are 1 or more")
    if (last - first) // step >= MOST_COMBINATIONS:
        raise _refused(text, f"'{part}' has more than {MOST_COMBINATIONS} values")
    return [str(value) for value in range(first, last + 1, step)]


def _refused(text: str, fact: str) -> UsageError:
    return UsageError(f"cannot use the parameter '{text}': {fact}", slug="bad-parameter", hint=_HINT)


_NAMES = ("name", "levels")
"""Of what is no text of an alternative that is run."""


def _texts(part: Any) -> Iterator[str]:
    """All texts of an alternative, or of its work, in which placeholders are replaced."""
    for field in fields(part):
        value = getattr(part, field.name)
        if field.name in _NAMES:
            continue
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from value.values()
        elif field.name == "work":
            yield from _texts(value)


def _filled(part: Any, values: Mapping[str, str]) -> Any:
    """An alternative, or its work, with values in the places of their names."""
    changed: dict[str, Any] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if field.name in _NAMES:
            continue
        if isinstance(value, str):
            changed[field.name] = filled(value, values)
        elif isinstance(value, Mapping):
            changed[field.name] = {key: filled(text, values) for key, text in value.items()}
        elif field.name == "work":
            changed[field.name] = _filled(value, values)
    return replace(part, **changed)
