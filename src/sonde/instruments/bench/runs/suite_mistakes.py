"""Mistakes in a suite, collected so that all of them are told at once, each with its line."""

import re
from collections.abc import Iterable
from pathlib import Path

from sonde.base.errors import UsageError
from sonde.base.near_names import near_or_all

_HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_TOLD = 5


class Mistakes:
    """What is wrong with a suite.

    >>> mistakes = Mistakes(Path("s"), "[run]\\nronds = 3\\n")
    >>> mistakes.add(("run", "ronds"), "there is no setting 'ronds'", near_to("ronds", ["rounds"]))
    >>> mistakes.check()
    Traceback (most recent call last):
    sonde.base.errors.UsageError: cannot read suite 's': line 2: there is no setting 'ronds'; did you mean 'rounds'?
    """

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = _lines_of_keys(text)
        self._found: list[str] = []

    def add(self, place: tuple[str, ...], fact: str, remark: str = "") -> None:
        """Note a mistake.

        Args:
            place: the keys that lead to it, from the top.
        """
        line = next(
            (self._lines[place[:depth]] for depth in range(len(place), 0, -1) if place[:depth] in self._lines), None
        )
        where = f"line {line}: " if line is not None else f"{'.'.join(place)}: " if place else ""
        self._found.append(f"{where}{fact}{remark}")

    def check(self) -> None:
        """Do nothing if there are none.

        Raises:
            UsageError: `bad-suite`.
        """
        if not self._found:
            return
        told = "; ".join(self._found[:_TOLD])
        more = f"; and {len(self._found) - _TOLD} more mistakes" if len(self._found) > _TOLD else ""
        raise UsageError(f"cannot read suite '{self._path}': {told}{more}", slug="bad-suite")


def near_to(name: str, known: Iterable[str]) -> str:
    """What to append to a complaint about an unknown name."""
    known = list(known)
    return f"; {near_or_all(name, known)}" if known else ""


def _lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    """Keys from the top -> the line where they stand first, from 1 on; as far as lines look like TOML."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header and "=" not in header[1]:
            table = place = _parts(header[1])
        elif key := _KEY.match(line):
            place = (*table, *_parts(key[1]))
        else:
            continue
        for depth in range(1, len(place) + 1):
            found.setdefault(place[:depth], number)
    return found


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
