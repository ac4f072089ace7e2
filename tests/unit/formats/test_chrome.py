"""Trace events: begin and end in order, nested, as wide as the profile, and said to be no timeline."""

import json
from collections import Counter
from decimal import Decimal
from io import BytesIO
from typing import Any

from hypothesis import given

from exact_stacks import chain, exact_stacks
from sonde.formats import Metric, choose_metric, write_chrome
from sonde.instruments.contexts.profile import ContextProfile, Function, Loss, Run, contexts_from_self
from strategies import profiles


def _written(profile: ContextProfile, metric: Metric | None = None) -> dict[str, Any]:
    stream = BytesIO()
    write_chrome(profile, stream, metric=metric)
    document: dict[str, Any] = json.loads(stream.getvalue(), parse_float=Decimal)
    return document


def _replayed(document: dict[str, Any], per_microsecond: int) -> Counter[tuple[str, ...]]:
    stacks: Counter[tuple[str, ...]] = Counter()
    names: list[str] = []
    last = 0
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            continue
        at = event["ts"] * per_microsecond
        assert at == int(at)
        assert at >= last
        stacks[tuple(names)] += int(at) - last
        last = int(at)
        if event["ph"] == "B":
            names.append(event["name"])
        else:
            assert event["ph"] == "E"
            names.pop()
    assert not names
    return +stacks


@given(profiles(surrogates=True, approximate=True))
def test_events_nest_and_give_every_stack_its_exact_width(profile: ContextProfile) -> None:
    metric = choose_metric(profile, None)

    stacks = _replayed(_written(profile), 1000 if metric == "time" else 1)

    assert stacks == exact_stacks(profile, metric)
    assert stacks.total() == (profile.total_ns if metric == "time" else profile.total_calls)


@given(profiles(timed=True, approximate=True))
def test_one_call_is_one_microsecond(profile: ContextProfile) -> None:
    stacks = _replayed(_written(profile, "calls"), 1)

    assert stacks == exact_stacks(profile, "calls")
    assert stacks.total() == profile.total_calls


@given(profiles(timed=True, approximate=True))
def test_every_context_of_some_width_has_one_event_with_its_numbers(profile: ContextProfile) -> None:
    tree = profile.contexts

    document = _written(profile)

    args = [event["args"] for event in document["traceEvents"] if event["ph"] == "B" and "args" in event]
    numbers = ("called_from_line", "calls", "total_calls", "self_ns", "total_ns")
    rows = zip(tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns, strict=True)
    assert Counter(tuple(each[name] for name in numbers) for each in args) == Counter(row for row in rows if row[-1])
    assert document["otherData"]["weightless_contexts_left_out"] == len(tree) - len(args)


def test_the_track_says_that_it_is_not_a_timeline_and_losses_are_in_other_data() -> None:
    tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[1], self_ns=[1500])
    profile = ContextProfile(
        (Function('f"1"', "m", "f.py", 7),),
        tree,
        run=Run(clock="tsc", command=("app.py",)),
        losses=(Loss("k", 3, "d"),),
    )

    document = _written(profile)

    process, thread, begin, end = document["traceEvents"]
    assert process["args"]["name"] == "app.py"
    assert "not a timeline" in thread["args"]["name"]
    assert begin["name"] == 'm.f"1"'
    assert begin["args"]["place"] == "f.py:7"
    assert end["ts"] == Decimal("1.500")
    assert document["otherData"]["losses"] == [{"kind": "k", "amount": 3, "detail": "d"}]


def test_a_deep_chain_needs_no_recursion() -> None:
    stream = BytesIO()

    write_chrome(chain(50_000), stream)

    assert len(json.loads(stream.getvalue())["traceEvents"]) == 100_002
