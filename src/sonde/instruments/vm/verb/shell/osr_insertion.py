"""What follows `osr insert`: `open in f at %loop when counter 1000 to inline %c as f.osr comp "..."`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.base.errors import UsageError
from sonde.instruments.vm.verb.shell.osr_words import KINDS, USAGE
from sonde.osr import Condition, StateMap, parse_condition


@dataclass(frozen=True, slots=True)
class Insertion:
    """A point that is asked for, or several that share their continuation."""

    kind: Literal["open", "resolved", "shared"]
    function: str
    points: tuple[tuple[str, Condition], ...]
    """Where, and when; one, unless it is `shared`."""
    target: tuple[str, ...]
    """Words: `clone`, `inline %c`, a version, or `f at %place`."""
    version: str | None
    compensation: StateMap | None

    @property
    def place(self) -> str:
        return self.points[0][0]

    @property
    def when(self) -> Condition:
        return self.points[0][1]


def read_insertion(words: Sequence[str]) -> Insertion:
    """Read the words after `osr insert`.

    Raises:
        UsageError: `missing-argument`, `osr-condition`, `osr-compensation`.
    """
    rest = list(words)
    kind = rest.pop(0) if rest else ""
    if kind not in KINDS:
        raise _misread(
            f"'{kind}' is neither 'open', 'resolved' nor 'shared'" if kind else "what is to be inserted is missing"
        )
    is_shared = kind == "shared"
    function = _single(words, rest, "in", ("at",))
    points: list[tuple[str, Condition]] = []
    while not points or (is_shared and rest[:1] == ["at"]):
        place = _single(words, rest, "at", ("when",))
        when = _part(words, rest, "when", ("to", "at") if is_shared else ("to",))
        points.append((place, parse_condition([word for part in when for word in part.split()])))
    target = _part(words, rest, "to", ("as", "comp"))
    version = _option(rest, "as")
    compensation = None if is_shared else _option(rest, "comp")
    if rest:
        raise _misread(f"'{rest[0]}' is one word too many")
    return Insertion(
        "shared" if is_shared else "open" if kind == "open" else "resolved",
        function,
        tuple(points),
        tuple(target),
        version,
        None if compensation is None else _state_map(compensation),
    )


def _part(words: Sequence[str], rest: list[str], keyword: str, until: Sequence[str]) -> list[str]:
    """Take a keyword and the words that belong to it."""
    if not rest or rest.pop(0) != keyword:
        raise _misread(f"'{keyword}' should stand here, after '{' '.join(words[: len(words) - len(rest)][-3:])}'")
    end = next((at for at, word in enumerate(rest) if word in until), len(rest))
    taken = rest[:end]
    del rest[:end]
    if not taken:
        raise _misread(f"nothing follows '{keyword}'")
    return taken


def _single(words: Sequence[str], rest: list[str], keyword: str, until: Sequence[str]) -> str:
    taken = _part(words, rest, keyword, until)
    if len(taken) > 1:
        raise _misread(f"'{taken[1]}' is one word too many after '{keyword}'")
    return taken[0]


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
