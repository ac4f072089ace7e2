"""What words of compilers mean, on a terminal."""

from collections.abc import Iterable
from typing import TextIO

from sonde.instruments.decisions.glossary import Meaning, Subject
from sonde.instruments.decisions.model import CompilerKind
from sonde.instruments.decisions.report.words import COMPILERS
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say


def print_meanings(
    meanings: Iterable[tuple[CompilerKind, Subject, Meaning]],
    stream: TextIO,
    *,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print each word with its meaning, below the compiler and what kind of word it is.

    Args:
        meanings: those of one compiler and subject one after another.
        width, colour: override what the stream and the environment say.
    """
    page = Page(stream, width=width, colour=colour)
    above = None
    for compiler, subject, meaning in meanings:
        if (compiler, subject) != above:
            if above is not None:
                page.line()
            above = (compiler, subject)
            page.line(page.paint(f"{COMPILERS[compiler]}, {_TITLES[subject]}", "bold"))
        say(page, meaning.word, "cyan")
        say(page, meaning.says, indent="  ")
        if meaning.remedy:
            say(page, f"what to do: {meaning.remedy}", "dim", indent="  ")


_TITLES: dict[Subject, str] = {"passes": "passes", "decisions": "decisions", "reasons": "reasons of the inliner"}
