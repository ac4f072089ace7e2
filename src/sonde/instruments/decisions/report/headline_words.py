"""Words of headlines: what runs are called, where something is, and what a compiler's word means in a clause."""

import re
from collections.abc import Iterable, Sequence

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.instruments.decisions.analysis.comparison import Comparison
from sonde.instruments.decisions.analysis.places import offset_text
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.glossary import glossary_of
from sonde.instruments.decisions.model import Decision, DecisionRun
from sonde.render.name_text import bare_name

_RUN, _NAME, _REASON = 16, 36, 60
"""Columns."""
_WIDTHS = ("VectorizationFactor", "VF", "vectorLength")
"""Properties that say how many iterations are done at once."""
_SIDE = re.compile(r"\bin ([AB])(?=[,;]|$)")


def run_names(comparison: Comparison) -> tuple[str, str]:
    """What the two runs are called: the last part of their paths in which they differ; `A` and `B` if it is long."""
    first, second = ([*filter(None, re.split(r"[/\\]", side.run.name))] for side in comparison.experiments())
    for one, other in zip(reversed(first), reversed(second), strict=False):
        if one != other:
            stems = one.partition(".")[0], other.partition(".")[0]
            names = (
                (printable(stems[0]), printable(stems[1]))
                if all(stems) and stems[0] != stems[1]
                else (printable(one), printable(other))
            )
            return names if max(map(len, names)) <= _RUN else (SIDES[0], SIDES[1])
    return SIDES[0], SIDES[1]


def with_run_names(text: str, names: Sequence[str]) -> str:
    """The text with what runs are called instead of A and B.

    >>> with_run_names("inlined in A, direct in B", ("fast", "slow"))
    'inlined in fast, direct in slow'
    """
    return _SIDE.sub(lambda match: f"in {names[SIDES.index(match[1])]}", text)


def headline_name(method: str | None) -> str:
    """A method, short."""
    return bare_name(method, _NAME)


def place_words(run: DecisionRun, decisions: Iterable[Decision]) -> str:
    """Where the first decision is of which that is known: ` (scale.c:10)`; empty if of none."""
    for decision in decisions:
        if decision.position and (text := offset_text(run, *decision.position[0][:2])):
            return f" ({text})"
    return ""


def clause(sentence: str) -> str:
    """The beginning of a sentence, to stand after a colon.

    >>> clause("The loop calls a function: there is no vector version.")
    'the loop calls a function'
    """
    head = re.split(r"[.:;](?: |$)", sentence, maxsplit=1)[0]
    return head[:1].lower() + head[1:] if head[1:2].islower() or head[1:2] == " " else head


def meaning_clause(run: DecisionRun, decisions: Iterable[Decision]) -> str:
    """What the first word means that is known and says why; empty if none does."""
    for decision in decisions:
        meaning = glossary_of(run.kind).of_decision(decision)
        if meaning is not None and decision.event not in _SAY_NOT_WHY:
            return clause(meaning.says)
    return ""


def reason_words(reasons: Sequence[str]) -> str:
    """What an inliner said last, if it fits."""
    return keep_both_ends(printable(reasons[-1][:2000]), _REASON) if reasons else ""


def vector_width(decisions: Iterable[Decision]) -> str:
    """` (width 16)`, if a vectorizer said so."""
    for decision in decisions:
        for key, value in decision.properties:
            if key in _WIDTHS and value is not None:
                return f" (width {printable(str(value)[:12])})"
    return ""


def is_vectorization(name: str) -> bool:
    """Whether an optimization does several iterations or statements at once."""
    return "vectori" in name.lower()


_SAY_NOT_WHY = frozenset({"MissedDetails"})
"""Remarks that say only that something was not done."""
