"""Carries out invocations as processes."""

import random
import shlex
import sys
from pathlib import Path
from typing import Literal, cast

from sonde.instruments.bench.environment import draw_padding
from sonde.instruments.bench.environment.pinning import check_pin
from sonde.instruments.bench.invocations import (
    DEFAULT_MIN_TIME_S,
    Command,
    Output,
    SteadyCall,
    check_steady,
    run_command,
    run_steady,
)
from sonde.instruments.bench.measurements import Invocation
from sonde.instruments.bench.runs.plan import Alternative, Benchmark, CommandWork, FunctionWork, Work

_KINDS_OF_OUTPUT = ("discard", "drain", "show")


class ProcessInvoker:
    """Starts a process for each invocation."""

    def __init__(self) -> None:
        self._random = random.Random()

    def check(self, benchmark: Benchmark, alternative: Alternative) -> None:
        """See that an alternative can be started, before anything is measured.

        Raises:
            SondeError: as `Command.check`, `check_steady` and `check_pin`.
        """
        if benchmark.conditions.pin is not None:
            check_pin(benchmark.conditions.pin)
        prepared = _prepared(alternative.work)
        if isinstance(prepared, Command):
            prepared.check()
        else:
            check_steady(prepared)

    def invoke(self, benchmark: Benchmark, alternative: Alternative) -> Invocation:
        """Run it once.

        Raises:
            KeyboardInterrupt: the process has been ended.
        """
        conditions, work = benchmark.conditions, alternative.work
        padding_bytes = draw_padding(self._random) if conditions.vary_environment else 0
        if isinstance(work, CommandWork):
            return run_command(
                _command(work),
                timeout_s=conditions.timeout_s,
                pin=conditions.pin,
                aslr=conditions.aslr,
                hash_seed=conditions.hash_seed,
                padding_bytes=padding_bytes,
                ignore_failure=conditions.ignore_failure,
                metric=benchmark.metric,
            )
        return run_steady(
            _call(work),
            iterations=work.iterations,
            window=work.window,
            threshold=work.threshold,
            min_time_s=DEFAULT_MIN_TIME_S if work.min_time_s is None else work.min_time_s,
            loops=work.loops,
            collect_garbage=work.collect_garbage,
            timeout_s=conditions.timeout_s,
            pin=conditions.pin,
            aslr=conditions.aslr,
            hash_seed=conditions.hash_seed,
            padding_bytes=padding_bytes,
        )


def _prepared(work: Work) -> Command | SteadyCall:
    return _command(work) if isinstance(work, CommandWork) else _call(work)


def _command(work: CommandWork) -> Command:
    return Command.parse(
        work.command,
        shell=work.shell,
        folder=_path(work.folder),
        environment=work.environment,
        stdin=_path(work.stdin),
        output=_output(work.output),
    )


def _call(work: FunctionWork) -> SteadyCall:
    return SteadyCall(
        work.target,
        interpreter=Command.parse(work.interpreter).words if work.interpreter else (sys.executable,),
        folder=_path(work.folder),
        environment=work.environment,
        arguments=tuple(shlex.split(work.arguments)),
        output=_output(work.output),
    )


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _output(text: str) -> Output:
    return cast('Literal["discard", "drain", "show"]', text) if text in _KINDS_OF_OUTPUT else Path(text)
