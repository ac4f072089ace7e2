"""Names in files of the callgrind format: on one line, and written once."""

from sonde.formats.frame_name import plain_text

_UNKNOWN = "???"
"""What the tools call what has no name."""


class CallgrindNames:
    """Names that were written before are written as their numbers, which also keeps `(1)` from being taken for one.

    >>> names = CallgrindNames()
    >>> names.of("fn", "fib"), names.of("fn", "fib"), names.of("fn", "")
    ('(1) fib', '(1)', '(2) ???')
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[str, int] = {}

    def of(self, kind: str, name: str) -> str:
        """What stands for a name; `kind` is `ob`, `fl` or `fn`."""
        name = one_line(name) or _UNKNOWN
        if (number := self._numbers.get((kind, name))) is not None:
            return f"({number})"
        number = self._numbers[kind, name] = self._counts[kind] = self._counts.get(kind, 0) + 1
        return f"({number}) {name}"


def one_line(text: str) -> str:
    """No line breaks, nothing that steers a terminal, and no blanks at the ends, where readers would lose them."""
    return "".join(c if c.isprintable() else " " for c in plain_text(text)).strip()
