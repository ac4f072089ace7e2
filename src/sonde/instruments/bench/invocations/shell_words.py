"""A command line split into words by the shell's rules, without a shell."""

from sonde.base.errors import UsageError

_ALWAYS_SPECIAL = frozenset("|&;<>()`$*?[\n")
"""Unquoted, each of these makes a POSIX shell do something (POSIX.1-2017, XCU 2.2); what happens without one is never
what was meant."""
_SPECIAL_IN_DOUBLE_QUOTES = frozenset("$`")
_ESCAPED_IN_DOUBLE_QUOTES = frozenset('$`"\\\n')
_SPECIAL_AT_START = frozenset("~#!")


def split_words(text: str) -> tuple[str, ...]:
    """The words of a command line, as a POSIX shell would pass them to the program.

    >>> split_words("python -c 'print(1)' it\\\\'s")
    ('python', '-c', 'print(1)', "it's")

    Raises:
        UsageError: `needs-shell`: something in it is for a shell to do; `bad-command`: a quote is not closed, or
            there is no word.
    """
    words: list[str] = []
    word: list[str] | None = None  # None between words; an empty list is the word ''
    at = 0
    while at < len(text):
        character = text[at]
        if character in " \t":
            if word is not None:
                words.append("".join(word))
            word, at = None, at + 1
            continue
        if character in _ALWAYS_SPECIAL or (word is None and character in _SPECIAL_AT_START):
            raise _needs_shell(text, at)
        if character == "=" and not words and word and "".join(word).isidentifier():
            raise _needs_shell(text, at)
        word = [] if word is None else word
        if character == "'":
            end = _closing(text, at)
            word.append(text[at + 1 : end])
            at = end + 1
        elif character == '"':
            at = _read_double_quoted(text, at, word)
        elif character == "\\":
            if at + 1 == len(text):
                raise UsageError(f"cannot run '{text}': it ends in a backslash", slug="bad-command")
            if text[at + 1] != "\n":
                word.append(text[at + 1])
            at += 2
        else:
            word.append(character)
            at += 1
    if word is not None:
        words.append("".join(word))
    if not words or not words[0]:
        raise UsageError(f"cannot run '{text}': there is no program in it", slug="bad-command")
    if "\0" in text:
        raise UsageError(f"cannot run {text!r}: no program can be given a NUL character", slug="bad-command")
    return tuple(words)


def _read_double_quoted(text: str, start: int, word: list[str]) -> int:
    """Append what stands between the quote at `start` and the next; where to go on."""
    at = start + 1
    while at < len(text) and text[at] != '"':
        if text[at] in _SPECIAL_IN_DOUBLE_QUOTES:
            raise _needs_shell(text, at)
        if text[at] == "\\" and text[at + 1 : at + 2] in _ESCAPED_IN_DOUBLE_QUOTES and at + 1 < len(text):
            at += 1
            if text[at] == "\n":
                at += 1
                continue
        word.append(text[at])
        at += 1
    if at >= len(text):
        raise _unclosed(text, start)
    return at + 1


def _closing(text: str, start: int) -> int:
    end = text.find(text[start], start + 1)
    if end < 0:
        raise _unclosed(text, start)
    return end


def _unclosed(text: str, start: int) -> UsageError:
    return UsageError(
        f"cannot run '{text}': the quote {text[start]} at character {start + 1} is not closed", slug="bad-command"
    )


def _needs_shell(text: str, at: int) -> UsageError:
    shown = {"\n": "the end of a line", "=": "a variable set"}.get(text[at], f"'{text[at]}'")
    hint = "add --shell, or quote it if the program is to see it as it is"
    if text[at] == "=":
        hint = "add --shell, or start it with 'env', which takes about a millisecond more"
    return UsageError(
        f"cannot run '{text}' without a shell: {shown} at character {at + 1} is for a shell to do",
        slug="needs-shell",
        hint=hint,
    )
