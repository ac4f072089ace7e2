"""Docstrings as Markdown: doctests become blocks of code, the house's own sections stand out."""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^( *)>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)
"""A doctest: from its first prompt to the next empty line."""
SECTION = re.compile(r"^(Guarantee|Cost|Source|Differs|Why|Shape)(?: \([^)]*\))?: (.*(?:\n(?: +)\S.*)*)", re.MULTILINE)
"""A section of a docstring that Google's style does not have, with its hanging lines."""


class MarkdownDocstrings(griffe.Extension):
    """Rewrites each docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None and not obj.is_alias:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    r"""A docstring in Google's style, with what that style has no words for as Markdown.

    >>> as_markdown("Cost: little,\n    mostly.")
    '\n**Cost.** little,\nmostly.'
    >>> as_markdown("It adds.\n\n>>> 1 + 1\n2")
    'It adds.\n\n```pycon\n>>> 1 + 1\n2\n```'
    """
    text = DOCTEST.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", docstring)
    return SECTION.sub(lambda found: f"\n**{found[1]}.** " + re.sub(r"\n +", "\n", found[2]), text)
