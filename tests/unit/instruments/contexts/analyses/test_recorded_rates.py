"""A trace in ticks of a clock that is not a nanosecond: values are rounded to the nearest, bounds up."""

import random
from pathlib import Path

import pytest

from hot_streams import ADVERSARIES, FUNCTIONS
from recordings import write_trace
from sonde.events import EventBatch
from sonde.instruments.contexts.analyses import RecordedContexts
from sonde.instruments.contexts.analyses.stated_bounds import at_most_ns
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.profile import ContextProfile, Run
from sonde.testing.trees import check_bounds
from sonde.trace import TraceAbout, TraceReader


def replayed(path: Path, rate: float, hot: HotLimits | None) -> ContextProfile:
    reader = TraceReader(path, ns_per_tick=rate)
    contexts = RecordedContexts(reader, hot)
    contexts.replay()
    profile = contexts.snapshot(Run(clock="tsc"))
    profile.check_valid()
    return profile


@pytest.mark.parametrize("name", ["one-shot contexts", "shifting phases", "round robin over twice as many"])
@pytest.mark.parametrize("rate", [1.0, 0.3, 1 / 3, 0.7, 1.9])
def test_bounds_hold_in_nanoseconds(name: str, rate: float, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.trace", ADVERSARIES[name], functions=FUNCTIONS, about=TraceAbout(clock="tsc"))

    profile = replayed(path, rate, HotLimits("time", 0.5, 0.2, 5, 8))

    assert profile.approximation is not None and profile.approximation.floor > 0
    check_bounds(profile, replayed(path, rate, None), rounding_ns=2 * FUNCTIONS)


@pytest.mark.parametrize("hot", [None, HotLimits("time", 0.5, 0.2, 5, 8)], ids=["exact", "hot"])
def test_what_many_contexts_lose_by_rounding_does_not_add_up(hot: HotLimits | None, tmp_path: Path) -> None:
    rate, contexts = 0.385, 2000
    draw = random.Random(5)
    batch, now = EventBatch(), 0
    for line in range(contexts):
        batch.enter(thread=0, function=line % FUNCTIONS, call_line=line, time_ns=now)
        now += draw.randrange(1, 1000)
        batch.leave(thread=0, time_ns=now)
    path = write_trace(tmp_path / "t.trace", batch, functions=FUNCTIONS, about=TraceAbout(clock="tsc"))

    profile = replayed(path, rate, hot)

    # Rounded down, each would lose half a nanosecond; those that are too much and too little make up for each other.
    assert abs(profile.total_ns - now * rate) < contexts / 20


def test_calls_that_found_no_room_are_in_the_bounds(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.trace", ADVERSARIES["deep recursion"], functions=FUNCTIONS)

    profile = replayed(path, 1.0, HotLimits("calls", 0.5, 0.2, 5, 4))

    losses = {loss.kind: loss.amount for loss in profile.losses}
    assert profile.approximation is not None
    assert losses["contexts-not-stored"] == 5 * (12 - 4)
    assert profile.approximation.floor == losses["bound-exceeded"] >= losses["contexts-not-stored"]
    check_bounds(profile, replayed(path, 1.0, None))


@pytest.mark.parametrize(
    ("ticks", "rate", "ns"), [(0, 0.3, 0), (7, 1.0, 7), (3, 0.5, 2), (4, 0.5, 2), (2**60, 1.0, 2**60)]
)
def test_a_bound_is_rounded_up(ticks: int, rate: float, ns: int) -> None:
    assert at_most_ns(ticks, rate) == ns
