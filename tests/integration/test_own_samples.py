"""Programs that sample their own stacks, in the middle of whatever they do: on each CPython that is here."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sonde.instruments.contexts.sources.sampling.own_sampling as own_sampling_module
from interpreters import build_agent
from restless_calls import bare_name, invented_calls
from sampled_pythons import PROGRAMS, on_each_python, own_shares
from sonde.instruments.contexts.analyses import stack_contexts
from sonde.instruments.contexts.profile import ContextProfile, Run
from sonde.instruments.contexts.sources.sampling import OwnSampling, OwnSamplingPlan, RingState
from sonde.instruments.contexts.verb.sampled_run import processes_of

FAST_NS = 100_000
"""10 kHz."""


@contextmanager
def sampling_itself(
    python: Path, plan: OwnSamplingPlan, folder: Path, *words: str
) -> Iterator[tuple[OwnSampling, "subprocess.Popen[str]"]]:
    """A program that runs and samples itself, and is over afterwards."""
    sampling = OwnSampling(plan, folder)
    command = [str(python), str(PROGRAMS / words[0]), *words[1:]]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=sampling.environment()
    ) as process:
        sampling.begin()
        try:
            yield sampling, process
        finally:
            process.kill()
            process.wait()
            sampling.end()


@pytest.fixture
def spool(python: Path, tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for rings; the agent for a Python is there."""
    package = tmp_path / "package"
    package.mkdir()
    if build_agent(python, package, cache, "_sample_agent"):
        monkeypatch.setattr(own_sampling_module, "agent_folder", lambda _: package)
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


def profile_of(sampling: OwnSampling) -> ContextProfile:
    assert sampling.refusals() == []
    run = Run(time_kind="processor")
    profile = stack_contexts(sampling, run, processes_of(sampling), period_ns=sampling.period_ns)
    profile.check_valid()
    return profile


@on_each_python
def test_no_frame_is_invented_wherever_a_thread_is_interrupted(python: Path, spool: Path) -> None:
    plan = OwnSamplingPlan("immediate", "task-clock", FAST_NS)
    with sampling_itself(python, plan, spool, "restless.py") as (sampling, process):
        assert process.stdout is not None
        process.stdout.readline()
        while sampling.sums()["stacks"] < 3000 and process.poll() is None:
            sampling.wait(0.05)
        assert process.poll() is None
    profile = profile_of(sampling)
    invented = invented_calls(profile)
    assert sum(invented.values()) < 0.001 * profile.total_ns, invented
    seen = {bare_name(profile.functions[number]).partition("_")[0] for number in profile.contexts.function}
    assert len(seen) > 5
    sums = sampling.rings.sums()
    assert sums["unknown"] == sums["damaged"] == sums["lost"] == 0
    assert sums["torn"] < 0.01 * sums["samples"]  # some in a thousand; they are dropped


@on_each_python
@pytest.mark.parametrize(("mechanism", "trigger"), [("immediate", "task-clock"), ("polling", "timer")])
def test_a_program_that_forks_and_begins_anew_is_whole(python: Path, spool: Path, mechanism: str, trigger: str) -> None:
    plan = OwnSamplingPlan(mechanism, trigger, FAST_NS, follow=True)
    with sampling_itself(python, plan, spool, "violent.py", "0.3", "2") as (sampling, process):
        out, _ = process.communicate(timeout=600)
    assert (out, process.returncode) == ("whole\n", 0)
    sums, states = sampling.rings.sums(), sampling.states
    assert sums["unknown"] == sums["damaged"] == 0
    assert states[0] is RingState.REPLACED  # by itself
    assert len({target.pid for target in sampling.targets}) > 2  # forks, and what they start
    assert sampling.targets[0].pid == process.pid
    assert not list(spool.glob(f"{process.pid}-2*"))
    if mechanism == "immediate":
        assert {"deep", "work"} <= {bare_name(each) for each in profile_of(sampling).functions}


@on_each_python
def test_polling_blames_the_function_that_comes_next(python: Path, spool: Path) -> None:
    shares = {}
    for mechanism in ("immediate", "polling"):
        folder = spool / mechanism
        folder.mkdir()
        plan = OwnSamplingPlan(mechanism, "task-clock", FAST_NS)
        with sampling_itself(python, plan, folder, "../../examples/polling_bias/program.py", "400") as (
            sampling,
            process,
        ):
            process.wait(120)
        assert process.returncode == 0
        shares[mechanism] = own_shares(profile_of(sampling))
    assert shares["immediate"]["concatenates"] > 0.5
    assert shares["immediate"].get("does_nothing", 0) < 0.1
    assert shares["polling"]["does_nothing"] > 0.5
    assert shares["polling"].get("concatenates", 0) < 0.1


def test_children_that_are_not_followed_write_nothing(tmp_path: Path) -> None:
    import sys

    plan = OwnSamplingPlan("immediate", "task-clock", FAST_NS)
    with sampling_itself(Path(sys.executable), plan, tmp_path, "violent.py", "0.3", "1") as (sampling, process):
        out, _ = process.communicate(timeout=600)
    assert out == "whole\n"
    assert [target.pid for target in sampling.targets] == [process.pid]
    assert sampling.states == [RingState.ENDED]
    assert not any(tmp_path.iterdir())
