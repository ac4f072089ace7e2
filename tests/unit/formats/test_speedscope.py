"""Speedscope files: valid by the published schema, balanced, and as wide as the profile."""

import json
from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from exact_stacks import chain, exact_stacks
from sonde.base.errors import UsageError
from sonde.formats import Metric, choose_metric, write_speedscope
from sonde.instruments.contexts.profile import ContextProfile, Function, Loss, contexts_from_self
from strategies import profiles


def _written(profile: ContextProfile, metric: Metric | None = None) -> dict[str, Any]:
    stream = BytesIO()
    write_speedscope(profile, stream, metric=metric)
    document: dict[str, Any] = json.loads(stream.getvalue())
    return document


@cache
def _schema() -> jsonschema.Draft7Validator:
    """Speedscope's own schema; its licence is beside it."""
    path = Path(__file__).parents[2] / "data" / "speedscope-schema.json"
    return jsonschema.Draft7Validator(json.loads(path.read_text(encoding="utf-8")))


def _replayed(document: dict[str, Any]) -> Counter[tuple[str, ...]]:
    """Weights of stacks, found by replaying the events as the viewer does."""
    (profile,) = document["profiles"]
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    stacks: Counter[tuple[str, ...]] = Counter()
    open_frames: list[int] = []
    last = profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= last
        stacks[tuple(frames[each] for each in open_frames)] += event["at"] - last
        last = event["at"]
        if event["type"] == "O":
            open_frames.append(event["frame"])
        else:
            assert open_frames.pop() == event["frame"]
    assert not open_frames
    assert last == profile["endValue"]
    return +stacks


@given(profiles(surrogates=True, approximate=True))
def test_every_file_is_valid_by_the_published_schema(profile: ContextProfile) -> None:
    _schema().validate(_written(profile))


@given(profiles(surrogates=True, approximate=True))
def test_replaying_the_events_gives_every_stack_its_exact_weight(profile: ContextProfile) -> None:
    for metric in ("time", "calls") if profile.has_time else ("calls",):
        stacks = _replayed(_written(profile, choose_metric(profile, metric)))

        assert stacks == exact_stacks(profile, metric)
        assert stacks.total() == (profile.total_ns if metric == "time" else profile.total_calls)


@given(profiles(approximate=True))
def test_the_width_is_the_total_of_the_profile(profile: ContextProfile) -> None:
    (written,) = _written(profile)["profiles"]

    assert written["endValue"] == (profile.total_ns if profile.has_time else profile.total_calls)
    assert written["unit"] == ("nanoseconds" if profile.has_time else "none")


def test_losses_travel_with_the_file() -> None:
    tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[1], self_ns=[0])
    loss = Loss("contexts-not-stored", 3, "three were too many")

    document = _written(ContextProfile((Function("f", "m", "f.py", 7),), tree, losses=(loss,), pruned_contexts=2))

    assert document["sonde"]["losses"] == [{"kind": loss.kind, "amount": 3, "detail": loss.detail}]
    assert document["sonde"]["pruned_contexts"] == 2
    assert document["shared"]["frames"][0] == {"name": "m.f", "file": "f.py", "line": 7}


def test_a_deep_chain_takes_linear_space_and_no_recursion() -> None:
    stream = BytesIO()

    write_speedscope(chain(50_000), stream)

    assert len(stream.getvalue()) < 50_000 * 100
    assert len(json.loads(stream.getvalue())["profiles"][0]["events"]) == 100_000


@given(profiles(timed=False))
def test_asking_for_times_that_were_not_measured_is_refused(profile: ContextProfile) -> None:
    with pytest.raises(UsageError) as refused:
        _written(profile, "time")

    assert refused.value.slug == "no-time-measured"
