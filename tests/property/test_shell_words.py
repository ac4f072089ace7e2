"""Splitting into words agrees with the standard library where that knows, and takes back what is quoted."""

import shlex

from hypothesis import given
from hypothesis import strategies as st

from sonde.base.errors import UsageError
from sonde.instruments.bench.invocations import Command
from sonde.instruments.bench.invocations.shell_words import split_words

WORDS = st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1).filter(
    lambda words: bool(words[0])
)
QUOTED = st.text(st.sampled_from(" \tab='\"\\"), max_size=12)


@given(WORDS)
def test_quoted_words_come_back(words: list[str]) -> None:
    assert split_words(shlex.join(words)) == tuple(words)
    assert Command.parse(Command(tuple(words)).text).words == tuple(words)


@given(QUOTED)
def test_quotes_and_backslashes_mean_what_they_mean_to_shlex(text: str) -> None:
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        words = ()
    try:
        assert split_words(text) == words
    except UsageError as refused:
        if refused.slug == "bad-command":
            assert not words or not words[0]
        else:
            assert "=" in text


@given(st.text(max_size=30))
def test_any_text_is_split_or_refused(text: str) -> None:
    try:
        words = split_words(text)
    except UsageError as refused:
        if refused.slug not in ("needs-shell", "bad-command"):
            raise
    else:
        assert words[0]
