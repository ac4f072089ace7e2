"""Interpreters whose stacks can be looked at from outside, programs that run in them, and what was seen of these."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from interpreters import looked_at_pythons
from sonde.instruments.contexts.analyses import stack_contexts
from sonde.instruments.contexts.profile import NO_PARENT, WAITING, ContextProfile, Run
from sonde.instruments.contexts.sources.sampling import Found, StackSampling
from sonde.instruments.contexts.verb.sampled_run import processes_of, time_kind_of

PROGRAMS = Path(__file__).with_name("sampled_programs")
PYTHONS = [Path(sys.executable), *looked_at_pythons()]

on_each_python = pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parts[-3])

Frame = tuple[str, int, int]
"""Name, first line, line."""


@contextmanager
def running(python: Path, program: str, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """A program that ends when its input does."""
    command = [str(python), str(PROGRAMS / program), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def looked_at(
    pid: int,
    *,
    seconds: float,
    rate: float = 1000.0,
    is_processor: bool = False,
    of_lock: bool = False,
    by_tasks: bool = False,
    of_tasks: bool = False,
) -> StackSampling:
    """A process that was looked at for a while."""
    sampling = StackSampling(
        round(1e9 / rate),
        is_processor=is_processor,
        of_lock=of_lock,
        by_tasks=by_tasks,
        of_tasks=of_tasks,
        apart=by_tasks,
        for_ns=round(seconds * 1e9),
    )
    assert sampling.try_pid(pid) is Found.FOUND
    sampling.begin()
    assert sampling.wait(60)
    sampling.end()
    return sampling


def profile_of(sampling: StackSampling) -> ContextProfile:
    """What was seen."""
    run = Run(time_kind=time_kind_of(sampling))
    profile = stack_contexts(sampling.sampler, run, processes_of(sampling), period_ns=sampling.period_ns)
    profile.check_valid()
    return profile


def standing_stacks(profile: ContextProfile) -> set[tuple[Frame, ...]]:
    """The stacks of threads that waited: outermost frame first."""
    tree, found = profile.contexts, set()
    for row, function in enumerate(tree.function):
        if profile.functions[function] == WAITING:
            frames: list[Frame] = []
            line, above = tree.call_line[row], tree.parent[row]
            while above != NO_PARENT:
                runs = profile.functions[tree.function[above]]
                frames.append((Path(runs.file).name, runs.first_line, line))
                line, above = tree.call_line[above], tree.parent[above]
            found.add(tuple(frames[::-1]))
    return found


def told_stacks(told: Sequence[Sequence[tuple[str, str, int, int]]]) -> set[tuple[Frame, ...]]:
    """The same as the program tells them."""
    return {tuple((Path(file).name, first, line) for _, file, first, line in stack) for stack in told}


def own_shares(profile: ContextProfile) -> Mapping[str, float]:
    """Shares of the whole time of functions themselves, by name."""
    own: dict[str, float] = {}
    for function, ns in zip(profile.contexts.function, profile.contexts.self_ns, strict=True):
        name = profile.functions[function].name
        own[name] = own.get(name, 0.0) + ns / profile.total_ns
    return own
