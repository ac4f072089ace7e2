"""Programs that sonde compiles to measure their phases; loaded for those only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sonde.base.compilation_steps import COMPILATION, FRONT_END, MACHINE_CODE, PROBES
from sonde.base.errors import UsageError
from sonde.instruments.phases.known_counters import COMPILED_COUNTERS, DEFAULT_COUNTERS, INTERPRETER_COUNTERS
from sonde.instruments.phases.options import PhaseOptions
from sonde.instruments.phases.profile import Phase
from sonde.instruments.phases.sources.compiled import CompiledPhases, Probed, telling_cost_ns
from sonde.instruments.phases.sources.cpython import WatchedRun, WatchingCosts
from sonde.instruments.phases.sources.first_step import FirstStep, time_every_call
from sonde.launch import Outcome
from sonde.options.compiled_program import compiled_program_of_words
from sonde.render.compiling import Compiling
from sonde.valgrind import BuiltTool

_COMPILED = {FRONT_END: 1.0}
_WITH_PROBES = {each: COMPILATION[each] for each in (PROBES, MACHINE_CODE)}


def asked_of_compiled(file: str, asked: PhaseOptions) -> PhaseOptions:
    """What is asked for, as compiled programs have it: in steps, and without counters of an interpreter.

    Raises:
        UsageError: `not-of-compiled`.
    """
    if asked.counters == DEFAULT_COUNTERS:
        return replace(asked, steps=True, counters=COMPILED_COUNTERS)
    if others := [name for name in asked.counters if name in INTERPRETER_COUNTERS]:
        raise UsageError(
            f"cannot count {others[0]} in '{file}': they are the Python interpreter's",
            slug="not-of-compiled",
            hint=f"leave out {others[0]}",
        )
    return replace(asked, steps=True)


@dataclass(frozen=True, slots=True)
class ProgramToCompile:
    """A program that sonde has compiled."""

    command: tuple[str, ...]
    phases: CompiledPhases
    let_go: Callable[[], None]
    """Leaves to sonde, in a fork, what is sonde's."""

    @classmethod
    def compile(cls, words: list[str], let_go: Callable[[], None]) -> "ProgramToCompile":
        """Understand PROGRAM, and compile it.

        Raises:
            UsageError: `usage`, `no-source`, `not-of-compiled`.
            InputError, MissingCapability: it does not compile.
        """
        program = compiled_program_of_words(words, "phases")
        if program.tells_perf:
            raise UsageError(
                f"cannot use --perf with '{words[0]}': it is not for phases",
                slug="not-of-compiled",
                hint="leave out --perf",
            )
        with Compiling(_COMPILED) as steps:
            return cls(tuple(words), CompiledPhases.compile(program, steps), let_go)

    def time_every_call(self) -> FirstStep:
        """See `MeasuredProgram`."""
        return time_every_call(self.command, compiled=True)

    def watched(self, phases: Sequence[Phase], counters: tuple[str, ...]) -> WatchedRun:
        """See `MeasuredProgram`."""
        return WatchedRun.of_compiled(phases, counters)

    def run(self, folder: Path, asked: WatchedRun) -> Outcome:
        """See `MeasuredProgram`."""
        return self.phases.run(self._probed(asked), folder, asked, self.let_go)

    def simulate(self, folder: Path, asked: WatchedRun, tool: BuiltTool) -> Outcome:
        """See `MeasuredProgram`."""
        return self.phases.simulate(self._probed(asked), folder, asked, tool)

    def _probed(self, asked: WatchedRun) -> Probed:
        with Compiling(_WITH_PROBES) as steps:
            return self.phases.probed(asked.phases, steps)

    def costs(self, counters: tuple[str, ...]) -> WatchingCosts:
        """See `MeasuredProgram`."""
        return WatchingCosts(telling_cost_ns(counters), 0.0)
