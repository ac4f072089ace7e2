"""A program that sonde compiles, with probes at its calls, from its files to its end."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from sonde.base.compilation_steps import MACHINE_CODE, PROBES
from sonde.base.errors import SondeError
from sonde.base.steps import Steps
from sonde.code import Function
from sonde.instruments.contexts.sources.native_probes import (
    HotPlan,
    Plan,
    addresses,
    begin,
    begin_bursts,
    switch_address,
    thread_offset,
)
from sonde.instruments.contexts.sources.probe_plan import ProbePlan
from sonde.instruments.contexts.sources.probes import write_code, write_loaded
from sonde.ir import parse_module, print_module, source_functions
from sonde.jit import Engine, Libraries, function_of_source, function_of_symbol, link_with_lines, run_main
from sonde.launch.burst_clock import BURSTS
from sonde.llvm import LlvmModule
from sonde.options.compiled_program import CompiledProgram
from sonde.passes import CallProbes

_FURTHEST = 1 << 28
"""Bytes of code on either side of a function's: more than one program has."""


@dataclass(frozen=True, slots=True)
class ProbedProgram:
    """A program with probes, ready to be run."""

    image: bytes
    """The object file."""
    functions: tuple[Function, ...]
    """By the numbers that the probes know them by."""
    named: tuple[tuple[str, Function], ...]
    """All that debug information knows, with their symbols."""
    arguments: tuple[str, ...]
    libraries: Libraries
    users: dict[str, str]
    """Symbol -> a file that uses it."""
    when: Literal["late", "early"]
    has_bursts: bool = False
    """Whether its probes are on in bursts only, which `become` finds in its folder."""

    @classmethod
    def compile(
        cls,
        program: CompiledProgram,
        when: Literal["late", "early"],
        *,
        bursts: bool = False,
        steps: Steps | None = None,
    ) -> "ProbedProgram":
        """Compile a program, and put probes into it.

        Args:
            bursts: whether its probes, late ones, can be switched.
            steps: told of those of `COMPILATION`.
        Raises:
            InputError, UsageError, MissingCapability: as `link_with_lines` and `Libraries`.
        """
        steps = steps or Steps()
        libraries = Libraries(program.libraries, program.folders)
        offset = thread_offset()
        level = program.level if when == "late" else None
        linked = link_with_lines(program.files, program.compiler_options, level, steps)
        steps.begin(PROBES)
        module = parse_module(linked.module.text())
        named = tuple((each.symbol, function_of_source(each)) for each in source_functions(module))
        symbols = CallProbes(offset, when, switch=switch_address() if bursts else None).insert(module)
        functions = tuple(function_of_symbol(module, symbol) for symbol in symbols)
        probed = LlvmModule.from_text(print_module(module), linked.module.name)
        steps.begin(MACHINE_CODE)
        if when == "early":
            probed.optimize(program.level)
        arguments = (program.files[0], *program.arguments)
        return cls(probed.object(program.level), functions, named, arguments, libraries, linked.users, when, bursts)

    def describe(self, folder: Path) -> None:
        """Keep in `folder` what is needed to read the spools. Raises: SondeError: `cannot-write`."""
        try:
            write_code(folder, self.image, self.functions, self.named)
        except OSError as error:
            raise _no_room(folder, error) from error

    def become(self, folder: Path, plan: ProbePlan) -> NoReturn:
        """Be the program from here to its end, with its spools in `folder`. For a fork of sonde.

        Raises:
            InputError: `missing-symbol`, `cannot-link`; SondeError: `cannot-write`. Only before the program runs.
        """
        engine = Engine(self.libraries)
        code = engine.load(self.arguments[0], [self.image], addresses(), self.users)
        start = max(0, min(code.addresses.values()) - _FURTHEST)
        try:
            write_loaded(folder, start, code.addresses)
            begin(self._plan(folder, plan, start))
            if self.has_bursts:
                begin_bursts(folder / BURSTS)
        except OSError as error:
            raise _no_room(folder, error) from error
        run_main(code, self.arguments)

    def _plan(self, folder: Path, plan: ProbePlan, start: int) -> Plan:
        return Plan(
            os.fsencode(folder.resolve()),
            os.fsencode("\n".join(self.arguments)),
            f"llvm-{self.when}-probes".encode(),
            start,
            2 * _FURTHEST,
            HotPlan(*plan.hot_numbers),
            plan.timed,
            plan.follow,
        )


def _no_room(folder: Path, error: OSError) -> SondeError:
    return SondeError(
        f"cannot write into '{folder}': {error.strerror}",
        slug="cannot-write",
        hint="what is counted is kept beside the profile: -o FILE chooses another place",
    )
