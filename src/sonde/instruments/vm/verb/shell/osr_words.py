"""What may follow `osr`, word by word: for help and for completion."""

from collections.abc import Callable, Sequence

USAGE = (
    "osr insert open|resolved in FUNCTION[@VERSION] at PLACE when CONDITION to TARGET [as VERSION] [comp CODE]\n"
    "  osr insert shared in FUNCTION[@VERSION] at PLACE when CONDITION [at PLACE when CONDITION ...]\n"
    "    to clone [PASSES] [as VERSION]\n"
    "  osr points [FUNCTION] | osr show FUNCTION | osr fire FUNCTION | osr hold FUNCTION"
)
_NOUNS = ("insert", "points", "show", "fire", "hold")
KINDS = ("open", "resolved", "shared")
_FOLLOWS = {"insert": KINDS, **dict.fromkeys(KINDS, ("in",)), "to": ("clone", "inline"),
            "when": ("always", "never", "flag", "counter"), "flag": ("every",)}  # fmt: skip
"""What may follow a word."""
_AFTER = {"in": ("at",), "at": ("when",), "when": ("to",), "to": ("as", "comp"), "as": ("comp",)}
"""What may follow a keyword and what belongs to it."""


def complete(earlier: Sequence[str], word: str, functions: Callable[[str], Sequence[str]]) -> list[str]:
    """What a word of `osr` could become.

    Args:
        earlier: the words between `osr` and this one.
        functions: those that begin with a text.

    >>> complete(["insert"], "", list), complete(["insert", "open", "in", "f"], "", list)
    (['open', 'resolved', 'shared'], ['at'])
    """
    if not earlier:
        found: Sequence[str] = _NOUNS
    elif earlier[0] != "insert":
        return [*functions(word)] if len(earlier) == 1 and earlier[0] in _NOUNS else []
    elif earlier[-1] == "in":
        return [*functions(word)]
    elif earlier[-1] in _FOLLOWS:
        found = _FOLLOWS[earlier[-1]]
    elif earlier[-1] in _AFTER:
        return []  # a place or a name, which is not known here
    else:
        last = next((each for each in reversed(earlier) if each in _AFTER), "")
        found = _AFTER.get(last, ())
        if last == "when" and earlier[1:2] == ["shared"]:
            found = ("at", "to")
    return [each for each in found if each.startswith(word)]
