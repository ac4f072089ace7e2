"""`sonde sample --now`: what all tasks of asyncio of a process await at this moment, told once."""

import argparse
import sys
import time
from pathlib import Path

from sonde._native import TaskSampler
from sonde.base.errors import EXIT_OK, InputError, UsageError
from sonde.code import module_of_file
from sonde.events import function_of_code
from sonde.evidence import Loss
from sonde.instruments.contexts.analysis.task_graph import ChainFrame, SeenTask, TaskState
from sonde.instruments.contexts.report.tasks_now_report import tasks_now_report
from sonde.instruments.contexts.sampling_options import SampleOptions
from sonde.instruments.contexts.sources.sampling import Found, version_text
from sonde.instruments.contexts.verb.sampled_process import why_not
from sonde.render.answers import print_answer
from sonde.report import Fact

_TRIES, _PAUSE_S = 100, 0.01
"""A process that has just begun is asked so often whether its interpreter is there."""


def check_now(options: SampleOptions, words: list[str], *, is_kept: bool, is_own: bool) -> None:
    """See to it that there is a process, and nothing else is asked of it.

    Args:
        words: PROGRAM.
        is_kept: whether a profile is to be kept.
        is_own: whether the program is to sample itself.
    Raises:
        UsageError: `now-alone`.
    """
    others = {
        f"'{words[0]}'" if words else "": bool(words),
        "-o": is_kept,
        "--for": options.for_ is not None,
        "--live": options.live,
        "--follow": options.follow,
        "--native": options.native,
        "--mechanism": is_own,
    }
    other = next((name for name, is_given in others.items() if is_given), "")
    if other or options.pid is None:
        raise UsageError(
            f"cannot use --now {f'with {other}' if other else 'without --pid'}: it tells once of a process that runs",
            slug="now-alone",
            hint="sonde sample --now --pid PID; over time: --what tasks",
        )


def show_tasks_now(pid: int, arguments: argparse.Namespace) -> int:
    """Look once, and print it.

    Raises:
        InputError: `no-such-process`, `not-python`, `unknown-python`, `no-tasks-there`.
        MissingCapability: `process-not-readable`, `no-python-symbols`, `other-architecture`.
    """
    sampler = TaskSampler(1)
    found = Found(sampler.add(pid))
    for _ in range(_TRIES):
        if found is not Found.NOT_READY:
            break
        time.sleep(_PAUSE_S)
        found = Found(sampler.add(pid))
    if found is not Found.FOUND:
        raise why_not(found, pid)
    sampler.look(time.monotonic_ns())
    sums = sampler.sums()
    if not sums["has_asyncio"]:
        fact = "it has not imported asyncio"
        if sums["is_unknown"]:
            fact = "how its version of CPython keeps them is not known"
        elif sampler.targets()[0][3]:
            fact = "it has ended, or has become another program"
        raise InputError(f"cannot tell of tasks in process {pid}: {fact}", slug="no-tasks-there")
    facts = [
        Fact("pid", f"pid {pid}"),
        Fact("python", f"Python {version_text(sampler.targets()[0][1])}"),
        Fact("took", sums["took_ns"], "duration", "looked for {}"),
    ]
    report = tasks_now_report(f"pid {pid} {_command_of(pid)}".rstrip(), _tasks(sampler), facts, _losses(sums))
    print_answer(report, arguments, sys.stdout)
    return EXIT_OK


def _tasks(sampler: TaskSampler) -> list[SeenTask]:
    functions = [
        function_of_code(name, module_of_file(file), file, first_line, flags)
        for name, file, first_line, flags, _ in sampler.functions()
    ]
    chains: dict[tuple[tuple[int, int], ...], tuple[ChainFrame, ...]] = {}

    def chain(frames: tuple[tuple[int, int], ...]) -> tuple[ChainFrame, ...]:
        """Of many tasks there is one only."""
        if frames not in chains:
            chains[frames] = tuple(ChainFrame(functions[function], line) for function, line in frames)
        return chains[frames]

    return [
        SeenTask(
            name or "(a task)",
            TaskState(state),
            chain(tuple(frames)),
            awaited,
            made_of,
            tuple(awaiters),
        )
        for name, state, frames, awaited, made_of, awaiters in sampler.seen()
    ]


def _losses(sums: dict[str, int]) -> list[Loss]:
    texts = {
        "torn": ("tasks-changed", "tasks went on each time they were read, and are left out"),
        "not_in_c": ("tasks-not-in-c", "tasks of a class that is not derived from asyncio's own, in C, are left out"),
        "too_many": ("tasks-too-many", "tasks beyond 131,072 are left out"),
        "too_deep": ("stacks-too-deep", "chains of more than 256 awaits were cut"),
    }
    return [Loss(kind, sums[key], detail) for key, (kind, detail) in texts.items() if sums[key]]


def _command_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return ""
    return " ".join(word.decode(errors="replace") for word in words)
