"""Help is fitted to the terminal: prose is filled, comments fold, commands stay whole."""

import pytest

from sonde.options.help_text import fitted_help

TEXT = """A paragraph whose lines were broken
where its author liked.

  sonde do this      a comment that has more words than there is room for on one line
  sonde do this to that and to those       a comment of some words
  sonde do this      short
  sonde never --breaks a-command-however-long it-is --and this-one is-longer
"""


def test_prose_is_filled_and_comments_are_folded_where_there_is_room() -> None:
    assert fitted_help(TEXT, 60).splitlines() == [
        "A paragraph whose lines were broken where its author liked.",
        "",
        "  sonde do this      a comment that has more words than",
        "                     there is room for on one line",
        "  sonde do this to that and to those",
        "      a comment of some words",
        "  sonde do this      short",
        "  sonde never --breaks a-command-however-long it-is --and this-one is-longer",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_word_is_lost_or_moved(width: int) -> None:
    assert fitted_help(TEXT, width).split() == TEXT.split()


def test_entries_that_fit_stay_as_they_are() -> None:
    entries = TEXT.partition("\n\n")[2].rstrip()

    assert fitted_help(entries, 100) == entries
