"""A finding of `sonde doctor` in lines that fit the terminal."""

import sys
import textwrap

from sonde.base.terminal import columns_of

_UNFITTED = 10_000
"""Columns of a file or a pipe: whoever searches them wants a finding in a line."""
_LEAST_BESIDE = 24
"""Columns beside the name of a finding; with fewer its fact stands below."""
_INDENT_BELOW = 7


def fitted_finding(beginning: str, text: str) -> str:
    """A line; where it does not fit, more lines beside its beginning, or below it if that leaves too little room."""
    columns = columns_of(sys.stdout, _UNFITTED)
    if len(beginning) + len(text) <= columns:
        return beginning + text
    is_beside = columns - len(beginning) >= _LEAST_BESIDE
    indent = len(beginning) if is_beside else _INDENT_BELOW
    lines = textwrap.wrap(text, max(columns - indent, 1), break_long_words=False, break_on_hyphens=False)
    first = beginning
    if not is_beside:
        first = "    -> " if beginning.strip() == "->" else f"{beginning.rstrip()}\n{'':{indent}}"
    return first + f"\n{'':{indent}}".join(lines)
