"""The text of `--help`: paragraphs and examples of a module's docstring, fitted to the terminal."""

import argparse
import re
import textwrap
from collections.abc import Iterable

_WIDEST = 110
"""Columns: longer lines of prose are hard to read."""
_NARROWEST = 20
"""Columns: in fewer there is no room beside what lines are indented by."""
_NARROWEST_COMMENT = 30
"""Columns beside an example; a comment that has fewer stands below."""
_COMMENT_INDENT = 6
_ENTRY = re.compile(r"(?P<entry>\s*\S.*?\s{2,})(?P<comment>\S.*)")


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """argparse's, with descriptions and usages of ours fitted as well."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=help_width())

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """Wrap a usage that we wrote; argparse wraps its own."""
        if usage is not None:
            usage = "\n".join(
                textwrap.fill(
                    line.strip(),
                    self._width,
                    initial_indent=" " * 7,
                    subsequent_indent=" " * 9,
                    break_on_hyphens=False,
                )
                for line in usage.splitlines()
            ).strip()
        super().add_usage(usage, actions, groups, prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return textwrap.indent(fitted_help(text, width - len(indent)), indent)


def help_width() -> int:
    """Columns that help may have here."""
    import shutil  # as argparse does: most commands print no help

    return max(_NARROWEST, min(shutil.get_terminal_size().columns, _WIDEST) - 2)


def fitted_help(text: str, width: int) -> str:
    """Fill paragraphs, and fold comments of examples that are too long; commands are left as they are.

    Args:
        text: lines that begin with a blank are examples or entries of a list, `entry  comment`; others are prose.
        width: in columns.
    """
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line and not line[0].isspace():
            paragraph.append(line)
            continue
        lines += textwrap.wrap(" ".join(paragraph), width, break_long_words=False, break_on_hyphens=False)
        paragraph = []
        lines += _fitted_entry(line, width)
    return "\n".join(lines[:-1])


def _fitted_entry(line: str, width: int) -> list[str]:
    found = _ENTRY.fullmatch(line)
    if len(line) <= width or found is None:
        return [line]
    entry, comment = found["entry"], found["comment"]
    if width - len(entry) >= _NARROWEST_COMMENT:
        return textwrap.wrap(
            comment, width, initial_indent=entry, subsequent_indent=" " * len(entry), break_on_hyphens=False
        )
    below = " " * _COMMENT_INDENT
    return [
        entry.rstrip(),
        *textwrap.wrap(comment, width, initial_indent=below, subsequent_indent=below, break_on_hyphens=False),
    ]
