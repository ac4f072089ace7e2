"""Look-up of what a compiler's words mean."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from sonde.instruments.decisions.model import CompilerKind, Decision

_FOLDER = Path(__file__).parent
Subject = Literal["passes", "decisions", "reasons"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word of a compiler means."""

    word: str
    """As the list has it: `*` stands for anything, `pass/name` for a name that more than one pass uses."""
    says: str
    """A sentence or two."""
    remedy: str = ""
    """What one can do about it; empty: nothing, or nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Glossary:
    """The words of one compiler; None where a word is not known, which is told rather than guessed."""

    words: Mapping[Subject, Mapping[str, Meaning]]
    _found: dict[tuple[Subject, str], Meaning | None] = field(default_factory=dict, compare=False)

    def of_phase(self, name: str) -> Meaning | None:
        """What a pass or phase is for."""
        return self._find("passes", name)

    def of_decision(self, decision: Decision) -> Meaning | None:
        """What was decided.

        >>> glossary_of("llvm").of_decision(Decision("licm", "Hoisted")).says
        'The instruction computes the same in each iteration and was moved before the loop.'
        """
        whole = f"{decision.name}/{decision.event}" if decision.event else decision.name
        return self._find("decisions", whole) or self._find("decisions", decision.event)

    def of_reason(self, reason: str) -> Meaning | None:
        """What the inliner means by what it said of a call.

        >>> glossary_of("hotspot").of_reason("hot method too big, 400 bytes of bytecode") is not None
        True
        >>> glossary_of("hotspot").of_reason("the moon is full") is None
        True
        """
        return self._find("reasons", reason)

    def of_word(self, word: str) -> list[tuple[Subject, Meaning]]:
        """What a word means, whatever it is the name of; of a decision its event will do, or all that is printed of it.

        >>> [meaning.word for _, meaning in glossary_of("llvm").of_word("gvn LoadClobbered (missed)")]
        ['LoadClobbered']
        """
        found = [(subject, self._find(subject, word)) for subject in self.words]
        named = [(subject, meaning) for subject, meaning in found if meaning is not None]
        if not named:
            name, _, event = word.partition(" (")[0].partition(" ")
            decision = self.of_decision(Decision(name, event)) if event else None
            named = [("decisions", decision)] if decision is not None else []
        return named or [
            ("decisions", each) for name, each in self.words["decisions"].items() if name.endswith(f"/{word}")
        ]

    def entries(self) -> Iterator[tuple[Subject, Meaning]]:
        """All words."""
        for subject, words in self.words.items():
            for meaning in words.values():
                yield subject, meaning

    def _find(self, subject: Subject, word: str) -> Meaning | None:
        key = (subject, word)
        if key not in self._found:
            words = self.words[subject]
            named = words.get(word) or next((words[each] for each in words if _stands_for(each, word)), None)
            if len(self._found) >= _KEPT:
                self._found.clear()
            self._found[key] = named
        return self._found[key]


_KEPT = 100_000
"""Words whose meaning is remembered: reasons have numbers in them, so there may be any number of them."""


@cache
def glossary_of(kind: CompilerKind) -> Glossary:
    """The words of a compiler."""
    with (_FOLDER / f"{kind}.toml").open("rb") as file:
        tables = tomllib.load(file)
    return Glossary({subject: _meanings(tables[subject]) for subject in get_args(Subject)})


def _meanings(table: Mapping[str, list[str]]) -> dict[str, Meaning]:
    return {word: Meaning(word, *said) for word, said in table.items()}


def _stands_for(pattern: str, word: str) -> bool:
    if "*" not in pattern:
        return False
    return fnmatchcase(word, pattern.replace("[", "[[]").replace("?", "[?]"))
