"""Stacks that are looked at from outside, and those that the program has: on each CPython that is here."""

import json
from pathlib import Path

import pytest

from jit_pythons import with_jits
from restless_calls import bare_name, invented_calls
from sampled_pythons import (
    PYTHONS,
    looked_at,
    on_each_python,
    own_shares,
    profile_of,
    running,
    standing_stacks,
    told_stacks,
)
from sonde.instruments.contexts.sources.sampling import Found, StackSampling


@pytest.mark.parametrize(("python", "jit"), with_jits(PYTHONS))
def test_threads_that_stand_still_are_seen_exactly_where_they_are(
    python: Path, jit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_JIT", jit)
    with running(python, "known_stacks.py") as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        sampling = looked_at(process.pid, seconds=0.3, rate=200)
    profile, sums = profile_of(sampling), sampling.sampler.sums()
    assert len(told) == 12
    assert told_stacks(told) <= standing_stacks(profile)
    assert len(standing_stacks(profile) - told_stacks(told)) == 1  # the thread that tells, which waits for its input
    assert sums["torn"] == sums["cut"] == sums["too_deep"] == 0


@on_each_python
def test_no_frame_is_invented_however_restless_the_program_is(python: Path) -> None:
    with running(python, "restless.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        sampling = looked_at(process.pid, seconds=1.5, rate=10_000, is_processor=True)
    profile = profile_of(sampling)
    seen = {bare_name(profile.functions[number]).partition("_")[0] for number in profile.contexts.function}
    invented = invented_calls(profile)
    # What the two readings of a stack cannot tell from a real one: less than a thousandth of the time.
    assert sum(invented.values()) < 0.001 * profile.total_ns, invented
    sums = sampling.sampler.sums()
    assert sums["stacks"] > 100
    assert len(seen) > 5
    assert sums["torn"] < 0.5 * sums["stacks"]


@pytest.mark.timing  # shares of one thread's time, as its own clock tells them: the machine's speed cancels out
@on_each_python
def test_shares_are_those_that_the_program_measures_itself(python: Path) -> None:
    with running(python, "known_shares.py", "1.5") as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        sampling = StackSampling(1_000_000, is_processor=True)
        assert sampling.try_pid(process.pid) is Found.FOUND
        sampling.begin()
        process.stdin.write("\n")
        process.stdin.flush()
        known = json.loads(process.stdout.readline())
        sampling.end()
    profile = profile_of(sampling)
    seen = own_shares(profile)
    whole = sum(share for name, share in seen.items() if name.partition(" in ")[2] in known or name in known)
    for name, share in known.items():
        found = sum(each for inner, each in seen.items() if name in (inner, inner.partition(" in ")[2])) / whole
        # Four times what chance alone makes of 1,500 looks: sqrt(0.25 / 1500).
        assert abs(found - share) < 0.052, (name, found, share)
    # All of the time that its clock tells is somebody's, though read from outside it may stand for a tick or two.
    assert 0.8 < sum(profile.contexts.self_ns) / 1.5e9 < 1.2
