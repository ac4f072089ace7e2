"""A program that sonde compiles, with probes that measure its cycles, from its files to its end."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from sonde.base.errors import SondeError
from sonde.instruments.contexts.sources.compiled.cycle_library import (
    CyclePlan,
    begin_cycles,
    cycle_addresses,
    cycles_offset,
)
from sonde.instruments.contexts.sources.probes import CompiledUnit, write_units
from sonde.ir import Module, SourceFrames, SourceFunction, parse_module, print_module, source_function
from sonde.ir.analyses import ControlFlow, UnitCosts, guessed_frequencies
from sonde.ir.names import unquoted
from sonde.jit import Engine, Libraries, link_with_lines, run_main
from sonde.llvm import LlvmModule
from sonde.options.compiled_program import CompiledProgram
from sonde.passes import CycleProbes

Stamps = Literal["none", "chosen", "all"]
"""How many of the intervals of compiled functions are measured."""
SHARE_OF_TIME = 0.05
"""Of a function's own time, that measuring may take where intervals are chosen. Five percent is what `sonde contexts`
takes of most programs; half of it doubles the error of short functions, and saves what few would see."""


@dataclass(frozen=True, slots=True)
class CycledProgram:
    """A program with cycle probes, ready to be run."""

    image: bytes
    """The object file."""
    units: tuple[CompiledUnit, ...]
    """By the numbers that the probes know them by."""
    stamps: Stamps
    arguments: tuple[str, ...]
    libraries: Libraries
    users: dict[str, str]
    """Symbol -> a file that uses it."""

    @classmethod
    def compile(cls, program: CompiledProgram, stamps: Stamps) -> "CycledProgram":
        """Compile a program, and put probes into it when the optimiser is done.

        Raises:
            InputError, UsageError, MissingCapability: as `link_with_lines` and `Libraries`.
        """
        libraries = Libraries()
        for name in program.libraries:
            libraries.add(name, program.folders)
        offset = cycles_offset()
        linked = link_with_lines(program.files, program.compiler_options, program.level)
        module = parse_module(linked.module.text())
        frames = SourceFrames(module)
        units = {each.name: _unit(module, each.name, frames) for each in module.defined_functions()}
        names = CycleProbes(offset, has_intervals=stamps != "none").insert(module)
        image = LlvmModule.from_text(print_module(module), linked.module.name).object(program.level)
        arguments = (program.files[0], *program.arguments)
        return cls(image, tuple(units[name] for name in names), stamps, arguments, libraries, linked.users)

    def describe(self, folder: Path) -> None:
        """Keep in `folder` what is needed to read the spools. Raises: SondeError: `cannot-write`."""
        try:
            write_units(folder, self.units)
        except OSError as error:
            raise _no_room(folder, error) from error

    def become(self, folder: Path, *, follow: bool) -> NoReturn:
        """Be the program from here to its end, with its spools in `folder`. For a fork of sonde.

        Raises:
            InputError: `missing-symbol`, `cannot-link`; SondeError: `cannot-write`. Only before the program runs.
        """
        code = Engine(self.libraries).load(self.arguments[0], [self.image], cycle_addresses(), self.users)
        plan = CyclePlan(
            os.fsencode(folder.resolve()),
            os.fsencode("\n".join(self.arguments)),
            f"llvm-late-cycles, stamps: {self.stamps}".encode(),
            len(self.units),
            SHARE_OF_TIME if self.stamps == "chosen" else 0.0,
            follow,
        )
        try:
            begin_cycles(plan)
        except OSError as error:
            raise _no_room(folder, error) from error
        run_main(code, self.arguments)


def _unit(module: Module, name: str, frames: SourceFrames) -> CompiledUnit:
    function = module.functions[name]
    frequencies = guessed_frequencies(module, function, ControlFlow.of(function)).blocks
    known = source_function(module, function) or SourceFunction(unquoted(name), "", 0)
    return CompiledUnit(known, UnitCosts.of(function, frames, frequencies))


def _no_room(folder: Path, error: OSError) -> SondeError:
    return SondeError(
        f"cannot write into '{folder}': {error.strerror}",
        slug="cannot-write",
        hint="what is counted is kept beside the profile: -o FILE chooses another place",
    )
