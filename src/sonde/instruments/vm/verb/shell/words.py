"""A command line in words: quotes, brackets that hold together, comments, and a caret where it cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass

from sonde.base.errors import UsageError

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a line, and where in the line it stands."""

    text: str
    """Without the quotes around it."""
    start: int
    end: int
    """The place after it."""


def split_words(line: str, start: int = 0) -> list[Word]:
    r"""Split a line at blanks; quotes and brackets keep what is in them together.

    Args:
        start: where to begin; what is before belongs to somebody else, but is shown in errors.
    Raises:
        UsageError: `bad-syntax`, a quote or bracket is not closed.

    >>> [word.text for word in split_words('load "my prog.c" -DN=3   # a comment')]
    ['load', 'my prog.c', '-DN=3']
    """
    words = []
    at = start
    while at < len(line):
        if line[at].isspace():
            at += 1
        elif line[at] == "#":
            break
        else:
            end = _end_of_item(line, at, str.isspace)
            words.append(Word(unquoted(line, at, end), at, end))
            at = end
    return words


def split_items(line: str, start: int, end: int) -> list[Word]:
    """Split what is between `start` and `end` at commas that are in no quotes and no brackets.

    Raises:
        UsageError: `bad-syntax`, an item is empty.

    >>> [item.text for item in split_items('f(1, [2, 3], "a,b")', 2, 18)]
    ['1', '[2, 3]', '"a,b"']
    """
    if not line[start:end].strip():
        return []
    items = []
    at = start
    while True:
        stop = _end_of_item(line[:end], at, ",".__eq__)
        text = line[at:stop].strip()
        first = at + len(line[at:stop]) - len(line[at:stop].lstrip())
        if not text:
            raise syntax_error(line, at, "an argument is missing here", hint="separate arguments by one comma")
        items.append(Word(text, first, first + len(text)))
        if stop >= end:
            return items
        at = stop + 1


def closing_of(line: str, at: int) -> int:
    """Where the bracket that opens at `at` is closed.

    Raises:
        UsageError: `bad-syntax`, it is not, or another one is closed first.
    """
    open_ones = []
    while at < len(line):
        letter = line[at]
        if letter in "\"'":
            at = _end_of_quoted(line, at)
            continue
        if letter in _CLOSING:
            open_ones.append((letter, at))
        elif letter in _CLOSING.values():
            opened, where = open_ones.pop()
            if _CLOSING[opened] != letter:
                raise syntax_error(line, at, f"'{letter}' closes the '{opened}' of column {where + 1}")
            if not open_ones:
                return at
        at += 1
    opened, where = open_ones[-1]
    raise syntax_error(line, where, f"this '{opened}' is not closed", hint=f"add a '{_CLOSING[opened]}'")


def syntax_error(line: str, at: int, fact: str, *, hint: str | None = None) -> UsageError:
    """What is said of a line that cannot be read: the line, and a caret below the place."""
    # A tab before the place stays a tab, so that the caret stands below it in any terminal.
    margin = "".join(letter if letter == "\t" else " " for letter in line[:at])
    return UsageError(f"cannot read the command: {fact}\n  {line.rstrip()}\n  {margin}^", slug="bad-syntax", hint=hint)


def quoted(text: str) -> str:
    """Write a word so that `split_words` reads it back as one.

    >>> quoted("plain"), quoted("two words")
    ('plain', '"two words"')
    """
    if text and not any(letter.isspace() or letter in "\"'#()[]{}\\" for letter in text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def unquoted(line: str, start: int, end: int) -> str:
    """The word between two places without its quotes; what is in brackets keeps them, since it is read once more."""
    parts = []
    at = start
    while at < end:
        if line[at] in _CLOSING:
            close = closing_of(line, at)
            parts.append(line[at : close + 1])
            at = close + 1
        elif line[at] in "\"'":
            close = _end_of_quoted(line, at)
            parts.append(_unescaped(line[at + 1 : close - 1]) if line[at] == '"' else line[at + 1 : close - 1])
            at = close
        else:
            parts.append(line[at])
            at += 1
    return "".join(parts)


def _end_of_item(line: str, at: int, ends: Callable[[str], bool]) -> int:
    while at < len(line) and not ends(line[at]):
        if line[at] in "\"'":
            at = _end_of_quoted(line, at)
        elif line[at] in _CLOSING:
            at = closing_of(line, at) + 1
        elif line[at] in _CLOSING.values():
            raise syntax_error(line, at, f"there is no bracket that this '{line[at]}' would close")
        else:
            at += 1
    return at


def _end_of_quoted(line: str, start: int) -> int:
    """The place after the closing quote. In double quotes a backslash takes the next letter along."""
    quote, at = line[start], start + 1
    while at < len(line):
        if line[at] == quote:
            return at + 1
        at += 2 if line[at] == "\\" and quote == '"' else 1
    raise syntax_error(line, start, "this quote is not closed", hint=f"add a {quote}")


def _unescaped(text: str) -> str:
    parts: list[str] = []
    letters = iter(text)
    for letter in letters:
        if letter != "\\":
            parts.append(letter)
            continue
        following = next(letters, "")
        parts.append(_ESCAPES.get(following, "\\" + following))
    return "".join(parts)
