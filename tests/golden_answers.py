"""Answers of sonde as texts to compare: what a command prints on several terminals, its data, the data of its page.

A case is a command line with the files it reads; it is run in this process, in a folder of its own, and knows of the
machine only what the case patches. All values that a test compares come from here, so that a change of how answers are
rendered is a change of golden files alone.
"""

import gc
import io
import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sonde.cli import main

_DIGITS = 6
"""Significant digits of numbers in data: the last of 17 depend on the processor and on the release of NumPy."""

_WIDTH = 120
"""Columns of pretty-printed data: lists and records that fit in a line stand in one."""

_PAGE = "page.html"


@dataclass(frozen=True, slots=True)
class Look:
    """A terminal, or a file."""

    name: str
    width: int
    encoding: str = "utf-8"
    is_coloured: bool = False
    is_verbose: bool = False
    """By `-v`, where the answer is also data."""


PLAIN = (Look("60", 60), Look("80", 80), Look("120", 120, is_verbose=True))
LOOKS = (
    *PLAIN,
    Look("80-colour", 80, is_coloured=True),
    Look("80-ascii", 80, encoding="ascii"),
)


ONE = PLAIN[1:2]
"""Where it does not matter."""


@dataclass(frozen=True, slots=True)
class Case:
    """A command, and all that its answer depends on."""

    words: tuple[str, ...]
    files: Mapping[str, Callable[[Path], object]] = field(default_factory=dict[str, Callable[[Path], object]])
    """What writes each file that the command reads."""
    patches: Mapping[str, object] = field(default_factory=dict[str, object])
    """`module.name` -> what stands there instead."""
    forms: frozenset[str] = frozenset({"text", "json", "page"})
    """In which the command answers."""
    looks: tuple[Look, ...] = ()
    retold: Callable[[str], str] = str
    """What is compared of a text."""

    def words_for(self, look: Look) -> tuple[str, ...]:
        """The command, for one look at it."""
        return (*self.words, "-v") if look.is_verbose and "json" in self.forms else self.words

    @property
    def all_looks(self) -> tuple[Look, ...]:
        """Colours and stand-ins of answers that are also data; those that are text alone are variants of these."""
        if "text" not in self.forms:
            return ()
        return self.looks or (LOOKS if len(self.forms) > 1 else PLAIN)


class _Stream(io.TextIOWrapper):
    """Standard output: a terminal if it is coloured, of an encoding that refuses what it does not have."""

    def __init__(self, look: Look) -> None:
        super().__init__(io.BytesIO(), encoding=look.encoding, newline="\n")
        self._is_terminal = look.is_coloured

    def isatty(self) -> bool:
        return self._is_terminal

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


@dataclass(slots=True)
class Desk:
    """Where commands of cases are run."""

    folder: Path
    """Files of cases are written into folders below, once."""
    written: set[str] = field(default_factory=set[str])

    def text(self, name: str, case: Case, look: Look) -> str:
        """What the command prints, with the talk of stderr and the exit code, if there are any, below it."""
        out, err, code = self._run(name, case, case.words_for(look), look)
        parts = [out, f"--- stderr\n{err}" if err else "", f"--- exit code {code}\n" if code else ""]
        return case.retold("".join(parts))

    def data(self, name: str, case: Case) -> str:
        """Its `--json`."""
        out, _, _ = self._run(name, case, (*case.words, "--json"), *ONE)
        return pretty(json.loads(out))

    def markdown(self, name: str, case: Case) -> str:
        """Its `--markdown`."""
        out, _, _ = self._run(name, case, (*case.words, "--markdown"), *ONE)
        return out

    def page(self, name: str, case: Case) -> str:
        """The data in the page of its `--html`."""
        self._run(name, case, (*case.words, "--html", _PAGE, "--force"), *ONE)
        page = (self.folder / name / _PAGE).read_text(encoding="ascii")
        found = re.search(r'<script type="application/json" id="[a-z]+">(.*?)</script>', page, re.DOTALL)
        assert found is not None
        return pretty(json.loads(found[1]))

    def _run(self, name: str, case: Case, words: tuple[str, ...], look: Look) -> tuple[str, str, int]:
        place = self.folder / name
        if name not in self.written:
            place.mkdir(parents=True)
            for file, write in case.files.items():
                write(place / file)
            self.written.add(name)
        out, err = _Stream(look), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(place)
            patch.setenv("COLUMNS", str(look.width))
            patch.setenv("TERM", "xterm")
            patch.delenv("NO_COLOR", raising=False)
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            for target, value in case.patches.items():
                patch.setattr(target, value)
            try:
                code = main(list(words))
            finally:
                gc.enable()  # some commands, which end their process, do without
        return out.text(), err.getvalue(), code


def pretty(value: object) -> str:
    """JSON with sorted keys, of which nothing depends on the machine; what fits in a line stands in one.

    >>> print(pretty({"b": [1, 0.1 + 0.2], "a": None}), end="")
    {"a": null, "b": [1, 0.3]}
    """
    text = _pretty(_rounded(value), "") + "\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # odd names have halves of surrogate pairs


def _pretty(value: Any, indent: str) -> str:
    line = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, dict | list):
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {_pretty(value[key], deeper)}" for key in sorted(value)]
    else:
        parts = [_pretty(each, deeper) for each in value]
    if isinstance(value, list) and not any(isinstance(each, dict | list) for each in value):
        parts = _filled(parts, _WIDTH - len(deeper))
    first, last = "{}" if isinstance(value, dict) else "[]"
    return first + f"\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}{last}"


def _filled(parts: list[str], width: int) -> list[str]:
    """Values of a column, many in a line."""
    lines = [""]
    for part in parts:
        longer = f"{lines[-1]}, {part}" if lines[-1] else part
        if lines[-1] and len(longer) > width:
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


def _rounded(value: Any) -> Any:
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
