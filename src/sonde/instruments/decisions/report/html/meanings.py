"""What the words in a page mean, as far as they are in the glossary."""

from typing import Any

from sonde.instruments.decisions.analysis.words import KIND_MEANING
from sonde.instruments.decisions.glossary import Glossary, Meaning, Subject
from sonde.instruments.decisions.model import Decision
from sonde.instruments.decisions.report.html.tables import Numbered, Tables


def meanings_as_data(tables: Tables, glossary: Glossary) -> dict[str, Any]:
    """The meanings that the page needs, and which of its words has which.

    Returns:
        `meanings`: `[subject, word, says, remedy]`, each once; `meaning_of`: by the numbers of texts, of decisions two
        with a comma between, the numbers of meanings; `unexplained`: words of decisions that are not in the glossary;
        `kind_meanings`: by the words for kinds of calls.
    """
    numbered, texts, spoken = Numbered(), tables.strings.values, tables.spoken()

    def number(subject: Subject, meaning: Meaning | None) -> int | None:
        return None if meaning is None else numbered((subject, meaning.word, meaning.says, meaning.remedy))

    decisions: dict[str, int] = {}
    unexplained: list[str] = []
    for name, event in spoken.decisions:
        decision = Decision(texts[name], texts[event])
        found = number("decisions", glossary.of_decision(decision))
        if found is None:
            unexplained.append(f"{decision.name} {decision.event}".strip())
        else:
            decisions[f"{name},{event}"] = found
    phases = {each: number("passes", glossary.of_phase(texts[each])) for each in spoken.phases}
    reasons = {each: number("reasons", glossary.of_reason(texts[each])) for each in spoken.reasons}
    return {
        "meaning_of": {"phases": _known(phases), "decisions": decisions, "reasons": _known(reasons)},
        "meanings": numbered.values,
        "unexplained": unexplained,
        "kind_meanings": {kind.value: meaning for kind, meaning in KIND_MEANING.items()},
    }


def _known(found: dict[int, int | None]) -> dict[int, int]:
    return {text: meaning for text, meaning in found.items() if meaning is not None}
