"""How `osr insert` is read."""

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.vm.verb.shell.osr_insertion import read_insertion
from sonde.instruments.vm.verb.shell.words import split_words
from sonde.osr import Counter, Expression, Never


def _read(line: str) -> list[str]:
    return [word.text for word in split_words(line)]


def test_all_parts_are_read() -> None:
    asked = read_insertion(
        _read('resolved in f@ssa at %x+2 when "%x > 10 and %y != 0" to g at %b as f.osr comp "%a = %b"')
    )
    assert (asked.kind, asked.function, asked.place, asked.version) == ("resolved", "f@ssa", "%x+2", "f.osr")
    assert asked.when == Expression("%x > 10 and %y != 0")
    assert asked.target == ("g", "at", "%b")
    assert asked.compensation is not None
    assert dict(asked.compensation.values) == {"%a": "%b"}


def test_points_that_share_their_continuation_are_read() -> None:
    asked = read_insertion(_read("shared in f@ssa at %a when counter 7 at b+1 when never to clone O2 as both"))
    assert (asked.kind, asked.target, asked.version) == ("shared", ("clone", "O2"), "both")
    assert asked.points == (("%a", Counter(7)), ("b+1", Never()))


def test_conditions_need_no_quotes() -> None:
    assert read_insertion(_read("open in f at b when counter 7 of all calls to clone O2")).when == Counter(7, True)
    assert read_insertion(_read("open in f at b when %x u< %y to inline %c")).when == Expression("%x u< %y")


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("", "what is to be inserted is missing"),
        ("closed in f", "'closed' is neither 'open', 'resolved' nor 'shared'"),
        ("shared in f at a when never at to clone", "'clone' is one word too many after 'at'"),
        ("shared in f at a when never to clone comp x", "'comp' is one word too many"),
        ("open f", "'in' should stand here"),
        ("open in f g at b when always to clone", "'g' is one word too many after 'in'"),
        ("open in f at when always to clone", "nothing follows 'at'"),
        ("open in f at b when always", "'to' should stand here, after 'b when always'"),
        ("open in f at b when always to clone as", "nothing follows 'as'"),
        ("open in f at b when always to clone as x y", "'y' is one word too many"),
        ("open in f at b when maybe to clone", "cannot read the condition 'maybe'"),
        ('open in f at b when always to clone comp "br label %x"', "cannot be compensation code"),
    ],
)
def test_what_cannot_be_read_is_refused(line: str, fact: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_insertion(_read(line))
    assert fact in refused.value.message
