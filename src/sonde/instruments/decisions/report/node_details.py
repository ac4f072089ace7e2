"""What there is to say of a node of a tree beyond its line: for the details of a page."""

from collections.abc import Sequence

from sonde.base.fitted_text import printable
from sonde.code import Place
from sonde.instruments.decisions.analysis.filtered_units import function_of
from sonde.instruments.decisions.analysis.places import place_text
from sonde.instruments.decisions.analysis.tree_items import Content
from sonde.instruments.decisions.analysis.words import value_text
from sonde.instruments.decisions.glossary import Meaning, Subject, glossary_of
from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun, Phase, ReceiverProfile
from sonde.report import Cell, Column

DETAIL_COLUMNS = (
    Column("said", "what was said", shown="data"),
    Column("receivers", "receivers", shown="data"),
    Column("meaning", "what it means", shown="data"),
    Column("through", "inlined through", shown="data"),
    Column("line", "line", "place", shown="data"),
)

_SEEN_WHOLE = 200
"""Letters of a note beside the name that are apt to be read there."""


class NodeDetails:
    """Details of nodes; remembers which words and which files it told of."""

    def __init__(self, runs: Sequence[DecisionRun]) -> None:
        self._runs = runs
        self._glossary = glossary_of(runs[0].kind)
        self.words: dict[Meaning, Subject] = {}
        """Words that have a meaning."""
        self.unexplained: dict[str, None] = {}
        """Decisions that have none."""
        self.last_lines: dict[str, int] = {}
        """Of each file the last line that was told of."""

    def cells(self, content: Content, run: DecisionRun, caller: str | None) -> tuple[Cell, ...]:
        """The cells of `DETAIL_COLUMNS`.

        Args:
            caller: in whose code a call is.
        """
        if isinstance(content, CallSite):
            return (
                _said_of_call(content) or None,
                _receivers(content.receivers) or None,
                self._meaning(
                    [("reasons", self._glossary.of_reason(reason)) for reason in dict.fromkeys(content.reasons)]
                ),
                None,
                self._line(caller, content.at, is_own=False),
            )
        if isinstance(content, Decision):
            properties = "\n".join(f"{printable(key)} {value_text(value)}" for key, value in content.properties)
            through = "\n".join(f"{printable(place.method)} {place_text(run, place)}" for place in content.position)
            innermost = content.position[0] if content.position else None
            return (
                properties if len(properties) > _SEEN_WHOLE else None,
                None,
                self._of_decision(content),
                through or "position not known",
                None if innermost is None else self._line(innermost.method, innermost.at, is_own=True),
            )
        meaning = self._glossary.of_phase(content.name) if isinstance(content, Phase) else None
        return None, None, self._meaning([("passes", meaning)]), None, None

    def _of_decision(self, decision: Decision) -> str:
        meaning = self._glossary.of_decision(decision)
        if meaning is None:
            self.unexplained[printable(f"{decision.name} {decision.event}".strip())] = None
        return self._meaning([("decisions", meaning)]) or "not in the glossary"

    def _meaning(self, found: Sequence[tuple[Subject, Meaning | None]]) -> str | None:
        known = {meaning: subject for subject, meaning in found if meaning is not None}
        self.words.update(known)
        return "\n".join(map(meaning_text, known)) or None

    def _line(self, method: str | None, at: int, *, is_own: bool) -> Place | None:
        """A line of a file; a method that two runs know is where the first has it.

        Args:
            is_own: whether it is the method that the line tells of.
        """
        if method is None or at < 0:
            return None
        found = next(filter(None, (run.source_line(method, at) for run in self._runs)), None)
        if found is None:
            return None
        file, line = found
        self.last_lines[file] = max(self.last_lines.get(file, 0), line)
        return Place(file, line, function_of(self._runs[0], method) if is_own else None)


def meaning_text(meaning: Meaning) -> str:
    """What a word means and what to do about it.

    >>> meaning_text(Meaning("NoDefinition", "The callee is in another file.", "Use LTO."))
    'The callee is in another file.\\nWhat to do: Use LTO.'
    """
    return f"{meaning.says}\nWhat to do: {meaning.remedy}" if meaning.remedy else meaning.says


def _said_of_call(site: CallSite) -> str:
    """All reasons, in order, and what the record says under names that are not known."""
    lines = [printable(reason) for reason in site.reasons]
    if len(lines) == 1 and len(lines[0]) <= _SEEN_WHOLE:
        lines = []
    return "\n".join([*lines, *(f"{printable(key)} {value_text(value)}" for key, value in site.more)])


def _receivers(profile: ReceiverProfile | None) -> str:
    if profile is None or (profile.mature and not profile.types):
        return ""
    lines = [
        f"{100.0 * one.probability:.1f}% {printable(one.type_name)}"
        + (f" \N{RIGHTWARDS ARROW} {printable(one.method)}" if one.method is not None else "")
        for one in profile.types
    ]
    return "\n".join([*([] if profile.mature else ["immature"]), *(lines or ["no type seen"])])
