"""The lines of a record file, sorted by kind and checked for their form. docs/memory-profile.md describes them."""

import re
from collections.abc import Iterator
from pathlib import Path

from sonde.base.errors import InputError

_HEADER = "sonde-memory\t1"
_ESCAPES = {"%25": "%", "%09": "\t", "%0A": "\n", "%0D": "\r"}
_ESCAPE = re.compile("%.{0,2}")

_NUMBER = r"\t\d{1,18}"
_SITE = r"\t(?:-1|\d{1,18})"
_PAIRS = r"\d{1,18}:\d{1,18}(?:,\d{1,18}:\d{1,18})*"
_FORMS = {
    "cache": re.compile(rf"cache\t\w+(?:{_NUMBER}){{3}}", re.ASCII),
    "policy": re.compile(
        r"policy\t(?:lru|plru|random)\t(?:neither|inclusive|exclusive)\twrite-allocate\t[01]\tclassified\t[01]"
    ),
    "total": re.compile(rf"total\t[a-z0-9_]+{_NUMBER}", re.ASCII),
    "F": re.compile(rf"F{_NUMBER}\t[a-z]+\t[^\t]*\t[^\t]*{_NUMBER}\t[^\t]*", re.ASCII),
    "P": re.compile(rf"P{_NUMBER}\t{_PAIRS}", re.ASCII),
    "Y": re.compile(rf"Y(?:{_NUMBER}){{6}}", re.ASCII),
    "N": re.compile(rf"N(?:{_NUMBER}){{10}}", re.ASCII),
    "K": re.compile(rf"K{_NUMBER}(?:{_SITE}){{2}}(?:{_NUMBER}){{4}}", re.ASCII),
    "T": re.compile(rf"T{_NUMBER}\t[a-z]+\t[^\t]*", re.ASCII),
    "C": re.compile(rf"C{_NUMBER}{_SITE}(?:{_NUMBER}){{7}}\t(?:-|{_PAIRS})", re.ASCII),
    "S": re.compile(rf"S{_NUMBER}{_SITE}{_NUMBER}", re.ASCII),
    "X": re.compile(rf"X(?:{_NUMBER}){{7}}", re.ASCII),
    "W": re.compile(rf"W{_NUMBER}{_SITE}\t-?\d{{1,18}}{_NUMBER}\t[^\t]*(?:{_NUMBER}){{5}}", re.ASCII),
    "O": re.compile(rf"O{_NUMBER}{_SITE}(?:{_NUMBER}){{8}}\t[01]", re.ASCII),
    "G": re.compile(rf"G(?:{_NUMBER}){{3}}", re.ASCII),
    "L": re.compile(rf"L(?:{_NUMBER}){{4}}", re.ASCII),
    "M": re.compile(
        rf"M(?:{_NUMBER}){{4}}{_SITE}\t(?:-|-?\d{{1,18}})(?:{_NUMBER}){{2}}(?:\t[0-9a-f]{{16}}){{2}}", re.ASCII
    ),
    "A": re.compile(r"A(?:\t[^\t]*)*"),
    "lost": re.compile(rf"lost\t[a-z0-9-]+{_NUMBER}\t[^\t]*", re.ASCII),
    "end": re.compile("end"),
}
_AT_MOST_ONCE = ("policy", "end")
_LONGEST_QUOTE = 80


class RecordLines:
    """The lines of one record.

    Raises:
        InputError: `no-memory-record`; `damaged-memory-record`: a line is not of a form that lines have.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError as error:
            raise InputError(
                f"cannot read memory record '{path}': {error.strerror}", slug="no-memory-record"
            ) from error
        lines = text.split("\n")
        if lines.pop():
            raise self.wrong(len(lines) + 1, "it is cut off")
        if not lines or lines[0] != _HEADER:
            raise self.wrong(1, "it is not the header of a record of version 1")
        self._lines: dict[str, list[tuple[int, str]]] = {kind: [] for kind in _FORMS}
        for number, line in enumerate(lines[1:], 2):
            kind = line.partition("\t")[0]
            if kind not in _FORMS or not _FORMS[kind].fullmatch(line):
                raise self.wrong(number, f"'{line[:_LONGEST_QUOTE]}' has not the form of any line")
            self._lines[kind].append((number, line))
        for kind in _AT_MOST_ONCE:
            for number, _ in self._lines[kind][1:]:
                raise self.wrong(number, f"there is a '{kind}' line before it")
        for number, _ in self._lines["end"]:
            if number < len(lines):
                raise self.wrong(number + 1, "it comes behind the end")

    def fields(self, kind: str) -> Iterator[tuple[int, list[str]]]:
        """Number of the line and its fields, as they are written."""
        for number, line in self._lines[kind]:
            yield number, line.split("\t")[1:]

    def numbers(self, kind: str) -> Iterator[tuple[int, list[int]]]:
        """Number of the line and its fields, of lines that consist of numbers."""
        for number, line in self._lines[kind]:
            _, *fields = line.split("\t")
            yield number, list(map(int, fields))

    def columns(self, kind: str, width: int) -> tuple[list[int], list[list[int]]]:
        """Numbers of the lines, and their fields by column: a fast way to read many lines that consist of numbers."""
        lines = self._lines[kind]
        after = len(kind) + 1
        fields = "\t".join([line[after:] for _, line in lines])
        numbers = list(map(int, fields.split("\t"))) if lines else []
        return [number for number, _ in lines], [numbers[column::width] for column in range(width)]

    def text(self, number: int, field: str) -> str:
        """What a field says: characters that separate fields and lines are escaped in it."""
        if "%" not in field:
            return field

        def meant(escape: re.Match[str]) -> str:
            if escape[0] not in _ESCAPES:
                raise self.wrong(number, f"'{escape[0]}' stands for nothing")
            return _ESCAPES[escape[0]]

        return _ESCAPE.sub(meant, field)

    def wrong(self, number: int, fact: str) -> InputError:
        """The error for a line."""
        return self.damaged(f"line {number}: {fact}")

    def damaged(self, fact: str) -> InputError:
        """The error for the whole record."""
        return InputError(
            f"cannot read memory record '{self.path}': {fact}",
            slug="damaged-memory-record",
            hint="measure again: what is left of this record cannot be trusted",
        )


def pairs(field: str) -> list[tuple[int, int]]:
    """Numbers in pairs.

    >>> pairs("3:10,0:7")
    [(3, 10), (0, 7)]
    """
    numbers = list(map(int, field.replace(":", ",").split(",")))
    return list(zip(numbers[::2], numbers[1::2], strict=True))
