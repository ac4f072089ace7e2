"""The hot analysis: what it is asked, and what it says of streams that are not whole or do not fit."""

import pytest

from hot_streams import ADVERSARIES, FUNCTIONS
from sonde.base.errors import UsageError
from sonde.events import EventBatch, Function, FunctionTable
from sonde.instruments.contexts.analyses import ExactContexts, HotContexts
from sonde.instruments.contexts.profile import Approximation


@pytest.fixture(params=["native", "python"], autouse=True)
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_CORE", request.param)


def table() -> FunctionTable:
    return FunctionTable(Function(f"f{number}", "app", "app.py", number + 1) for number in range(FUNCTIONS))


def test_epsilon_is_a_fifth_of_phi_and_a_counter_is_one_over_epsilon() -> None:
    profile = HotContexts(table()).snapshot()

    profile.check_valid()
    assert profile.approximation == Approximation(metric="time", phi=1e-4, epsilon=2e-5, floor=0, counters=50_000)


@pytest.mark.parametrize(
    ("phi", "epsilon", "nodes", "slug"),
    [
        (0.0, None, None, "bad-phi"),
        (1.0, None, None, "bad-phi"),
        (-0.1, None, None, "bad-phi"),
        (float("nan"), None, None, "bad-phi"),
        (0.1, 0.1, None, "bad-epsilon"),
        (0.1, 0.0501, None, "bad-epsilon"),
        (0.1, 5e-324, None, "bad-epsilon"),
        (0.1, 0.2, None, "bad-epsilon"),
        (0.1, 0.0, None, "bad-epsilon"),
        (0.1, float("nan"), None, "bad-epsilon"),
        (0.1, 1e-12, None, "bad-epsilon"),
        (0.1, 0.01, 0, "budget-too-small"),
        (0.1, 0.01, -5, "budget-too-small"),
    ],
)
def test_what_cannot_be_asked_is_refused(phi: float, epsilon: float | None, nodes: int | None, slug: str) -> None:
    with pytest.raises(UsageError) as refused:
        HotContexts(table(), phi=phi, epsilon=epsilon, nodes=nodes)

    assert refused.value.slug == slug


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("metric", ["calls", "time"])
def test_profiles_are_valid_and_have_the_totals_of_the_exact_one(metric: str, name: str) -> None:
    exact, hot = ExactContexts(table()), HotContexts(table(), metric, phi=0.9, epsilon=0.3)  # type: ignore[arg-type]
    exact.update(ADVERSARIES[name])
    hot.update(ADVERSARIES[name])

    profile = hot.snapshot()

    profile.check_valid()
    assert profile.approximation is not None
    assert profile.approximation.counters == 4
    dropped = sum(loss.amount for loss in profile.losses if loss.kind == "contexts-not-stored")
    assert profile.total_calls + dropped == exact.snapshot().total_calls
    assert profile.total_ns == exact.snapshot().total_ns


def test_with_room_for_everything_it_is_exact() -> None:
    batch = ADVERSARIES["round robin over twice as many"]
    exact, hot = ExactContexts(table()), HotContexts(table(), "calls", phi=0.1)
    exact.update(batch)
    hot.update(batch)

    profile = hot.snapshot()

    assert (profile.approximation and profile.approximation.floor, profile.losses) == (0, ())
    assert sorted(profile.contexts.calls) == sorted(exact.snapshot().contexts.calls)


def test_ends_without_a_beginning_are_a_loss() -> None:
    batch = EventBatch()
    batch.leave(thread=0, time_ns=5)
    analysis = HotContexts(table())

    analysis.update(batch)

    assert [(loss.kind, loss.amount) for loss in analysis.snapshot().losses] == [("unmatched-ends", 1)]


def test_too_few_nodes_are_said_and_widen_the_bounds() -> None:
    analysis = HotContexts(table(), "calls", phi=0.1, epsilon=0.02, nodes=4)
    analysis.update(ADVERSARIES["deep recursion"])
    batch = EventBatch()
    batch.enter(thread=0, function=5, call_line=0, time_ns=10**6)
    analysis.update(batch)

    profile = analysis.snapshot()

    profile.check_valid()
    losses = {loss.kind: loss.amount for loss in profile.losses}
    assert losses["contexts-not-stored"] == 5 * (12 - 4)
    assert profile.approximation is not None
    assert profile.approximation.floor == losses["bound-exceeded"] > losses["contexts-not-stored"]
    assert min(profile.contexts.error) >= losses["contexts-not-stored"]


def test_merging_goes_by_functions_and_keeps_the_wider_bounds() -> None:
    batch = ADVERSARIES["one-shot contexts"]
    ours = HotContexts(table(), "calls", phi=0.3, epsilon=0.1)
    theirs = HotContexts(FunctionTable(reversed(list(table()))), "calls", phi=0.4, epsilon=0.2)
    for analysis in (ours, theirs):
        analysis.update(batch)

    ours.merge(theirs)

    profile = ours.snapshot()
    profile.check_valid()
    assert profile.total_calls == 2 * theirs.snapshot().total_calls
    assert profile.approximation is not None
    assert (profile.approximation.phi, profile.approximation.epsilon) == (0.4, 0.2)
    assert profile.approximation.floor <= 0.2 * profile.total_calls


def test_space_saving_is_by_calls() -> None:
    batch = ADVERSARIES["one-shot contexts"]
    analysis = HotContexts(table(), "calls", phi=0.3, epsilon=0.1, space_saving=True)
    analysis.update(batch)

    profile = analysis.snapshot()

    profile.check_valid()
    assert profile.approximation is not None
    assert 0 < profile.approximation.floor <= 0.1 * profile.total_calls
    with pytest.raises(UsageError) as refused:
        HotContexts(table(), "time", space_saving=True)
    assert refused.value.slug == "bad-metric"
    with pytest.raises(ValueError, match="another metric"):
        analysis.merge(HotContexts(table(), "calls", phi=0.3, epsilon=0.1))


def test_merging_by_another_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="another metric"):
        HotContexts(table(), "calls").merge(HotContexts(table(), "time"))
