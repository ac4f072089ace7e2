"""How a call is written: `f(3, [1, 2, 3])` as in C, or `f 3 [1,2,3]` as a command."""

from dataclasses import dataclass

from sonde.instruments.vm.verb.shell.words import closing_of, split_items, split_words, syntax_error, unquoted


@dataclass(frozen=True, slots=True)
class Call:
    """A function's name, perhaps with `@version`, and its arguments as they were typed."""

    function: str
    arguments: list[str]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(self.arguments)})"


def parse_call(line: str, start: int = 0) -> Call:
    r"""Read the call that begins at `start`.

    A name with blanks or brackets of its own, as C++ has them, stands in quotes. Arguments are left as
    they were typed: what they mean depends on the function's type.

    Raises:
        UsageError: `bad-syntax`.

    >>> parse_call('isord([1, 2, 3], 3)')
    Call(function='isord', arguments=['[1, 2, 3]', '3'])
    >>> parse_call('f 1 2')
    Call(function='f', arguments=['1', '2'])
    >>> parse_call('"add(int, int)"(1, 2)')
    Call(function='add(int, int)', arguments=['1', '2'])
    """
    while start < len(line) and line[start].isspace():
        start += 1
    if start == len(line) or line[start] == "#":
        raise syntax_error(line, start, "a call is missing here", hint="write it as f(1, 2)")
    name_end = _end_of_name(line, start)
    if name_end == start:
        raise syntax_error(line, start, "a call begins with the function's name", hint="write it as f(1, 2)")
    name = unquoted(line, start, name_end)
    at = name_end
    while at < len(line) and line[at].isspace():
        at += 1
    if at < len(line) and line[at] == "(":
        return Call(name, _bracketed(line, at))
    # Quotes are part of an argument here too: "abc" is a string, abc would be a name.
    return Call(name, [line[word.start : word.end] for word in split_words(line, at)])


def _bracketed(line: str, at: int) -> list[str]:
    close = closing_of(line, at)
    rest = split_words(line, close + 1)
    if rest:
        raise syntax_error(line, rest[0].start, "the call has ended before this", hint="one command a line")
    return [item.text for item in split_items(line, at + 1, close)]


def _end_of_name(line: str, start: int) -> int:
    """A name ends at a blank or an opening bracket; the part of it in quotes may contain either."""
    at = start
    while at < len(line) and not line[at].isspace() and line[at] not in "([{":
        if line[at] in "\"'":
            at = line.find(line[at], at + 1) + 1
            if at == 0:
                raise syntax_error(line, start, "this quote is not closed")
        else:
            at += 1
    return at
