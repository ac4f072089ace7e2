"""Values that occur again and again, each once with its number: names, calls, decisions, positions."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

from sonde.instruments.decisions.analysis.words import value_text
from sonde.instruments.decisions.model import (
    CallKind,
    CallSite,
    Decision,
    Note,
    Outcome,
    Phase,
    Position,
    ReceiverProfile,
    Value,
)

MAX_TEXT = 400
"""Longer names lose their middle: generated code has names of megabytes."""

MAX_SAID = 10_000
"""Longer reasons and values lose their middle: that is more than compilers say, and less than a page cannot hold."""

CALL, DECISION, PHASE, NOTE = range(4)
"""What a content number is of; it stands in the number's two lowest bits."""

KINDS = tuple(CallKind)
OUTCOMES: tuple[Outcome, ...] = ("applied", "missed", "analysis")
NOTHING = -1


class Numbered:
    """Distinct values in order of appearance."""

    def __init__(self) -> None:
        self._number: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        return self._number.setdefault(value, len(self._number))

    @property
    def values(self) -> list[Any]:
        """Each once; a value's number is its place."""
        return list(self._number)


class Spoken(NamedTuple):
    """Numbers of texts that are words of the compiler, each once."""

    phases: list[int]
    decisions: list[tuple[int, int]]
    """Name and event."""
    reasons: list[int]


class Tables:
    """All tables of a page.

    Calls are `[kind, method, at, column, reasons, receivers, more]`, decisions `[name, event, outcome, position,
    properties]`, positions `[method, at, column, method, at, column, ...]` innermost first: names, reasons and so on
    are numbers in their own tables, -1 for none.
    """

    def __init__(self) -> None:
        self.strings = Numbered()
        self._calls, self._decisions, self._positions = Numbered(), Numbered(), Numbered()
        self._reasons, self._receivers, self._properties = Numbered(), Numbered(), Numbered()
        self._phases: dict[int, None] = {}

    def text(self, text: str | None) -> int:
        """The number of a text; -1 for none."""
        return NOTHING if text is None else self.strings(shorten(text))

    def said(self, text: str) -> int:
        """The number of what a compiler said, which is kept whole."""
        return self.strings(shorten(text, MAX_SAID))

    def content(self, content: CallSite | Decision | Phase | Note | None) -> int:
        """The number of what a node of a tree says by itself; -1 for none."""
        if content is None:
            return NOTHING
        if isinstance(content, CallSite):
            return self._call(content) << 2 | CALL
        if isinstance(content, Decision):
            return self._decision(content) << 2 | DECISION
        if isinstance(content, Phase):
            name = self.text(content.name)
            self._phases[name] = None
            return name << 2 | PHASE
        return self.text(content.text) << 2 | NOTE

    def as_data(self) -> dict[str, Any]:
        """What the page's scripts read."""
        return {
            "strings": self.strings.values,
            "calls": self._calls.values,
            "decisions": self._decisions.values,
            "positions": self._positions.values,
            "reasons": self._reasons.values,
            "receivers": self._receivers.values,
            "properties": self._properties.values,
            "kinds": [kind.value for kind in KINDS],
            "outcomes": list(OUTCOMES),
        }

    def spoken(self) -> Spoken:
        """The words of the compiler that the page has, as numbers."""
        reasons = {number: None for told in self._reasons.values for number in told}
        decisions = {(decision[0], decision[1]): None for decision in self._decisions.values}
        return Spoken(list(self._phases), list(decisions), list(reasons))

    def _call(self, site: CallSite) -> int:
        reasons = self._reasons(tuple(map(self.said, site.reasons))) if site.reasons else NOTHING
        receivers = NOTHING if site.receivers is None else self._profile(site.receivers)
        more = self._pairs(site.more)
        return self._calls(
            (KINDS.index(site.kind), self.text(site.method), site.at, site.column, reasons, receivers, more)
        )

    def _pairs(self, pairs: Iterable[tuple[str, Value]]) -> int:
        texts = tuple((self.text(key), self.said(value_text(value))) for key, value in pairs)
        return self._properties(texts) if texts else NOTHING

    def _profile(self, profile: ReceiverProfile) -> int:
        types = tuple(
            (self.text(one.type_name), round(one.probability, 6), self.text(one.method)) for one in profile.types
        )
        return self._receivers((int(profile.mature), types))

    def _decision(self, decision: Decision) -> int:
        return self._decisions(
            (
                self.text(decision.name),
                self.text(decision.event),
                OUTCOMES.index(decision.outcome),
                self._position(decision.position),
                self._pairs(decision.properties),
            )
        )

    def _position(self, position: Position) -> int:
        if not position:
            return NOTHING
        flat = [number for place in position for number in (self.text(place.method), place.at, place.column)]
        return self._positions(tuple(flat))


def shorten(text: str, limit: int = MAX_TEXT) -> str:
    """Cut the middle out of a text that is too long for a page.

    >>> shorten("abcdefghij", 5)
    'ab\\u2026ij'
    """
    if len(text) <= limit:
        return text
    end = (limit - 1) // 2
    return f"{text[: limit - 1 - end]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - end :]}"
