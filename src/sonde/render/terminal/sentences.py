"""Sentences that are broken between words to fit a page."""

import re

from sonde.base.fitted_text import display_width, keep_start, printable
from sonde.render.terminal.page import Page

_BETWEEN_WORDS = re.compile(r"(?<!\d)\s+|(?<=\d)\s+(?!(?:ns|us|ms|s|min|h|B|[KMGT]iB)\b)")
"""Where a line may end: not between a number and its unit."""


def say(page: Page, text: str, *styles: str, indent: str = "") -> None:
    """Print a sentence over as many lines as it takes; later lines stand a little to the right of the first one.

    Words longer than a line are cut.
    """
    for number, line in enumerate(broken(printable(text), page.width - len(indent), hang=2)):
        page.line(f"{indent}{'  ' if number else ''}{page.paint(line, *styles)}")


def broken(text: str, width: int, *, hang: int = 0) -> list[str]:
    """The lines of a text of at most `width` columns each, `hang` fewer for all but the first.

    >>> broken("one two three", 8), broken("it took 1.76 s", 12)
    (['one two', 'three'], ['it took', '1.76 s'])
    """
    lines: list[str] = []
    line = ""
    for word in filter(None, _BETWEEN_WORDS.split(text)):
        room = width - (hang if lines else 0)
        longer = f"{line} {word}" if line else word
        if line and display_width(longer) > room:
            lines.append(line)
            room, longer = width - hang, word
        line = keep_start(longer, room)
    return [*lines, line] if line else lines
