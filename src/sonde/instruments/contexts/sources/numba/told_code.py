"""What a measured process tells of its Numba: the functions, in order of their numbers, and what could not be done.

One file for each process, `<pid>.numba`, with a line of JSON for each.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sonde.code import Function

MECHANISM = "numba"
"""With this begins how the agent's companion says that it sees calls."""
_ADDRESS = re.compile(r"(?<=__numba_parfor_gufunc)_0x[0-9a-f]+")
"""Tells parallel loops of one run apart, and is another in the next."""


@dataclass(frozen=True, slots=True)
class ToldCode:
    """What one process told."""

    functions: tuple[Function, ...] = ()
    losses: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How often each kind of loss, with its detail."""


class Telling:
    """Writes a file of told code; a forked child continues in one of its own, with all that was told before."""

    def __init__(self, folder: str, what: Literal["calls", "cycles"] = "calls") -> None:
        self._folder, self._pid, self._what = Path(folder), os.getpid(), what
        self._all: list[str] = []

    def functions(self, described: Sequence[tuple[str, str, str, int]]) -> None:
        """Tell the next ones: name, module, file and line of each."""
        self._write([json.dumps(each) for each in described])

    def lose(self, kind: str, detail: str) -> None:
        """Tell what could not be done, once."""
        self._write([json.dumps({"kind": kind, "detail": detail})])

    def not_probed(self, reason: str) -> None:
        """Tell that something that Numba compiled has no probes."""
        self.lose("numba-not-probed", f"{self._what} of functions that Numba compiled were not counted: {reason}")

    def tell(self, line: str) -> None:
        """Tell something else, in a line of JSON."""
        self._write([line])

    def _write(self, lines: list[str]) -> None:
        self._all += lines
        if self._pid != os.getpid():
            self._pid, lines = os.getpid(), self._all
        try:
            with (self._folder / f"{self._pid}.numba").open("a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError:
            pass  # they are counted, and have no names


def without_address(name: str) -> str:
    """The name of a function, the same in each run."""
    return _ADDRESS.sub("", name)


def read_told_code(folder: Path, pid: int, parent_pid: int) -> ToldCode:
    """What a process told, or its parent, as long as it was one with it; what is no description is left out."""
    for each in (pid, parent_pid):
        try:
            text = (folder / f"{each}.numba").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        return _read(text)
    return ToldCode()


def _read(text: str) -> ToldCode:
    told, functions = ToldCode(), list[Function]()
    for line in text.splitlines():
        try:
            match json.loads(line):
                case [str(name), str(module), str(file), int(first_line)]:
                    name = without_address(name)
                    functions.append(Function(name, module, file, max(0, first_line), "function", "jit"))
                case {"kind": str(kind), "detail": str(detail)}:
                    told.losses[kind, detail] += 1
                case _:
                    pass
        except ValueError:
            pass  # the process was cut off as it wrote
    return ToldCode(tuple(functions), told.losses)
