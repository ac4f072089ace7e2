"""All commands of sonde as values: each verb, and each question that a verb has, with its parser.

What completes words in a shell and what writes manual pages is made of these, so that an option is declared once.
"""

import argparse
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from sonde.cli.verbs import VERBS
from sonde.options.parser import parser_for


class Command(NamedTuple):
    """One command, as `bench run`."""

    words: str
    """What stands after `sonde`."""
    summary: str
    parser: argparse.ArgumentParser
    questions: tuple[str, ...]
    """First words that are commands of their own."""
    takes_program: bool
    """Whether a program with its own words follows the options."""

    @property
    def options(self) -> Iterator[argparse.Action]:
        """What begins with a dash; not what is kept out of the help."""
        return (each for each in self._shown if each.option_strings)

    @property
    def positionals(self) -> Iterator[argparse.Action]:
        """What does not."""
        return (each for each in self._shown if not each.option_strings)

    @property
    def _shown(self) -> Iterator[argparse.Action]:
        return (each for each in self.parser._actions if each.help is not argparse.SUPPRESS)


def all_commands() -> Iterator[Command]:
    """Every verb in the order of `sonde --help`, each followed by its questions.

    Cost: imports every verb, some tenths of a second.
    """
    for verb, (place, summary) in VERBS.items():
        module = import_module(place)
        questions: dict[str, str] = getattr(module, "QUESTIONS", {})
        yield _command(verb, summary, module, tuple(questions))
        for question, of_question in questions.items():
            asked = import_module(of_question)
            yield _command(f"{verb} {question}", _first_paragraph(asked), asked, ())


def _command(words: str, summary: str, module: ModuleType, questions: tuple[str, ...]) -> Command:
    parser = parser_for(words, module)
    has_own_words = hasattr(module, "split_program") or hasattr(module, "run_words")
    command = Command(words, summary, parser, questions, has_own_words)
    # What a verb splits off is a program, unless it takes files or commands itself: then it is a question.
    return command._replace(takes_program=has_own_words and not any(command.positionals))


def _first_paragraph(module: ModuleType) -> str:
    paragraph, _, _ = (module.__doc__ or "").partition("\n\n")
    return " ".join(paragraph.split()).rstrip(".")
