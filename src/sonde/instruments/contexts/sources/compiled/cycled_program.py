"""A program that sonde compiles, with probes that measure its cycles, from its files to its end."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from sonde.base.compilation_steps import MACHINE_CODE, PROBES
from sonde.base.errors import SondeError
from sonde.base.steps import Steps
from sonde.instruments.contexts.sources.compiled_functions import compiled_unit
from sonde.instruments.contexts.sources.cycle_library import (
    SHARE_OF_TIME,
    CyclePlan,
    begin_cycles,
    cycle_addresses,
    cycles_offset,
)
from sonde.instruments.contexts.sources.probes import (
    PROBE,
    CompiledUnits,
    write_image,
    write_loaded,
    write_units,
)
from sonde.instruments.contexts.sources.sampling import SAMPLE_NS, CodeSampling
from sonde.ir import SourceFrames, parse_module, print_module, source_functions
from sonde.jit import Engine, Libraries, LoadedCode, link_with_lines, run_main
from sonde.jit.object_code import ObjectCode
from sonde.llvm import LlvmModule
from sonde.options.compiled_program import CompiledProgram
from sonde.passes import CycleProbes, LoopCounters, ProbePlaces
from sonde.passes.cycle_probes import FIRST_UNIT, UNIT_BYTES

Stamps = Literal["none", "chosen", "all"]
"""How many of the intervals of compiled functions are measured."""
UnitTime = Literal["measured", "sampled", "both"]
"""How it is known what compiled functions take: by probes, by samples, or by probes and divided by samples too."""


@dataclass(frozen=True, slots=True)
class CycledProgram:
    """A program with cycle probes, ready to be run."""

    image: bytes
    """The object file."""
    known: CompiledUnits
    """By the numbers that the probes know them by, if there are any."""
    stamps: Stamps
    time: UnitTime
    loops: int
    """How many are counted."""
    arguments: tuple[str, ...]
    libraries: Libraries
    users: dict[str, str]
    """Symbol -> a file that uses it."""

    @classmethod
    def compile(
        cls, program: CompiledProgram, stamps: Stamps, time: UnitTime = "measured", steps: Steps | None = None
    ) -> "CycledProgram":
        """Compile a program, and put probes into it when the optimiser is done, unless times are sampled alone.

        Args:
            steps: told of those of `COMPILATION`.
        Raises:
            InputError, UsageError, MissingCapability: as `link_with_lines` and `Libraries`.
        """
        steps = steps or Steps()
        libraries = Libraries(program.libraries, program.folders)
        offset = cycles_offset()
        linked = link_with_lines(program.files, program.compiler_options, program.level, steps)
        steps.begin(PROBES)
        module = parse_module(linked.module.text())
        frames = SourceFrames(module)
        units = {each.name: compiled_unit(module, each.name, frames) for each in module.defined_functions()}
        described = () if time == "measured" else tuple(source_functions(module))
        names, counters = list(units), dict[tuple[str, str], int]()
        if time != "sampled":
            places = ProbePlaces(module, PROBE) if time == "both" else None
            names = CycleProbes(offset, has_intervals=stamps != "none").insert(module, places)
            counters = LoopCounters(offset, FIRST_UNIT + UNIT_BYTES * len(names)).insert(module, names, places)
        counted = [
            unit._replace(counters=tuple(counters[name, each.header] for each in unit.regions[1:]))
            if counters
            else unit
            for name, unit in ((name, units[name]) for name in names)
        ]
        steps.begin(MACHINE_CODE)
        image = LlvmModule.from_text(print_module(module), linked.module.name).object(program.level)
        arguments = (program.files[0], *program.arguments)
        known = CompiledUnits(tuple(counted), described)
        return cls(image, known, stamps, time, len(counters), arguments, libraries, linked.users)

    def describe(self, folder: Path) -> None:
        """Keep in `folder` what is needed to read the spools. Raises: SondeError: `cannot-write`."""
        try:
            write_units(folder, self.known)
            if self.time != "measured":
                write_image(folder, self.image)
        except OSError as error:
            raise _no_room(folder, error) from error

    def sampling(self, folder: Path, *, follow: bool, every_ns: int = SAMPLE_NS) -> CodeSampling | None:
        """What samples it, if anything is to. Raises: MissingCapability: `no-samples`."""
        if self.time == "measured":
            return None
        return CodeSampling(folder, os.fsencode("\n".join(self.arguments)), follow=follow, ns_per_sample=every_ns)

    def become(self, folder: Path, *, follow: bool, sampling: CodeSampling | None = None) -> NoReturn:
        """Be the program from here to its end, with its spools in `folder`. For a fork of sonde.

        Args:
            sampling: of `sampling`; begun by the process that this one is a fork of.
        Raises:
            InputError: `missing-symbol`, `cannot-link`; SondeError: `cannot-write`; MissingCapability: `no-samples`.
                Only before the program runs.
        """
        has_probes = self.time != "sampled"
        given = cycle_addresses() if has_probes else {}
        code = Engine(self.libraries).load(self.arguments[0], [self.image], given, self.users)
        plan = CyclePlan(
            os.fsencode(folder.resolve()),
            os.fsencode("\n".join(self.arguments)),
            f"llvm-late-cycles, stamps: {self.stamps}".encode(),
            len(self.known.units),
            SHARE_OF_TIME if self.stamps == "chosen" else 0.0,
            follow,
            self.loops,
        )
        try:
            if has_probes:
                begin_cycles(plan)
            if sampling is not None:
                sampling.wait_until_sampled(*self._place(folder, code))
        except OSError as error:
            raise _no_room(folder, error) from error
        run_main(code, self.arguments)

    def _place(self, folder: Path, code: LoadedCode) -> tuple[int, int]:
        """Where its functions begin, and how many bytes these and what lies between them take. Raises: OSError."""
        ranges = ObjectCode(self.image).place(code.addresses).ranges
        start = min((each.start for each in ranges), default=0)
        write_loaded(folder, start, code.addresses)
        return start, max((each.end for each in ranges), default=0) - start


def _no_room(folder: Path, error: OSError) -> SondeError:
    return SondeError(
        f"cannot write into '{folder}': {error.strerror}",
        slug="cannot-write",
        hint="what is counted is kept beside the profile: -o FILE chooses another place",
    )
