"""A program that sonde compiles, run with probes at its calls, or with such that measure its cycles."""

import os
from collections.abc import Callable
from typing import Literal, NoReturn

from sonde.base.compilation_steps import COMPILATION
from sonde.base.errors import SondeError, UsageError
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.options import RunOptions
from sonde.instruments.contexts.sources.compiled import CycledProgram, ProbedProgram, Stamps, UnitTime
from sonde.instruments.contexts.sources.probe_plan import ProbePlan
from sonde.instruments.contexts.sources.sampling import SAMPLE_NS, check_sampling
from sonde.instruments.contexts.verb.live_run import LiveRun
from sonde.instruments.contexts.verb.refused_options import refuse_options_of_python
from sonde.jit import check_source
from sonde.launch import NowAndThen, Outcome, end_with, run_fork
from sonde.launch.burst_clock import BurstClock
from sonde.options.bursts import Bursts
from sonde.options.compiled_program import compiled_program_of_words
from sonde.options.error_message import tell_error
from sonde.render.compiling import Compiling


class CycledRun:
    """A program with cycle probes, compiled and ready to be run.

    Args:
        words: PROGRAM.
    Raises:
        UsageError: `usage`, `no-source`, `not-of-compiled`; InputError, MissingCapability: it does not compile.
    """

    def __init__(self, words: list[str], options: RunOptions) -> None:
        program = compiled_program_of_words(words, "contexts")
        refuse_options_of_python(words[0], options, ["--perf"] if program.tells_perf else [])
        for file in program.files:
            check_source(file)
        stamps: Stamps = "none" if options.stamps == "none" else "all" if options.stamps == "all" else "chosen"
        time: UnitTime = "sampled" if options.time == "sampled" else "both" if options.time == "both" else "measured"
        if time != "measured":
            check_sampling()
        with Compiling(COMPILATION) as steps:
            self._program = CycledProgram.compile(program, stamps, time, steps)
        self._options = options

    def run(self, live: LiveRun, _hot: HotLimits | None, now_and_then: NowAndThen | None) -> Outcome:
        """As that of `CompiledRun`; all functions are kept."""
        follow = self._options.follow
        self._program.describe(live.folder)
        every = self._options.every or SAMPLE_NS
        sampling = self._program.sampling(live.folder, follow=follow, every_ns=every)

        def become() -> NoReturn:
            self._program.become(live.folder, follow=follow, sampling=sampling)

        if sampling is None:
            return _run_fork(become, live, now_and_then)
        try:
            return _run_fork(become, live, now_and_then, sampling.begin)
        finally:
            sampling.end()


class CompiledRun:
    """A program with probes, compiled and ready to be run.

    Args:
        words: PROGRAM.
    Raises:
        UsageError: `usage`, `no-source`; `not-of-compiled`, an option is for Python programs.
        InputError, MissingCapability: it does not compile, as `link_program` says.
    """

    def __init__(self, words: list[str], options: RunOptions, bursts: Bursts | None) -> None:
        program = compiled_program_of_words(words, "contexts")
        refuse_options_of_python(words[0], options, ["--perf"] if program.tells_perf else [])
        if bursts is not None and options.probes == "early":
            raise UsageError(
                "cannot watch in bursts with --probes early: what the optimiser has seen cannot be switched off",
                slug="not-of-compiled",
                hint="leave out --probes early, or --burst",
            )
        for file in program.files:
            check_source(file)
        when: Literal["early", "late"] = "early" if options.probes == "early" else "late"
        with Compiling(COMPILATION) as steps:
            self._program = ProbedProgram.compile(program, when, bursts=bursts is not None, steps=steps)
        self._options, self._bursts = options, bursts

    def run(self, live: LiveRun, hot: HotLimits | None, now_and_then: NowAndThen | None) -> Outcome:
        """Run it to its end in a fork, counting into the run's folder. Raises: SondeError: `cannot-write`."""
        plan = ProbePlan(hot, not self._options.no_time, self._options.follow)
        self._program.describe(live.folder)
        clock = BurstClock(live.folder, self._bursts)
        try:
            return _run_fork(lambda: self._program.become(live.folder, plan), live, now_and_then, clock.begin)
        finally:
            clock.end()


def _run_fork(
    program: Callable[[], NoReturn],
    live: LiveRun,
    now_and_then: NowAndThen | None,
    forked: Callable[[], None] = lambda: None,
) -> Outcome:
    """Let a fork become the program; `forked` is called here once it is made."""
    sonde = os.getpid()

    def become() -> NoReturn:
        end_with(sonde)
        live.let_go()
        try:
            program()
        except SondeError as error:  # the run is sonde's to end, not its fork's
            tell_error(error)
            os._exit(error.exit_code)

    def meanwhile() -> None:
        forked()
        live.prepare()

    return run_fork(become, meanwhile=meanwhile, now_and_then=now_and_then)
