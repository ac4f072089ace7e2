"""A program that sonde compiles, with probes in the functions that are phases, from its files to its end."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from sonde.base.compilation_steps import MACHINE_CODE
from sonde.base.errors import SondeError
from sonde.base.steps import Steps
from sonde.instruments.phases.profile import Phase
from sonde.instruments.phases.sources.compiled.simulated_child import OBJECT, RUNTIME, SETTINGS
from sonde.instruments.phases.sources.compiled_probe_library import PhasePlan, become_program, phase_addresses
from sonde.instruments.phases.sources.cpython import WatchedRun, simulation_words
from sonde.ir import parse_module, print_module
from sonde.jit import Engine, Libraries, LinkedProgram, check_source, function_of_symbol, link_with_lines
from sonde.jit.runtime import runtime_object
from sonde.launch import Outcome, end_with, run_fork, run_to_end
from sonde.llvm import LlvmModule
from sonde.options.compiled_program import CompiledProgram
from sonde.options.error_message import tell_error
from sonde.passes.phase_probes import BACK, ENTER, LAST, LEAVE, UNWIND, PhaseProbes, has_several_stacks
from sonde.valgrind import BuiltTool, tool_command, tool_environment

_CHILD = Path(__file__).with_name("simulated_child.py")
_CALLED = (ENTER, LEAVE, UNWIND, BACK, LAST)
"""What code with probes calls."""


class Probed(NamedTuple):
    """The program with probes in some functions."""

    image: bytes
    """The object file."""
    switches_stacks: bool


@dataclass(frozen=True, slots=True)
class CompiledPhases:
    """A program, compiled and optimised, into which probes can be put."""

    program: CompiledProgram
    linked: LinkedProgram
    text: str
    """Its code."""
    libraries: Libraries

    @classmethod
    def compile(cls, program: CompiledProgram, steps: Steps | None = None) -> "CompiledPhases":
        """Compile it as `sonde contexts` does, so that its functions are the same.

        Args:
            steps: told how many files are done.
        Raises:
            InputError, UsageError, MissingCapability: it does not compile, or a library is missing.
        """
        for file in program.files:
            check_source(file)
        libraries = Libraries(program.libraries, program.folders)
        linked = link_with_lines(program.files, program.compiler_options, program.level, steps)
        return cls(program, linked, linked.module.text(), libraries)

    @property
    def _arguments(self) -> tuple[str, ...]:
        return (self.program.files[0], *self.program.arguments)

    def probed(self, phases: Sequence[Phase], steps: Steps | None = None) -> Probed:
        """The program with probes in all functions of these phases; `steps` is told of the machine code."""
        module = parse_module(self.text)
        numbers = {phase.function: number for number, phase in enumerate(phases)}
        known = {each.name: function_of_symbol(module, each.name) for each in module.defined_functions()}
        PhaseProbes({name: numbers[of] for name, of in known.items() if of in numbers}).insert(module)
        made = LlvmModule.from_text(print_module(module), self.linked.module.name)
        (steps or Steps()).begin(MACHINE_CODE)
        image = made.object(self.program.level)
        return Probed(image, has_several_stacks(module))

    def run(self, probed: Probed, folder: Path, asked: WatchedRun, let_go: Callable[[], None]) -> Outcome:
        """Run it to its end in a fork; what its threads tell comes into `folder`.

        Args:
            let_go: leaves to sonde, in the fork, what is sonde's.
        """
        sonde = os.getpid()

        def become() -> NoReturn:
            end_with(sonde)
            let_go()
            try:
                self.become(probed, folder, asked)
            except SondeError as error:  # the run is sonde's to end, not its fork's
                tell_error(error)
                os._exit(error.exit_code)

        return run_fork(become)

    def simulate(self, probed: Probed, folder: Path, asked: WatchedRun, tool: BuiltTool) -> Outcome:
        """Run it to its end in sonde's Valgrind tool. Raises: SondeError: `cannot-execute`."""
        (folder / OBJECT).write_bytes(probed.image)
        (folder / RUNTIME).write_bytes(runtime_object())
        settings = {
            "path": sys.path,
            "arguments": self._arguments,
            "libraries": self.program.libraries,
            "folders": self.program.folders,
            "users": self.linked.users,
            "called": _CALLED,
            "counters": asked.counters,
            "most_log_bytes": asked.most_log_bytes,
            "switches_stacks": probed.switches_stacks,
        }
        (folder / SETTINGS).write_text(json.dumps(settings), encoding="ascii")
        words = simulation_words(folder, asked.counters, "requests")
        argv = (sys.executable, "-I", str(_CHILD), str(folder.resolve()))
        return run_to_end(tool_command(argv, tool, folder, words), tool_environment(os.environ, tool))

    def become(self, probed: Probed, folder: Path, asked: WatchedRun) -> NoReturn:
        """Be the program from here to its end, with its logs in `folder`. For a fork of sonde.

        Raises:
            InputError: `missing-symbol`, `cannot-link`; SondeError: `cannot-write`. Only before the program runs.
        """
        called = phase_addresses(_CALLED)
        code = Engine(self.libraries).load(self._arguments[0], [probed.image], called, self.linked.users)
        plan = PhasePlan(os.fsencode(folder.resolve()), asked.counters, asked.most_log_bytes, probed.switches_stacks)
        try:
            become_program(code, self._arguments, plan)
        except OSError as error:
            raise SondeError(
                f"cannot write into '{folder}': {error.strerror}",
                slug="cannot-write",
                hint="what is counted is kept beside the profile: -o FILE chooses another place",
            ) from error
