"""Names of compiled functions in as few letters as tell them: `HashMap.get(Object)`, not the whole package."""

import re

from sonde.base.fitted_text import display_width, keep_both_ends, printable

UNKNOWN = "unknown"
"""For a function that has no name."""

_LONGEST = 4000
"""Letters of a name that are looked at: generated code has names of megabytes."""

_PACKAGES = re.compile(r"(?<![\w$.])(?:[a-z_][\w$]*\.)+(?=[A-Z])")
"""Java: lower-case parts before a class, in names and in lists of parameters."""

_DIGEST = re.compile(r"(/0x)?([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})")
"""Of lambdas and hidden classes: its ends tell them apart in one report."""


def whole_name(name: str | None) -> str:
    """The whole name, so that it can be printed; it may be long."""
    if name is None:
        return UNKNOWN
    return printable(name if len(name) <= _LONGEST else keep_both_ends(name[:_LONGEST], _LONGEST))


def short_name(name: str | None, width: int) -> str:
    """Shorten a name to at most `width` columns: no packages first, then no digests and parameters, then its middle.

    >>> short_name("java.util.HashMap.get(Object)", 30)
    'java.util.HashMap.get(Object)'
    >>> short_name("java.util.HashMap.get(Object)", 20)
    'HashMap.get(Object)'
    >>> short_name("java.util.HashMap.putVal(int, Object, Object, boolean, boolean)", 24)
    'HashMap.putVal(…)'
    >>> short_name("core::iter::adapters::map::Map<I,F>::fold", 28)
    'Map<I,F>::fold'
    """
    text = whole_name(name)
    return text if display_width(text) <= width else bare_name(name, width)


def bare_name(name: str | None, width: int) -> str:
    """The name without its packages even where there is room for them: for trees, in which they repeat.

    >>> bare_name("java.util.HashMap.get(java.lang.Object)", 80)
    'HashMap.get(Object)'
    """
    text = whole_name(name)
    for shorten in (_without_packages, _without_digests, _without_parameters):
        text = shorten(text)
        if display_width(text) <= width:
            return text
    return keep_both_ends(text, width)


def _without_packages(text: str) -> str:
    text = _PACKAGES.sub("", text)
    starts = [0, *_after_colons(text)]
    return text[starts[-2] :] if len(starts) > 2 else text


def _after_colons(text: str) -> list[int]:
    """Where parts begin after a `::` that is in no brackets; C++ and Rust write so."""
    starts, depth = [], 0
    for at, letter in enumerate(text):
        depth += (letter in "<([") - (letter in ">)]" and text[at - 1 : at + 1] != "->")
        if letter == ":" and depth == 0 and text[at - 1 : at] == ":":
            starts.append(at + 1)
    return starts


def _without_digests(text: str) -> str:
    return _DIGEST.sub(lambda match: f"{match[1] or ''}{match[2]}…{match[3]}", text)


def _without_parameters(text: str) -> str:
    head, parenthesis, rest = text.partition("(")
    if not parenthesis or not head or rest.startswith(")"):
        return text
    return f"{head}(…)"
