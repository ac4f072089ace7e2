"""Stacks that are looked at from outside, and those that the program has: on each CPython that is here."""

import json
from pathlib import Path

from sampled_pythons import looked_at, on_each_python, profile_of, running, standing_stacks, told_stacks


@on_each_python
def test_threads_that_stand_still_are_seen_exactly_where_they_are(python: Path) -> None:
    with running(python, "known_stacks.py") as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        sampling = looked_at(process.pid, seconds=0.3, rate=200)
    profile, sums = profile_of(sampling), sampling.sampler.sums()
    assert len(told) == 11
    assert told_stacks(told) <= standing_stacks(profile)
    assert len(standing_stacks(profile) - told_stacks(told)) == 1  # the thread that tells, which waits for its input
    assert sums["torn"] == sums["cut"] == sums["too_deep"] == 0
