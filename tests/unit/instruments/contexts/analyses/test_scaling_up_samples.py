"""From what was seen in bursts to the whole run: values, bounds, and what stays as it was."""

import pytest

from sonde.events import Function
from sonde.instruments.contexts.analyses.sampled_contexts import scale_up
from sonde.instruments.contexts.profile import Approximation, ContextProfile, Contexts, Sampling

SEEN = ContextProfile(
    functions=(Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5)),
    contexts=Contexts(
        parent=[-1, 0],
        function=[0, 1],
        call_line=[0, 3],
        calls=[2, 9],
        total_calls=[14, 9],  # three calls below main are not listed
        self_ns=[50, 30],
        total_ns=[90, 30],
        error=[0, 1],
    ),
    pruned_root_calls=1,
    pruned_root_ns=5,
    approximation=Approximation(metric="calls", phi=0.5, epsilon=0.1, floor=3, counters=10),
)


def sampling(*, fraction: float = 0.1, bursts: int = 3) -> Sampling:
    return Sampling(interval_ns=100, burst_ns=10, bursts=bursts, fraction=fraction)


def scaled_up(how: Sampling) -> ContextProfile:
    profile = scale_up(SEEN, how, [2.0, 41.0], [1000.0, 300.0])
    profile.check_valid()
    return profile


def test_own_and_unlisted_values_are_scaled_and_totals_are_their_sums() -> None:
    profile = scaled_up(sampling())
    tree = profile.contexts

    assert (list(tree.calls), list(tree.total_calls)) == ([20, 90], [140, 90])
    assert (list(tree.self_ns), list(tree.total_ns)) == ([500, 300], [900, 300])
    assert (profile.pruned_root_calls, profile.pruned_root_ns) == (10, 50)
    assert (profile.total_calls, profile.total_ns) == (150, 950)
    assert (tree.parent, tree.function, tree.call_line) == ([-1, 0], [0, 1], [0, 3])


def test_bounds_are_scaled_and_deviations_added() -> None:
    profile = scaled_up(sampling())

    assert list(profile.contexts.error) == [0, 10]
    assert profile.approximation is not None
    assert (profile.approximation.floor, profile.approximation.counters) == (30, 10)
    # 30 windows, 3 seen: 30 sqrt(s^2 / 3) sqrt(0.9), s^2 = (2 - 4/3) / 2 and (41 - 27) / 2
    assert list(profile.contexts.calls_deviation) == [10, 44]
    assert len(profile.contexts.ns_deviation) == 2
    assert profile.sampling == sampling()


def test_what_was_looked_at_all_the_time_is_as_it_was_and_certain() -> None:
    profile = scaled_up(sampling(fraction=1.0))

    assert list(profile.contexts.total_calls) == [14, 9]
    assert list(profile.contexts.calls_deviation) == [0, 0]


def test_after_one_burst_nothing_is_certain() -> None:
    profile = scaled_up(sampling(bursts=1))

    assert list(profile.contexts.calls_deviation) == list(profile.contexts.calls)


@pytest.mark.parametrize("how", [sampling(bursts=0), sampling(fraction=0.0)])
def test_without_a_burst_there_is_nothing_to_scale(how: Sampling) -> None:
    assert scale_up(SEEN, how, [], []) is SEEN
