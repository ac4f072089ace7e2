"""What words of compilers mean: every one that compilers were seen to use is explained, or known not to be."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from decision_samples import decision_sample
from sonde.instruments.decisions.glossary import Meaning, glossary_of
from sonde.instruments.decisions.model import CallSite, CompilerKind, Decision, Phase
from sonde.instruments.decisions.readers import read_run

KINDS: tuple[CompilerKind, ...] = get_args(CompilerKind)
SEEN = json.loads((Path(__file__).parents[4] / "data" / "decisions" / "words.json").read_text(encoding="ascii"))
"""By compiler: the words in captures of clang, rustc, HotSpot 17 and 25, CPython 3.11 to 3.13, and in logs of Graal 25;
numbers in them are 1."""


def decision(word: str) -> Decision:
    name, _, event = word.partition("/")
    return Decision(name, event)


def below(node: Phase) -> Iterator[Phase | Decision]:
    for child in node.children:
        yield child
        if isinstance(child, Phase):
            yield from below(child)


def calls(site: CallSite) -> Iterator[CallSite]:
    yield site
    for child in site.children:
        yield from calls(child)


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_that_was_seen_is_explained(kind: CompilerKind) -> None:
    glossary = glossary_of(kind)
    assert [word for word in SEEN[kind]["passes"] if glossary.of_phase(word) is None] == []
    assert [word for word in SEEN[kind]["decisions"] if glossary.of_decision(decision(word)) is None] == []
    assert [word for word in SEEN[kind]["reasons"] if glossary.of_reason(word) is None] == []


@pytest.mark.parametrize("kind", ["llvm", "hotspot", "cpython"])  # that of Graal is made of invented words
def test_every_word_of_a_sample_is_explained(kind: CompilerKind, tmp_path: Path) -> None:
    glossary = glossary_of(kind)
    for unit in read_run(decision_sample(kind, tmp_path)).units:
        trees = unit.load()
        for node in below(trees.optimizations):
            found = glossary.of_phase(node.name) if isinstance(node, Phase) else glossary.of_decision(node)
            assert found is not None, node
        for site in calls(trees.inlining):
            assert all(glossary.of_reason(reason) for reason in site.reasons), site.reasons


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_in_the_list_is_not_explained(kind: CompilerKind) -> None:
    glossary = glossary_of(kind)
    assert glossary.of_decision(Decision("NoPass", "NoSuchRemark")) is None
    assert glossary.of_phase("no such pass") is None
    assert glossary.of_reason("no compiler says this") is None


@pytest.mark.parametrize("kind", KINDS)
def test_an_explanation_is_a_sentence_and_is_found(kind: CompilerKind) -> None:
    glossary = glossary_of(kind)
    for subject, meaning in glossary.entries():
        for text in filter(None, (meaning.says, meaning.remedy)):
            assert text.strip() == text, meaning
            assert text.endswith((".", ")")), meaning
        assert (subject, meaning) in glossary.of_word(meaning.word)


def test_the_pass_tells_words_apart_that_two_passes_use() -> None:
    glossary = glossary_of("graal")
    fixed = glossary.of_decision(Decision("FixReads", "ConditionalElimination"))
    assert isinstance(fixed, Meaning)
    assert fixed.word == "FixReads/ConditionalElimination"


def test_brackets_and_question_marks_of_words_are_themselves() -> None:
    assert glossary_of("hotspot").of_decision(Decision("Observation", "[?]")) is not None
    assert glossary_of("cpython").of_reason("CALL[x]: calls a builtin type") is not None
