"""Functions of a program get probes before they run for the first time. Runs in the measured process."""

import json
import os
import sys
from collections.abc import Callable
from types import CodeType
from typing import NamedTuple, Protocol

from sonde.code.function import Function
from sonde.code.origin import origin_of
from sonde.code.selection import is_called
from sonde.instruments.paths.sources.bytecode.code_graph import block_lines
from sonde.instruments.paths.sources.bytecode.event_tables import EventTables, event_tables
from sonde.instruments.paths.sources.bytecode.named_package import named_package
from sonde.instruments.paths.sources.bytecode.numbered_code import NumberedCode
from sonde.instruments.paths.sources.bytecode.rewriting import Probes, rewrite

_BURSTS = "bursts"
"""As of `sonde.launch.burst_clock`, which measured processes do not load."""
_OPTIMIZED_WITH_LOCALS = 0x3
"""`co_flags` of functions; bodies of modules and classes run once."""


class PathAgent(Probes, Protocol):
    """`sonde._path_agent`."""

    def start(self, path: bytes, bursts: bytes, k: int, most_nodes: int, launcher: int, by_events: bool) -> None:
        """Count into a new file, while the file of bursts, if there is one, says so."""

    def finish(self) -> tuple[int, int]:
        """Count no more."""

    def before_code(self, prepare: Callable[[CodeType], None], /) -> None:
        """Call it with code that is about to be executed."""

    def show_as(self, code: CodeType, original: CodeType, origins: bytes) -> None:
        """What the program sees of rewritten code (up to 3.13; there is no such function later)."""

    def watch(self, code: CodeType, has_jumps: bool, tables: tuple[object, ...]) -> None:
        """Follow its paths by events."""

    def set_consts(self, code: CodeType, consts: tuple[object, ...]) -> None:
        """Change the constants of code."""


class Settings(NamedTuple):
    """What is asked for."""

    folder: str
    """Of the run."""
    k: int
    most_nodes: int
    functions: tuple[str, ...]
    """Names, see `is_called`; none: all of the program's own."""
    launcher: int
    """Process id."""
    by_events: bool = False
    """Not by rewritten code, where there is a choice."""


class TracedProgram:
    """The functions that were chosen so far; `finish` tells what was lost."""

    def __init__(self, agent: PathAgent, settings: Settings) -> None:
        self._agent = agent
        self._settings = settings
        self._name = os.path.join(settings.folder, str(os.getpid()))
        self._process = os.getpid()
        self._numbers: dict[CodeType, int] = {}  # code that is the same, made twice, has one
        self._names: dict[tuple[str, str, int], int] = {}
        self._told: list[str] = []
        self._changed: list[tuple[CodeType, tuple[object, ...]]] = []
        self._by_events = settings.by_events or not hasattr(agent, "show_as")
        self._seen: dict[int, CodeType] = {}
        self._package = named_package(sys.orig_argv)
        self._command: CodeType | None = None

    def begin(self) -> None:
        """Count from the next code that is executed on."""
        settings = self._settings
        counts = os.fsencode(f"{self._name}.paths")
        bursts = os.path.join(settings.folder, _BURSTS)
        switch = os.fsencode(bursts) if os.path.exists(bursts) else b""
        self._agent.start(counts, switch, settings.k, settings.most_nodes, settings.launcher, self._by_events)
        self._agent.before_code(self._prepare)

    def finish(self) -> None:
        """Put back what was changed, and tell what is not in the counts."""
        if os.getpid() != self._process:
            return
        lost, unended = self._agent.finish()
        for code, consts in self._changed:
            self._agent.set_consts(code, consts)
        self._tell({"lost": lost, "unended": unended})

    def _prepare(self, code: CodeType) -> None:
        if os.getpid() != self._process or code.co_filename.startswith("<frozen ") or id(code) in self._seen:
            return
        if not self._settings.functions and not self._is_own(code):
            return
        self._seen[id(code)] = code
        self._told = []
        try:
            self._inside(code)
        except Exception as error:
            self._told.append(json.dumps({"failed": f"{code.co_filename}: {type(error).__name__}: {error}"}))
        if self._told:
            self._append("\n".join((*self._told, "")))

    def _inside(self, code: CodeType) -> None:
        """Of code that gets no probes itself."""
        consts = tuple(self._probed(each) if isinstance(each, CodeType) else each for each in code.co_consts)
        if any(new is not old for new, old in zip(consts, code.co_consts, strict=True)):
            self._changed.append((code, code.co_consts))
            self._agent.set_consts(code, consts)

    def _probed(self, code: CodeType) -> CodeType:
        if not self._is_chosen(code):
            self._inside(code)
            return code
        numbered = NumberedCode.of(code)
        number = self._numbers.get(code, 0)
        if not number:
            number = self._numbers[code] = len(self._numbers) + 1
            self._told.append(json.dumps(_told(number, self._name_of(code), code, numbered)))
        if self._by_events:
            self._inside(code)
            tables = event_tables(numbered)
            self._agent.watch(code, tables.has_jumps, _told_to_agent(number, tables))
            return code
        consts = tuple(self._probed(each) if isinstance(each, CodeType) else each for each in code.co_consts)
        new, origins = rewrite(code, numbered, number, self._agent, consts)
        self._agent.show_as(new, code, origins)
        return new

    def _name_of(self, code: CodeType) -> str:
        """Its name; that of another one of the same line gets a number."""
        key = (code.co_qualname, code.co_filename, code.co_firstlineno)
        self._names[key] = count = self._names.get(key, 0) + 1
        return code.co_qualname if count == 1 else f"{code.co_qualname} #{count}"

    def _is_chosen(self, code: CodeType) -> bool:
        if code.co_flags & _OPTIMIZED_WITH_LOCALS != _OPTIMIZED_WITH_LOCALS:
            return False
        names = self._settings.functions
        return not names or any(is_called(_function(code), name) for name in names)

    def _is_own(self, code: CodeType) -> bool:
        if code.co_filename.startswith("<"):
            return self._is_command(code)
        return bool(self._package and code.co_filename.startswith(self._package)) or origin_of(_function(code)) == "own"

    def _is_command(self, code: CodeType) -> bool:
        """Whether it stands behind `-c`: that is the first code of a string that runs."""
        is_first = self._command is None and sys.argv[:1] == ["-c"]
        if is_first and (code.co_filename, code.co_name) == ("<string>", "<module>"):
            self._command = code
        return code is self._command

    def _tell(self, what: dict[str, object]) -> None:
        self._append(json.dumps(what) + "\n")

    def _append(self, text: str) -> None:
        with open(f"{self._name}.routines", "a", encoding="utf-8") as told:
            told.write(text)


def _function(code: CodeType) -> Function:
    return Function(code.co_qualname, "", code.co_filename, code.co_firstlineno)


def _told_to_agent(number: int, tables: EventTables) -> tuple[object, ...]:
    arrays = (tables.block_of, tables.site_of, tables.sites, tables.chains, tables.steps, tables.raises)
    return (number, tables.start, tables.entry, tables.outside, *arrays)


def _told(number: int, name: str, code: CodeType, numbered: NumberedCode) -> dict[str, object]:
    graph = numbered.graph
    return {
        "number": number,
        "name": name,
        "file": code.co_filename if code.co_filename.startswith("<") else os.path.abspath(code.co_filename),
        "line": code.co_firstlineno,
        "successors": graph.flow.successors,
        "cut": sorted(numbered.numbering.cut),
        "exceptional": sorted(graph.exceptional),
        "lines": block_lines(code, graph),
        "split": numbered.is_split,
    }
