"""Commands as values, and what shells are told of their options."""

from pathlib import Path

import pytest

from sonde.cli.commands import Command, all_commands
from sonde.cli.shells.expected import expected_argument, expected_value, short_help
from sonde.cli.verbs import VERBS


@pytest.fixture(scope="module")
def commands() -> dict[str, Command]:
    return {each.words: each for each in all_commands()}


def test_there_is_every_verb_and_every_question(commands: dict[str, Command]) -> None:
    assert [words for words in commands if " " not in words] == list(VERBS)
    assert {"bench run", "decisions profdiff", "sample study", "paths advise", "phases plan", "vm run"} < set(commands)
    assert all(each.summary for each in commands.values())


def test_what_runs_a_program_leaves_its_words_alone(commands: dict[str, Command]) -> None:
    running = {words for words, each in commands.items() if each.takes_program}

    assert running == {
        *("contexts", "sample", "sample study", "memory", "paths", "phases", "audit"),
        *("bench tune", "decisions capture", "decisions profdiff", "vm run"),
    }


def test_paths_are_completed_as_such(commands: dict[str, Command]) -> None:
    of_paths = {"profile", "file", "folder"}
    for each in commands.values():
        for action in [*each.options, *each.positionals]:
            expected = expected_value(action)
            if action.type is Path:
                assert expected is not None and expected.kind in of_paths, (each.words, action.dest)
    assert expected_argument(commands["view"]).kind == "profile"


def test_help_beside_an_option_is_short(commands: dict[str, Command]) -> None:
    texts = [short_help(action) for each in commands.values() for action in each.options]

    assert all(texts) and not any("\n" in text or "%%" in text for text in texts)
