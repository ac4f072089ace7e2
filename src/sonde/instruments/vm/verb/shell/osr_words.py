"""What follows `osr insert`: `open in f at %loop when counter 1000 to inline %c as f.osr comp "..."`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.base.errors import UsageError
from sonde.osr import Condition, StateMap, parse_condition

USAGE = (
    "osr insert open|resolved in FUNCTION[@VERSION] at PLACE when CONDITION to TARGET [as VERSION] [comp CODE]\n"
    "  osr insert shared in FUNCTION[@VERSION] at PLACE when CONDITION [at PLACE when CONDITION ...]\n"
    "    to clone [PASSES] [as VERSION]\n"
    "  osr points [FUNCTION] | osr show FUNCTION | osr fire FUNCTION | osr hold FUNCTION"
)
_NOUNS = ("insert", "points", "show", "fire", "hold")
_KINDS = ("open", "resolved", "shared")
_FOLLOWS = {"insert": _KINDS, **dict.fromkeys(_KINDS, ("in",)), "to": ("clone", "inline"),
            "when": ("always", "never", "flag", "counter"), "flag": ("every",)}  # fmt: skip
"""What may follow a word."""
_AFTER = {"in": ("at",), "at": ("when",), "when": ("to",), "to": ("as", "comp"), "as": ("comp",)}
"""What may follow a keyword and what belongs to it."""


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
    if kind not in _KINDS:
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


def complete(earlier: Sequence[str], word: str, functions: Callable[[str], Sequence[str]]) -> list[str]:
    """What a word of `osr` could become.

    Args:
        earlier: the words between `osr` and this one.
        functions: those that begin with a text.

    >>> complete(["insert"], "", list), complete(["insert", "open", "in", "f"], "", list)
    (['open', 'resolved', 'shared'], ['at'])
    """
    if not earlier:
        found: Sequence[str] = _NOUNS
    elif earlier[0] != "insert":
        return [*functions(word)] if len(earlier) == 1 and earlier[0] in _NOUNS else []
    elif earlier[-1] == "in":
        return [*functions(word)]
    elif earlier[-1] in _FOLLOWS:
        found = _FOLLOWS[earlier[-1]]
    elif earlier[-1] in _AFTER:
        return []  # a place or a name, which is not known here
    else:
        last = next((each for each in reversed(earlier) if each in _AFTER), "")
        found = _AFTER.get(last, ())
        if last == "when" and earlier[1:2] == ["shared"]:
            found = ("at", "to")
    return [each for each in found if each.startswith(word)]


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
