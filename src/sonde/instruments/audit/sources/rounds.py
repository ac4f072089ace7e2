"""The runs of an audit: rounds in which each configuration has its turn."""

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import InputError, SondeError
from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.audit.profile import (
    CONTROL,
    DENSE,
    EMPTY,
    PLAIN,
    AuditProfile,
    CodeFacts,
    ProfiledRun,
    Profiler,
)
from sonde.instruments.audit.sources.audited_compiled import AuditedCompiled
from sonde.instruments.audit.sources.audited_python import AuditedPython
from sonde.instruments.audit.sources.drivers import (
    ALONE,
    COUNTED,
    COUNTING,
    DENSE_SAMPLE,
    DENSE_SAMPLED,
    Driver,
    Told,
    UnreadableAnswer,
    read_calls,
)
from sonde.instruments.audit.sources.measured_run import OWN_CODE, Clocks, MeasuredRun, run_measured
from sonde.instruments.audit.sources.program_code import CodeName, ProgramCode
from sonde.instruments.audit.sources.toggle import TurnedOff, why_still_on

_TIMES_PLAIN = 100
"""A run under a profiler is ended if it takes longer than so many times the longest without one,"""
_AND_S = 60.0
"""and a minute."""
_LONGEST_PLAIN_S = 3600.0


class Turn(NamedTuple):
    """One run that is due."""

    name: str
    driver: Driver | None
    is_without: bool
    is_of_nothing: bool = False


@dataclass(slots=True)
class Rounds:
    """Runs of a program by itself and under profilers.

    Args:
        program: what is run.
        drivers: profilers that are there.
        profilers: all that take part, those that are missing, too.
        turned_off: what half of the runs of a Python program are without.
        without: the same compiled program without inlining. With neither, nothing is turned off.
    """

    program: AuditedPython | AuditedCompiled
    drivers: Sequence[Driver]
    profilers: tuple[Profiler, ...]
    turned_off: TurnedOff | None = None
    without: AuditedCompiled | None = None
    seed: int = 0
    code: Mapping[str, CodeFacts] = field(default_factory=dict)
    """What the compiled program's code is with each profiler's probes."""
    why_not_turned_off: str = ""
    """Why it cannot be turned off, where that was asked for."""
    _code: ProgramCode = field(default_factory=lambda: ProgramCode(Path.cwd()))
    _functions: dict[Function, int] = field(default_factory=dict)
    _runs: list[ProfiledRun] = field(default_factory=list)
    _calls: dict[int, int] = field(default_factory=dict)
    _ran_for: dict[int, dict[int, int]] = field(default_factory=dict)
    """Compiled functions of a Python program: for which Python functions they run, by calls."""
    _outcome: tuple[int, bytes] | None = None
    """Exit code and output of the program by itself."""
    _outputs_differ: bool = False
    _longest_plain_s: float = 0.0

    @property
    def is_compiled(self) -> bool:
        """Whether sonde compiles the program."""
        return isinstance(self.program, AuditedCompiled)

    @property
    def is_turned_off(self) -> bool:
        """Whether half of the runs are without an optimisation."""
        return self.turned_off is not None or self.without is not None

    @property
    def turns(self) -> list[Turn]:
        """Those of one round."""
        alone, dense = (ALONE, DENSE_SAMPLED) if self.is_compiled else (None, DENSE_SAMPLE)
        names = [(PLAIN, alone), (CONTROL, alone), (DENSE, dense), *((each.name, each) for each in self.drivers)]
        sorts = [False, True] if self.is_turned_off else [False]
        # The control and the empty program have no counterpart: they are compared with plain runs only.
        turns = [Turn(name, each, off) for off in sorts for name, each in names if not (off and name == CONTROL)]
        if self.is_compiled:
            return turns
        nothing = [Turn(each.name, each, False, is_of_nothing=True) for each in self.drivers]
        return [*turns, Turn(EMPTY, None, False), *nothing]

    def check_program(self) -> None:
        """Run the program twice by itself, and without inlined calls, so that nothing is compared that cannot be.

        Raises:
            InputError: `program-fails`, it ends otherwise than with success, or tells no time.
        """
        plain = next(turn for turn in self.turns if turn.name == PLAIN)
        for _ in range(2):
            self._run(plain, 0, keep=False)
        if not self.is_turned_off:
            return
        try:
            self._run(plain._replace(is_without=True), 0, keep=False)
        except InputError as error:
            self.why_not_turned_off = error.message
        if self.why_not_turned_off:
            self.turned_off = self.without = None

    def count_calls(self) -> None:
        """Count the calls of each function, in a run of its own.

        Raises:
            SondeError: they could not be counted.
        """
        with tempfile.TemporaryDirectory(prefix="sonde-audit-") as name:
            folder, output = Path(name), Path(name) / "calls.sonde"
            command = (COUNTED if self.is_compiled else COUNTING).command(self.program, output)
            run = self._measured(command, self.program, folder, is_without=False)
            if not output.exists():
                raise InputError(
                    f"cannot count the calls of '{self.program.words[0]}': {_how_it_ended(run)}",
                    slug="calls-not-counted",
                    hint=f"sonde contexts --no-time -- {' '.join(self.program.argv)}",
                )
            calls = read_calls(output)
            for code, count in calls.of.items():
                number = self._number(code)
                self._calls[number] = self._calls.get(number, 0) + count
            for code, callers in calls.of_compiled.items():
                ran_for = self._ran_for.setdefault(self._number(code), {})
                for caller, count in callers.items():
                    ran_for[self._number(caller)] = ran_for.get(self._number(caller), 0) + count

    def run(self, count: int) -> Iterator[ProfiledRun]:
        """Make all runs, each round in an order of its own.

        Args:
            count: rounds.
        """
        order = random.Random(self.seed)
        for at in range(count):
            turns = self.turns
            order.shuffle(turns)
            for turn in turns:
                yield self._run(turn, at)

    def profile(self, *, python: str, turned_off: str, losses: tuple[Loss, ...]) -> AuditProfile:
        """All that was found up to now."""
        return AuditProfile(
            command=self.program.argv,
            python=python,
            profilers=self.profilers,
            functions=tuple(self._functions),
            calls=dict(self._calls),
            runs=tuple(self._runs),
            code=self.code,
            is_compiled=self.is_compiled,
            turned_off=turned_off,
            losses=losses,
        )

    @property
    def outputs_differ(self) -> bool:
        """Whether the program by itself ended with different outputs, so that profilers cannot be blamed."""
        return self._outputs_differ

    @property
    def plain_s(self) -> float:
        """The longest that the program took by itself."""
        return self._longest_plain_s

    def _run(self, turn: Turn, at: int, *, keep: bool = True) -> ProfiledRun:
        with tempfile.TemporaryDirectory(prefix="sonde-audit-") as name:
            folder, output = Path(name), Path(name) / "answer"
            is_empty = turn.name == EMPTY or turn.is_of_nothing
            program = self._empty_program(folder) if is_empty else self._program_of(turn)
            argv = turn.driver.command(program, output) if turn.driver else list(program.argv)
            measured = self._measured(argv, program, folder, is_without=turn.is_without)
            told, failure = (Told(), "") if turn.is_of_nothing else self._answer(turn.driver, output, measured)
        clocks = (
            Clocks(*told.program_ns) if turn.driver and turn.driver.keeps_time and told.program_ns else measured.clocks
        )
        if turn.name in (PLAIN, CONTROL):
            failure = ""
            self._learn(measured, clocks, turn)
        changed = ""
        if not is_empty and turn.name not in (PLAIN, CONTROL):
            changed = self._changed(measured, turn.driver.own_failures if turn.driver and failure else ())
        own, charged = self._numbered(told.own), self._numbered(told.charged)
        run = ProfiledRun(
            turn.name,
            at,
            turn.is_without,
            measured.wall_ns,
            measured.processor_ns,
            clocks.wall_ns,
            clocks.processor_ns,
            told.total_ns,
            failure,
            changed,
            own,
            charged,
            turn.is_of_nothing,
        )
        if keep:
            self._runs.append(run)
        return run

    def _program_of(self, turn: Turn) -> AuditedPython | AuditedCompiled:
        return self.without if turn.is_without and self.without is not None else self.program

    def _empty_program(self, folder: Path) -> AuditedPython:
        """One that does nothing."""
        script = folder / "empty.py"
        script.touch()
        return AuditedPython(self.program.argv[0], (str(script),))

    def _measured(
        self, argv: Sequence[str], program: AuditedPython | AuditedCompiled, folder: Path, *, is_without: bool
    ) -> MeasuredRun:
        most_s = _AND_S + _TIMES_PLAIN * self._longest_plain_s if self._longest_plain_s else _LONGEST_PLAIN_S
        off = self.turned_off
        try:
            return run_measured(
                argv,
                program.words,
                folder,
                without=off if is_without else None,
                environment=off.environment(is_without=is_without) if off is not None else None,
                most_s=most_s,
            )
        except OSError as error:
            raise SondeError(f"cannot run '{argv[0]}': {error.strerror}", slug="cannot-execute") from error

    def _answer(self, driver: Driver | None, output: Path, run: MeasuredRun) -> tuple[Told, str]:
        if driver is None:
            return Told(), ""
        try:
            told = driver.read(output)
        except OSError:
            return Told(), f"wrote no profile: {_how_it_ended(run)}"
        except UnreadableAnswer as error:
            return Told(), str(error)
        told = told.without((*driver.own_code, *OWN_CODE))
        return told, "" if told.own else f"says nothing: {_how_it_ended(run)}"

    def _learn(self, run: MeasuredRun, clocks: Clocks, turn: Turn) -> None:
        """What the program is like by itself."""
        if turn.is_without and self.turned_off is not None and clocks.wall_ns:
            on = [each for each in self.turned_off.toggles if each in clocks.still_on or each not in clocks.off]
            self.why_not_turned_off = "; ".join(map(why_still_on, on))
        if run.exit_code or not clocks.wall_ns:
            words = "told no time at its end" if not run.exit_code else _how_it_ended(run)
            raise InputError(
                f"cannot audit profilers of '{' '.join(self.program.words)}': by itself the program {words}",
                slug="program-fails",
                hint="audit a program that ends by itself, without an error, reads nothing, and is a Python",
            )
        self._longest_plain_s = max(self._longest_plain_s, run.wall_ns / 1e9)
        if self._outcome is None:
            self._outcome = run.exit_code, run.output
        elif self._outcome != (run.exit_code, run.output):
            self._outputs_differ = True

    def _changed(self, run: MeasuredRun, own_failures: Sequence[int]) -> str:
        """How the program differed from what it does by itself.

        A profiler that has no profile ends with an exit code of its own. That is no change of a program that came to
        its end without an exception, and wrote what it always does. The program's process told of its end if two did,
        as such a profiler is a process of its own.
        """
        if run.is_too_long:
            return f"did not end within {run.wall_ns / 1e9:.0f} s"
        if self._outcome is None:
            return ""
        exit_code, output = self._outcome
        has_ended_well = run.clocks.processes > 1 and not run.clocks.has_raised
        if run.exit_code != exit_code and not (run.exit_code in own_failures and has_ended_well):
            return _how_it_ended(run)
        if self._outputs_differ or output in run.output:
            return ""  # what it prints itself is no change of the program
        return "another output"

    def _numbered(self, amounts: dict[CodeName, float]) -> dict[int, float]:
        numbered: dict[int, float] = {}
        for code, amount in amounts.items():
            number = self._number(code)
            # Profile functions are told of what Numba compiled, samplers are not: to all of them it is code in C.
            ran_for = self._ran_for.get(number) or {number: 1}
            all_calls = sum(ran_for.values())
            for caller, calls in ran_for.items():
                numbered[caller] = numbered.get(caller, 0.0) + amount * calls / all_calls
        return numbered

    def _number(self, code: CodeName) -> int:
        return self._functions.setdefault(self._code.function(code), len(self._functions))


def _how_it_ended(run: MeasuredRun) -> str:
    if run.is_too_long:
        return f"did not end within {run.wall_ns / 1e9:.0f} s"
    ended = f"ended with exit code {run.exit_code}" if run.exit_code >= 0 else f"was killed by signal {-run.exit_code}"
    return f"{ended}: {run.last_words}" if run.last_words else ended
