"""What an option or verb of another tool is called here: what is named can be read."""

import shlex

import pytest

from sonde.base.errors import UsageError
from sonde.cli import verbs
from sonde.cli.commands import all_commands
from sonde.cli.main import main
from sonde.options.meant import ELSEWHERE

PARSERS = {each.words: each.parser for each in all_commands()}
SPELLINGS = {words: set(parser._option_string_actions) for words, parser in PARSERS.items()}


@pytest.mark.parametrize("spelling", ELSEWHERE)
def test_what_is_named_in_its_place_is_an_option_of_a_verb_that_lacks_it(spelling: str) -> None:
    for option in ELSEWHERE[spelling]:
        flag, *value = shlex.split(option)
        verbs = [words for words, own in SPELLINGS.items() if flag in own and spelling not in own]
        assert verbs
        actions = [PARSERS[words]._option_string_actions[flag] for words in verbs]
        assert not value or any(not action.choices or value[0] in action.choices for action in actions)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("sample --duration 10 --pid 1", "did you mean '--for'?"),
        ("sample --gil --pid 1", "did you mean '--what gil'?"),
        ("contexts --folow", "did you mean '--follow'?"),
        ("bench --min-runs=5 a b", "did you mean '--min-rounds'?"),
        ("bench -d 5s a b", "sonde bench --help"),
        ("contexts --html a.html", "-o run.sonde; sonde view run.sonde --html run.html"),
        ("memory --xyz", "sonde memory --help"),
    ],
)
def test_the_hint_names_it(words: str, told: str) -> None:
    verb, *rest = words.split()

    with pytest.raises(UsageError, match="unrecognized arguments") as refused:
        PARSERS[verb].parse_args(rest)

    assert refused.value.hint is not None
    assert told in refused.value.hint


@pytest.mark.parametrize("verb", verbs.ELSEWHERE)
def test_a_verb_of_another_tool_is_answered_with_ours(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verb not in verbs.VERBS
    assert main([verb, "x"]) == 2
    assert f"hint: {verbs.ELSEWHERE[verb]}" in capsys.readouterr().err
    for command in verbs.ELSEWHERE[verb].split(", or "):
        asked, *words = command.removeprefix("sonde ").split()
        parser = PARSERS[f"bench {words[0]}" if asked == "bench" else asked]
        assert {word for word in words if word.startswith("-")} <= set(parser._option_string_actions)


def test_a_profile_is_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run.sonde"]) == 2
    assert "hint: sonde view run.sonde" in capsys.readouterr().err
