"""How a line of the shell is read: words, calls, commands; and what is said of one that cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.base.errors import UsageError
from sonde.instruments.vm.verb.shell.all_commands import COMMANDS, ReadLine, read_line
from sonde.instruments.vm.verb.shell.call_syntax import Call, parse_call
from sonde.instruments.vm.verb.shell.help_text import command_help, help_text
from sonde.instruments.vm.verb.shell.words import quoted, split_words


def read(line: str) -> ReadLine:
    found = read_line(line)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("   # only a comment", []),
        ("a b\tc", ["a", "b", "c"]),
        ("a # b", ["a"]),
        ("a#b", ["a#b"]),
        ('"two words" x', ["two words", "x"]),
        ("'two words'", ["two words"]),
        ('one" word"', ["one word"]),
        (r'"a\"b\\c\n"', ['a"b\\c\n']),
        (r"'a\b'", ["a\\b"]),
        ('""', [""]),
        ("f(1, 2) [3, 4]", ["f(1, 2)", "[3, 4]"]),
        ('["a b", "]"]', ['["a b", "]"]']),
        ("-DX=1 --svg=a.svg", ["-DX=1", "--svg=a.svg"]),
    ],
)
def test_a_line_is_split_at_blanks_outside_of_quotes_and_brackets(line: str, words: list[str]) -> None:
    assert [word.text for word in split_words(line)] == words


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_quoted_words_are_read_back(words: list[str]) -> None:
    line = " ".join(map(quoted, words))

    assert [word.text for word in split_words(line)] == words


@given(st.text(st.sampled_from("f1, \t\"'\\()[]{}#@-"), max_size=30))
def test_any_line_is_read_or_refused_with_a_caret_below_it(line: str) -> None:
    refused = None
    try:
        parse_call(line)
    except UsageError as error:
        refused = error

    if refused is not None:
        _, shown, caret = refused.message.split("\n")
        assert (refused.slug, shown, caret.strip()) == ("bad-syntax", "  " + line.rstrip(), "^")
        assert len(caret) <= len("  " + line) + 1


@pytest.mark.parametrize(
    ("line", "function", "arguments"),
    [
        ("f()", "f", []),
        ("f", "f", []),
        ("f # nothing", "f", []),
        ("f(1)", "f", ["1"]),
        ("  f (1, 2)  # a comment", "f", ["1", "2"]),
        ("f 1 2", "f", ["1", "2"]),
        ("f -1 0.5 # no more", "f", ["-1", "0.5"]),
        ("f(\"a, b\", [1, 2], 'c')", "f", ['"a, b"', "[1, 2]", "'c'"]),
        ('f "a b" [1, 2]', "f", ['"a b"', "[1, 2]"]),
        ("f(i64[1, 2], null)", "f", ["i64[1, 2]", "null"]),
        ("f@fast(1)", "f@fast", ["1"]),
        ('"add(int, int)"(1, 2)', "add(int, int)", ["1", "2"]),
        ('"a::f"@fast 1', "a::f@fast", ["1"]),
        (r'f("a\")")', "f", [r'"a\")"']),
    ],
)
def test_a_call_is_read_as_in_c_or_as_a_command(line: str, function: str, arguments: list[str]) -> None:
    assert parse_call(line) == Call(function, arguments)


@pytest.mark.parametrize(
    ("line", "column", "fact"),
    [
        ("f(1, 2", 2, "'(' is not closed"),
        ("f(1, [2)", 8, "')' closes the '[' of column 6"),
        ("f(1,, 2)", 5, "argument is missing"),
        ("f(1,)", 5, "argument is missing"),
        ("f(1) 2", 6, "has ended before this"),
        ("(1)", 1, "begins with the function's name"),
        ("", 1, "call is missing"),
        ('f("abc)', 3, "quote is not closed"),
        ("f 1)", 4, "no bracket"),
        ('f "abc', 3, "quote is not closed"),
    ],
)
def test_a_call_that_cannot_be_read_is_shown_with_a_caret(line: str, column: int, fact: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_call(line)

    said, shown, caret = caught.value.message.split("\n")
    assert fact in said
    assert (shown, caret) == ("  " + line, " " * (column + 1) + "^")


def test_a_caret_stands_right_below_its_place_after_a_tab() -> None:
    with pytest.raises(UsageError) as caught:
        parse_call("f(1,\t[2", 0)

    _, shown, caret = caught.value.message.split("\n")
    assert (shown, caret) == ("  f(1,\t[2", "      \t^")


def test_empty_lines_and_comments_are_no_commands() -> None:
    assert [read_line(line) for line in ("", "  ", "# load x", "-", "  - # x")] == [None] * 5


def test_a_line_after_a_minus_may_fail() -> None:
    assert (read("- call f(1)").may_fail, read("-call f(1)").text, read("call f(1)").may_fail) == (
        True,
        "call f(1)",
        False,
    )


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("load a.c -DX=1 -I include", {"file": "a.c", "option": ["-DX=1", "-I", "include"]}),
        ("load 'my prog.c'", {"file": "my prog.c", "option": []}),
        ("cfg f", {"function": "f", "--full": False, "--svg": None, "--force": False}),
        ("cfg --full f", {"function": "f", "--full": True, "--svg": None, "--force": False}),
        ("cfg f --svg=a.svg --force", {"function": "f", "--full": False, "--svg": "a.svg", "--force": True}),
        ("cfg f --svg a.svg", {"function": "f", "--full": False, "--svg": "a.svg", "--force": False}),
        ("opt f O2", {"function": "f", "recipe": ["O2"], "--as": None, "--log": False}),
        (
            "opt f@x sroa newgvn --as fast",
            {"function": "f@x", "recipe": ["sroa", "newgvn"], "--as": "fast", "--log": False},
        ),
        ("repeat f(1)", {"n": None, "call": None, "function": "f", "arguments": ["1"]}),
        ("repeat 7 f(1)", {"n": 7, "call": None, "function": "f", "arguments": ["1"]}),
        ("repeat 7 f 1", {"n": 7, "call": None, "function": "f", "arguments": ["1"]}),
        ("functions", {"pattern": None}),
        ("run -v --help 'a b'", {"argument": ["-v", "--help", "a b"]}),
        ("history 3", {"n": 3}),
        ("switch f@fast", {"version": "f@fast"}),
    ],
)
def test_arguments_are_read_as_the_command_declares_them(line: str, values: dict[str, object]) -> None:
    assert read(line).arguments.values == values


@pytest.mark.parametrize(
    ("line", "slug", "said"),
    [
        ("lod a.c", "unknown-command", "did you mean 'load' or 'unload'?"),
        ("exit", "unknown-command", "did you mean 'quit'?"),
        ("f(1)", "unknown-command", "call f(1)"),
        ("xyzzy", "unknown-command", "help lists the commands"),
        ("load", "missing-argument", "usage: load FILE"),
        ("opt f", "missing-argument", "a recipe is missing"),
        ("ir", "missing-argument", "a function is missing"),
        ("ir f g", "too-many-arguments", "'g' is one word too many"),
        ("modules now", "too-many-arguments", "'now'"),
        ("cfg f --ful", "unknown-option", "did you mean '--full'?"),
        ("cfg f --full=yes", "unknown-option", "it takes no value"),
        ("cfg f --svg", "missing-argument", "its value is missing"),
        ("switch f", "missing-argument", "versions f"),
        ("switch f@", "missing-argument", "FUNCTION@VERSION"),
        ("repeat 0 f()", "bad-count", "a number from 1 on"),
        ("repeat 9999999999999999999 f()", "bad-count", "a number from 1 on"),
        ("history -1", "bad-count", "'-1'"),
        ("call f(1", "bad-syntax", "^"),
    ],
)
def test_a_line_that_makes_no_sense_is_refused_with_a_hint(line: str, slug: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_line(line)

    assert caught.value.slug == slug
    assert said in str(caught.value)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_every_command_is_explained_with_an_example_that_can_be_read(command: object) -> None:
    named = COMMANDS[getattr(command, "name", "")]
    text = command_help(named)

    assert text.startswith(f"usage: {named.name}")
    assert all(parameter.name in text for parameter in named.parameters)
    assert max(map(len, text.splitlines())) <= 110
    assert read(named.example).command is named
    assert text.endswith(f"example: {named.example}")
    assert f"  {named.name} " in help_text()


def test_a_command_belongs_to_the_shell_or_has_an_action() -> None:
    own = {name for name, command in COMMANDS.items() if command.action is None}

    assert own == {"set", "history", "source", "help", "quit"}
    assert not any(COMMANDS[name].changes_state or COMMANDS[name].runs_program for name in own)


def test_what_builds_a_session_is_done_again_and_what_runs_code_is_not() -> None:
    built = {name for name, command in COMMANDS.items() if command.changes_state}
    running = {name for name, command in COMMANDS.items() if command.runs_program}

    assert built == {"load", "library", "unload", "opt", "clone", "switch", "drop", "perf", "osr", "probe"}
    assert running == {"call", "repeat", "run", "wait"}
