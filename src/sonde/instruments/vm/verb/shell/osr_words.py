"""What follows `osr insert`: `open in f at %loop when counter 1000 to inline %c as f.osr comp "..."`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.base.errors import UsageError
from sonde.osr import Condition, StateMap, parse_condition

USAGE = (
    "osr insert open|resolved in FUNCTION[@VERSION] at PLACE when CONDITION to TARGET [as VERSION] [comp CODE]\n"
    "  osr points [FUNCTION] | osr show FUNCTION | osr fire FUNCTION | osr hold FUNCTION"
)
_ORDER = ("in", "at", "when", "to")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A point that is asked for."""

    kind: Literal["open", "resolved"]
    function: str
    place: str
    when: Condition
    target: tuple[str, ...]
    """Words: `clone`, `inline %c`, a version, or `f at %place`."""
    version: str | None
    compensation: StateMap | None


def read_insertion(words: Sequence[str]) -> Insertion:
    """Read the words after `osr insert`.

    Raises:
        UsageError: `missing-argument`, `osr-condition`, `osr-compensation`.
    """
    rest = list(words)
    kind = rest.pop(0) if rest else ""
    if kind not in ("open", "resolved"):
        raise _misread(f"'{kind}' is neither 'open' nor 'resolved'" if kind else "what is to be inserted is missing")
    parts: dict[str, list[str]] = {}
    for number, keyword in enumerate(_ORDER):
        if not rest or rest.pop(0) != keyword:
            raise _misread(f"'{keyword}' should stand here, after '{' '.join(words[: len(words) - len(rest)][-3:])}'")
        after = _ORDER[number + 1 : number + 2] or ("as", "comp")
        end = next((at for at, word in enumerate(rest) if word in after), len(rest))
        parts[keyword], rest = rest[:end], rest[end:]
        if not parts[keyword]:
            raise _misread(f"nothing follows '{keyword}'")
    version = _option(rest, "as")
    compensation = _option(rest, "comp")
    if rest:
        raise _misread(f"'{rest[0]}' is one word too many")
    for keyword in ("in", "at"):
        if len(parts[keyword]) > 1:
            raise _misread(f"'{parts[keyword][1]}' is one word too many after '{keyword}'")
    when = parse_condition([word for part in parts["when"] for word in part.split()])
    return Insertion(
        "open" if kind == "open" else "resolved",
        parts["in"][0],
        parts["at"][0],
        when,
        tuple(parts["to"]),
        version,
        None if compensation is None else _state_map(compensation),
    )


def _option(rest: list[str], keyword: str) -> str | None:
    if not rest or rest[0] != keyword:
        return None
    if len(rest) < 2:
        raise _misread(f"nothing follows '{keyword}'")
    del rest[0]
    return rest.pop(0)


def _state_map(text: str) -> StateMap:
    try:
        return StateMap.from_text(text)
    except ValueError as error:
        raise UsageError(
            f"cannot use the compensation code '{text}': {error}",
            slug="osr-compensation",
            hint='comp "%sum = add i64 %total, 1; %n = i64 8"',
        ) from error


def _misread(fact: str) -> UsageError:
    return UsageError(f"cannot insert the point: {fact}", slug="missing-argument", hint=f"usage: {USAGE}")
