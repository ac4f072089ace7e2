"""A point in a function of a machine: watched, fired; what it leads to; and what a generator is told when it fires."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field

from sonde.base.errors import UsageError
from sonde.ir import Function, print_function
from sonde.ir.analyses import Place
from sonde.machine import MachineCode, Version
from sonde.osr.cell import Word
from sonde.osr.code import Code
from sonde.osr.conditions import Condition, Flag
from sonde.osr.flag_switches import FlagSwitches
from sonde.osr.generation import Generation
from sonde.osr.landing import Landing, landing
from sonde.osr.signature import Transition


@dataclass(frozen=True, slots=True)
class Firing:
    """What a generator is told of a point that fired."""

    point: "Point"
    code: Code
    """The function that is left, as it was before the point was put in."""
    place: Place
    """The point, in `code`."""
    value: int | None
    """Of the point's value, where it has one."""

    def here(self, recipe: str = "") -> Landing:
        """To go on at the same point of the same code, optimised by a recipe."""
        return landing(self.code, self.place, recipe=recipe)


Generator = Callable[[Firing], Landing]
"""Says where to go on. What it raises is told in `Point.failures`, and the program goes on where it was."""


@dataclass(slots=True, eq=False)
class Point:
    """A point in a version of a function."""

    number: int
    code: Code
    """The function as it was before."""
    place: Place
    when: Condition
    leaving: Transition
    version: Version
    """That has the point."""
    target: str
    """What it leads to, in words."""
    cell: "ctypes.Array[ctypes.c_int64]"
    _switches: FlagSwitches
    parts: dict[int | None, "Part"] = field(default_factory=dict)
    """Value of the point -> the continuation for it; None: for all."""
    failures: list[str] = field(default_factory=list)
    """Why the program went on where it was, each time a generator failed."""
    _generation: Generation | None = None
    """Of an open point."""

    @property
    def name(self) -> str:
        """Version and place: `f@osr at %loop+2`."""
        return f"{self.code.function.name[1:]}@{self.version.name} at {self.place.block}+{self.place.at}"

    @property
    def fired(self) -> int:
        """How often it fired. Where threads fire at once, some may be missed."""
        return self.cell[Word.FIRED]

    def fire(self) -> None:
        """Let it fire whenever it is passed, from now on.

        Raises:
            UsageError: `osr-condition`: it does not look at its flag.
            MissingCapability: `code-not-writable`.
        """
        if not isinstance(self.when, Flag):
            raise UsageError(
                f"cannot fire the point {self.number} by hand: it fires by its condition, {self.when}",
                slug="osr-condition",
                hint="osr insert ... when flag",
            )
        self._switches.set(self.cell, True)

    def hold(self) -> None:
        """Take `fire` back."""
        self._switches.set(self.cell, False)


@dataclass(frozen=True, slots=True)
class Part:
    """A continuation that was made: its IR and its machine code."""

    body: Function
    code: MachineCode

    def text(self) -> str:
        return print_function(self.body)
