"""What the help of every verb, and of every question that a verb has, begins with: examples that can be typed."""

import re
import shlex
from collections.abc import Iterator
from importlib import import_module

import pytest

from sonde.cli.commands import Command, all_commands
from sonde.cli.verbs import VERBS

COMMANDS = {each.words: each for each in all_commands()}
READS_ITS_WORDS_ITSELF = {"vm run", "decisions profdiff"}


def _examples(command: Command) -> list[str]:
    """The lines of the paragraph behind the first one, without comments."""
    paragraphs = (command.parser.description or "").strip("\n").split("\n\n")
    lines = [line.strip() for line in paragraphs[1].splitlines() if line.startswith("  ")]
    return [re.split(r"\s{2,}", line)[0] for line in lines]


def _commands_in(line: str) -> Iterator[list[str]]:
    """What stands behind each `sonde` in a line of a shell."""
    words = shlex.split(line.replace("<(", " ").replace(")", " "))
    for start in (at for at, word in enumerate(words) if word == "sonde"):
        end = next((at for at in range(start, len(words)) if words[at] in ("|", ">", "&&")), len(words))
        yield words[start + 1 : end]


@pytest.mark.parametrize("words", COMMANDS)
def test_help_begins_with_three_examples(words: str) -> None:
    examples = _examples(COMMANDS[words])

    assert sum(f"sonde {words}" in each for each in examples) >= 3


@pytest.mark.parametrize("words", COMMANDS)
def test_examples_are_read_without_complaint(words: str) -> None:
    for example in _examples(COMMANDS[words]):
        for given in _commands_in(example):
            asked = next((each for each in (" ".join(given[:2]), given[0]) if each in COMMANDS), None)
            assert asked is not None, example
            if asked in READS_ITS_WORDS_ITSELF:
                continue
            rest = given[len(asked.split()) :]
            own = _module(asked).split_program(rest)[0] if hasattr(_module(asked), "split_program") else rest
            COMMANDS[asked].parser.parse_intermixed_args([word for word in own if word != "..."])


def _module(words: str):  # type: ignore[no-untyped-def]  # a verb's module, of which each has its own functions
    verb, _, question = words.partition(" ")
    module = import_module(VERBS[verb][0])
    return import_module(module.QUESTIONS[question]) if question else module
