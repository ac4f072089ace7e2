"""Splitting a command line by the shell's rules, and noticing what only a shell can do."""

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.bench.invocations.shell_words import split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", ("a",)),
        ("  a   b\t c ", ("a", "b", "c")),
        ("a 'b c' d", ("a", "b c", "d")),
        ("a ''", ("a", "")),
        ("a b''c", ("a", "bc")),
        ('a "b c"d', ("a", "b cd")),
        (r'a "\"\\\$\`\x"', ("a", r'"\$`' + r"\x")),
        (r"a \|\  \'", ("a", "| ", "'")),
        (r"a '|' ';' '$x' '*'", ("a", "|", ";", "$x", "*")),
        ("a b=c d~e f#g h!i", ("a", "b=c", "d~e", "f#g", "h!i")),
        ("a \\\nb", ("a", "b")),
        ("./a=b c", ("./a=b", "c")),
        ("a {b,c} x^y %z @w", ("a", "{b,c}", "x^y", "%z", "@w")),
        ("héllo wörld", ("héllo", "wörld")),
    ],
)
def test_words_are_those_of_a_shell(text: str, words: tuple[str, ...]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a | b", 3),
        ("a|b", 2),
        ("a && b", 3),
        ("a; b", 2),
        ("a > b", 3),
        ("a 2>&1", 4),
        ("a < b", 3),
        ("a $b", 3),
        ('a "$b"', 4),
        ('a "`b`"', 4),
        ("a `b`", 3),
        ("a *.txt", 3),
        ("a b?", 4),
        ("a [bc]", 3),
        ("(a)", 1),
        ("a ~", 3),
        ("~/a", 1),
        ("a #b", 3),
        ("! a", 1),
        ("A=1 b", 2),
        ("a\nb", 2),
    ],
)
def test_what_a_shell_must_do_is_refused_with_its_place(text: str, at: int) -> None:
    with pytest.raises(UsageError, match=f"at character {at} ") as refused:
        split_words(text)

    assert refused.value.slug == "needs-shell"
    assert "--shell" in (refused.value.hint or "")


@pytest.mark.parametrize("text", ["", "   ", "''", "a 'b", 'a "b', 'a "b\\', "a\\", "a b\0c"])
def test_what_is_no_command_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        split_words(text)

    assert refused.value.slug == "bad-command"
