"""The exact analysis: what it says about streams that are not whole. Its laws are in tests/property."""

import pytest

from sonde.events import EventBatch, Function, FunctionTable
from sonde.instruments.contexts.analyses import ExactContexts
from sonde.instruments.contexts.profile import Loss

MAIN, WORK = Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5)


@pytest.fixture(params=["native", "python"], autouse=True)
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_CORE", request.param)


def test_ends_without_a_beginning_are_a_loss() -> None:
    batch = EventBatch()
    batch.leave(thread=0, time_ns=5)
    batch.leave(thread=1, time_ns=6, unwound=True)
    analysis = ExactContexts(FunctionTable())

    analysis.update(batch)

    detail = "ends of calls whose beginning was not recorded were ignored"
    assert analysis.snapshot().losses == (Loss("unmatched-ends", 2, detail),)


def test_calls_without_an_end_count_up_to_the_last_event_of_their_thread() -> None:
    batch = EventBatch()
    batch.enter(thread=0, function=0, call_line=0, time_ns=100)
    batch.enter(thread=0, function=1, call_line=3, time_ns=130)
    batch.enter(thread=1, function=0, call_line=0, time_ns=900)
    analysis = ExactContexts(FunctionTable([MAIN, WORK]))

    analysis.update(batch)

    tree = analysis.snapshot().contexts
    assert (list(tree.calls), list(tree.self_ns), list(tree.total_ns)) == ([2, 1], [30, 0], [30, 0])


def test_functions_may_be_added_while_it_counts() -> None:
    functions = FunctionTable([MAIN])
    analysis = ExactContexts(functions)
    batch = EventBatch()
    batch.enter(thread=0, function=functions.number(WORK), call_line=0, time_ns=0)

    analysis.update(batch)

    profile = analysis.snapshot()
    profile.check_valid()
    assert (profile.functions, list(profile.contexts.function)) == ((MAIN, WORK), [1])


def test_merging_adds_the_functions_that_only_the_other_knows() -> None:
    batch = EventBatch()
    batch.enter(thread=0, function=0, call_line=0, time_ns=0)
    ours, theirs = ExactContexts(FunctionTable([MAIN])), ExactContexts(FunctionTable([WORK]))
    ours.update(batch)
    theirs.update(batch)

    ours.merge(theirs)

    profile = ours.snapshot()
    assert (profile.functions, list(profile.contexts.function)) == ((MAIN, WORK), [0, 1])
