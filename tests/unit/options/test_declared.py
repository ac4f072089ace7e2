"""Options that are declared once: read, printed, told apart from the program that follows them."""

from argparse import ArgumentError, ArgumentParser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest

from sonde.base.errors import InternalError, UsageError
from sonde.options.declared import Option, add_options, check_declared, options_from, split_at_program


class Named(NamedTuple):
    output: Annotated[Path | None, Option("keep it", parse=Path, metavar="FILE", short="-o")] = None
    rows: Annotated[int, Option("lines", parse=int, metavar="N")] = 10
    all_of_it: Annotated[bool, Option("everything", excludes="which")] = False
    hot_only: Annotated[bool, Option("what is hot", excludes="which")] = False
    not_an_option: int = 7


@dataclass(frozen=True, slots=True)
class Data:
    rows: Annotated[int, Option("lines", parse=int, metavar="N")] = 20
    share: Annotated[float, Option("smallest", parse=float, show="{:.0%}".format)] = 0.5


class Usual(NamedTuple):
    sorted_: Annotated[bool, Option("sort calls")] = True
    most: Annotated[int, Option("how many", called="hot_most")] = 3


def parser(*declared: type) -> ArgumentParser:
    made = ArgumentParser(prog="toy", exit_on_error=False)
    add_options(made, *declared)
    return made


def test_what_is_not_given_is_the_default_of_each_value() -> None:
    nothing = parser(Named, Data).parse_args([])
    assert (options_from(Named, nothing), options_from(Data, nothing)) == (Named(), Data())


def test_what_is_given_counts_for_every_value_that_declares_it() -> None:
    given = parser(Named, Data).parse_args(["--rows", "3", "-o", "x.sonde", "--hot-only"])
    assert options_from(Named, given) == Named(Path("x.sonde"), 3, hot_only=True)
    assert options_from(Data, given) == Data(rows=3)


def test_help_has_the_default_as_it_is_written() -> None:
    told = " ".join(parser(Data).format_help().split())
    assert "--rows N lines (default: 20)" in told and "smallest (default: 50%)" in told


def test_what_is_on_is_put_off() -> None:
    made = parser(Usual)
    assert [options_from(Usual, made.parse_args(words)).sorted_ for words in ([], ["--no-sorted"], ["--sorted"])] == [
        True,
        False,
        True,
    ]
    assert "--no-sorted sort calls (default: yes)" in " ".join(made.format_help().split())


def test_an_option_may_be_called_otherwise_than_its_field() -> None:
    given = parser(Usual).parse_args(["--hot-most", "7"])
    assert options_from(Usual, given).most == 7
    assert split_at_program(["--hot-most", "7", "app.py"], Usual) == (["--hot-most", "7"], ["app.py"])
    with pytest.raises(UsageError, match="--hot-most"):
        check_declared(given, Data, [Usual], of_what="a toy")


def test_options_of_one_group_exclude_one_another() -> None:
    with pytest.raises(ArgumentError, match="not allowed with"):
        parser(Named).parse_args(["--all-of-it", "--hot-only"])


def test_values_that_read_one_option_differently_are_a_bug() -> None:
    class Other(NamedTuple):
        rows: Annotated[str, Option("names", parse=str)] = ""

    with pytest.raises(InternalError, match="--rows"):
        parser(Named, Other)


def test_options_of_another_value_are_refused() -> None:
    given = parser(Named, Data).parse_args(["--share", "1"])
    with pytest.raises(UsageError, match="cannot use --share on a toy") as caught:
        check_declared(given, Named, (Named, Data), of_what="a toy")
    assert caught.value.slug == "option-of-other-kind"


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        (("app.py", "-o", "theirs"), 0),
        (("-o", "a", "app.py", "--rows", "3"), 2),
        (("--output", "a", "--all-of-it", "-m", "black", "-o", "b"), 3),
        (("--rows=3", "--", "make"), 1),
        (("--rows", "-1", "-c", "pass"), 2),
        (("--json",), 1),
    ],
)
def test_a_program_begins_where_our_options_end(words: tuple[str, ...], ours: int) -> None:
    assert split_at_program(words, Named) == (list(words[:ours]), list(words[ours:]))
