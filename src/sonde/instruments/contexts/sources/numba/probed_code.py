"""Probes in what Numba compiles. Runs in the measured process, from the moment that its Numba begins to compile.

How they get there is in `finished_modules`. Early ones are put in before a module is optimized.
"""

import os
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from sonde.instruments.contexts.sources import native_probes
from sonde.instruments.contexts.sources.numba.finished_modules import (
    FROM_PYTHON,
    FinishedModules,
    Installed,
    installed,
    is_counted,
)
from sonde.instruments.contexts.sources.numba.told_code import MECHANISM, Telling
from sonde.ir import Function, parse_module
from sonde.ir.names import unquoted
from sonde.passes import ENTER, CallProbes, InterpreterProbes

_FIRST_NUMBER = 2
"""Below are those that stand for the interpreter's contexts: `native/probes/probes.h`."""


class Settings(NamedTuple):
    """What is asked for."""

    folder: str
    """Of the run."""
    command: str
    when: Literal["late", "early"]
    follow: bool


class NumbaProbes:
    """Puts probes into what Numba compiles from now on.

    Args:
        agent: the module `sonde._agent` of the process.
    """

    def __init__(self, settings: Settings, agent: Any, telling: Telling) -> None:
        self._when, self._telling = settings.when, telling
        self._offset = native_probes.thread_offset()
        self._numbers: dict[str, int] = {}
        """By symbol, of all that has probes."""
        self._modules = FinishedModules(agent, telling)
        native_probes.begin(
            native_probes.Plan(
                os.fsencode(settings.folder),
                os.fsencode(settings.command),
                f"{MECHANISM}-{settings.when}-probes".encode(),
                0,
                0,
                native_probes.HotPlan(0, False, 0, 0),
                False,
                settings.follow,
                *agent.outer_context(),
            )
        )

    def install(self) -> None:
        """Hook into Numba.

        Raises:
            AttributeError: it has not what is hooked.
        """
        early = None if self._when == "late" else (lambda plain: self._with_probes(plain, is_finished=False))
        self._modules.install(
            native_probes.addresses(),
            lambda plain: self._with_probes(plain, is_finished=True),
            before_optimizing=early,
        )

    def remove(self) -> None:
        """Let Numba be as it was."""
        self._modules.remove()

    def _with_probes(self, plain: Any, *, is_finished: bool) -> Any:
        """A copy of a module, with probes; None: there is nothing to put any into."""
        module = parse_module(str(plain))
        symbols = {each.name: unquoted(each.name) for each in module.defined_functions()}
        late = self._when == "late"
        wanted = {
            name: symbol
            for name, symbol in symbols.items()
            if late == is_finished and is_counted(symbol) and not _has_probes(module.functions[name])
        }
        from_python = {name: of for name, symbol in symbols.items() if is_finished and (of := _called_by(symbol))}
        if not wanted and not from_python:
            return None
        self._number([*wanted.values(), *from_python.values()])
        probes = CallProbes(
            self._offset, self._when, sites=False
        )  # code of Numba's has no lines that would tell them apart
        probes.insert(module, {name: self._numbers[of] for name, of in wanted.items()})
        InterpreterProbes(self._offset).insert(module, {name: self._numbers[of] for name, of in from_python.items()})
        return self._modules.parsed(module, plain.name)

    def _number(self, symbols: Iterable[str]) -> None:
        new = [symbol for symbol in dict.fromkeys(symbols) if symbol not in self._numbers]
        for symbol in new:
            self._numbers[symbol] = _FIRST_NUMBER + len(self._numbers)
        if new:
            self._telling.functions([self._modules.description(symbol) for symbol in new])


def watch_numba(settings: Settings, agent: Any) -> Installed | None:
    """Put probes into what Numba compiles from now on; None: it cannot be done, which is told."""
    telling = Telling(settings.folder)
    return installed(telling, lambda: NumbaProbes(settings, agent, telling))


def _called_by(symbol: str) -> str:
    """The function that a symbol calls for Python; empty: it is none of those."""
    return f"_ZN{symbol.removeprefix(FROM_PYTHON)}" if symbol.startswith(FROM_PYTHON) else ""


def _has_probes(function: Function) -> bool:
    return any(f"@{ENTER}(" in each.text for block in function.blocks for each in block.instructions)
