"""Merged profiles are what one profile of everything would have been, as far as their bounds say.

The oracle knows contexts as paths in dictionaries. Approximate parts come from Space-Saving over a
dictionary, the slow way, so that the truth is known.
"""

import math
from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from path_counts import FUNCTIONS, Path, by_path, paths_of, streams_of_calls, summary_of, tree_of, truth_of
from sonde.base.errors import InputError
from sonde.instruments.contexts.profile import (
    ContextProfile,
    Run,
    Sampling,
    contexts_from_self,
    hot_context_tree,
    merge_profiles,
)
from strategies import profiles

whole_profiles = profiles(pruned=False, approximate=True)
exact_profiles = profiles(pruned=False)
recipes = st.lists(st.tuples(streams_of_calls, st.none() | st.integers(1, 6)), min_size=1, max_size=4)
"""Streams of calls, each with the counters of the summary that is made of it, or None for an exact profile."""


def as_dictionaries(profile: ContextProfile) -> tuple[object, ...]:
    """All that a merge says of contexts, without the order of rows."""
    tree = profile.contexts
    columns = (tree.calls, tree.total_calls, tree.self_ns, tree.total_ns, profile.errors())
    rest = (profile.pruned_root_calls, profile.pruned_root_ns, profile.line_samples)
    return (*(by_path(profile, column) for column in columns), *rest)


def assert_bounds_hold(profile: ContextProfile, truth: Counter[Path]) -> None:
    profile.check_valid()
    floor = 0 if profile.approximation is None else profile.approximation.floor
    values, errors = by_path(profile, profile.metric_values()), by_path(profile, profile.errors())
    assert profile.metric_total == truth.total()
    for path, value in values.items():
        assert value <= truth[path] <= value + errors[path]
    assert all(weight <= floor for path, weight in truth.items() if path not in values)


@given(st.lists(whole_profiles, min_size=1, max_size=3))
def test_totals_are_those_of_the_parts(parts: list[ContextProfile]) -> None:
    metrics = {part.approximation.metric for part in parts if part.approximation is not None}
    if len(metrics) > 1 or ("time" in metrics and not all(part.has_time for part in parts)):
        with pytest.raises(InputError, match="cannot merge 'profile"):
            merge_profiles(parts)
        return

    merged = merge_profiles(parts)

    merged.check_valid()
    assert merged.total_calls == sum(part.total_calls for part in parts)
    lost = sum(loss.amount for loss in merged.losses if loss.kind == "times-not-merged")
    assert merged.total_ns + lost == sum(part.total_ns for part in parts)
    assert (merged.approximation is None) == all(part.approximation is None for part in parts)
    assert len(merged.processes) == sum(len(part.processes) for part in parts)
    assert merged.run.duration_ns == sum(part.run.duration_ns for part in parts)
    assert merged.run.complete == all(part.run.complete for part in parts)
    assert len(set(merged.functions)) == len(merged.functions)


@given(st.lists(exact_profiles, min_size=1, max_size=3))
def test_exact_parts_give_the_exact_profile_of_all_their_calls(parts: list[ContextProfile]) -> None:
    merged = merge_profiles(parts)

    calls: Counter[Path] = Counter()
    for part in parts:
        calls.update(by_path(part, part.contexts.calls))
    assert by_path(merged, merged.contexts.calls) == calls
    assert len(set(paths_of(merged))) == len(merged.contexts) == len(calls)
    if merged.has_time:
        own: Counter[Path] = Counter()
        for part in parts:
            own.update(by_path(part, part.contexts.self_ns))
        assert by_path(merged, merged.contexts.self_ns) == own


@given(exact_profiles, exact_profiles, exact_profiles)
def test_merging_exact_profiles_is_associative_and_commutative(
    a: ContextProfile, b: ContextProfile, c: ContextProfile
) -> None:
    together = merge_profiles([a, b, c])
    for other in (
        merge_profiles([merge_profiles([a, b]), c]),
        merge_profiles([a, merge_profiles([b, c])]),
        merge_profiles([c, b, a]),
    ):
        assert as_dictionaries(other) == as_dictionaries(together)
        assert other.run == together.run
        assert set(other.functions) == set(together.functions)


@examples(3)
@given(recipes)
def test_bounds_hold_against_the_truth_in_any_order_and_mixture(
    recipe: list[tuple[list[tuple[Path, int]], int | None]],
) -> None:
    truth = truth_of([call for calls, _ in recipe for call in calls])
    parts = [summary_of(calls, counters) for calls, counters in recipe]
    for part, (calls, _) in zip(parts, recipe, strict=True):
        assert_bounds_hold(part, truth_of(calls))

    fewest = min((counters for _, counters in recipe if counters is not None), default=None)
    for order in permutations(parts[:3]):
        rest = parts[3:]
        merged = [merge_profiles([*order, *rest]), *order[:1]]
        for part in (*order[1:], *rest):  # one after the other: merges of merges
            merged[1] = merge_profiles([merged[1], part])
        for each in merged:
            assert_bounds_hold(each, truth)
            bounds = each.approximation
            if bounds is not None and fewest is not None:
                assert bounds.floor <= truth.total() / fewest
                listed = sum(1 for v, e in zip(each.metric_values(), each.errors(), strict=True) if v + e)
                leaves = set(range(len(each.contexts))) - set(each.contexts.parent)
                assert len(leaves) <= bounds.counters or listed <= bounds.counters


@examples(1)
@given(streams_of_calls, st.integers(1, 6), st.floats(0.05, 1.0))
def test_bounds_hold_in_the_hot_tree_and_no_hot_context_is_missed(
    calls: list[tuple[Path, int]], counters: int, phi: float
) -> None:
    truth = truth_of(calls)
    summary = summary_of(calls, counters)
    phi = max(phi, min(1.0, 1 / counters))

    hot = hot_context_tree(summary, phi=phi)

    assert_bounds_hold(hot, truth)
    assert (hot.total_calls, hot.total_ns) == (summary.total_calls, summary.total_ns)
    threshold = max(1, math.floor(phi * truth.total()))
    listed = set(paths_of(hot))
    # With floor <= epsilon N < phi N; where they are equal a context may hide below the floor.
    if summary.approximation is not None and summary.approximation.floor < threshold:
        assert {path for path, weight in truth.items() if weight >= threshold} <= listed


@given(exact_profiles, st.floats(0.001, 1.0))
def test_the_hot_tree_of_an_exact_profile_has_the_hot_contexts_and_their_callers(
    profile: ContextProfile, phi: float
) -> None:
    merged = merge_profiles([profile])  # one row per path
    values = by_path(merged, merged.metric_values())
    threshold = max(1, math.floor(phi * merged.metric_total))

    hot = hot_context_tree(merged, phi=phi)

    hot.check_valid()
    expected = {
        path[:depth] for path, value in values.items() if value >= threshold for depth in range(1, len(path) + 1)
    }
    assert set(paths_of(hot)) == expected
    assert (hot.total_calls, hot.total_ns) == (profile.total_calls, profile.total_ns)


@pytest.mark.parametrize("counters", [1, 3])
def test_a_large_exact_part_is_cut_down_to_the_counters(counters: int) -> None:
    paths = [((FUNCTIONS[0], 0), (FUNCTIONS[1], line)) for line in range(100)]
    exact = tree_of(Counter({path: 1 + i for i, path in enumerate(paths)}), Counter(), 0, None, sum(range(101)))
    merged = merge_profiles([exact, summary_of([(paths[0], 5)], counters)])

    assert merged.approximation is not None
    assert merged.approximation.floor == 100 - counters
    assert len(merged.contexts) == 1 + counters
    assert merged.total_calls == sum(range(101)) + 5


def test_parameters_of_the_result_hold_for_all_parts() -> None:
    parts = [summary_of([(((FUNCTIONS[0], line),), 1) for line in range(20)], counters) for counters in (4, 10)]

    bounds = merge_profiles(parts).approximation

    assert bounds is not None
    assert (bounds.counters, bounds.epsilon) == (10, 0.25)


def test_samples_are_brought_together() -> None:
    tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[30], self_ns=[0])
    sampling = Sampling(interval_ns=20, burst_ns=2, bursts=5, fraction=0.1, adaptive=0.5)
    run = Run(duration_ns=100)
    sampled = ContextProfile(
        FUNCTIONS[:1], replace(tree, calls_deviation=[3], ns_deviation=[0]), run=run, sampling=sampling
    )
    other = replace(
        sampled,
        contexts=replace(tree, calls_deviation=[4], ns_deviation=[1]),
        sampling=Sampling(interval_ns=40, burst_ns=4, bursts=15, fraction=0.1),
    )
    merged = merge_profiles([sampled, other, ContextProfile(FUNCTIONS[:1], tree, run=run)])

    assert (list(merged.contexts.calls_deviation), list(merged.contexts.ns_deviation)) == ([5], [1])
    assert merged.sampling is not None
    assert merged.sampling.fraction == pytest.approx(0.4)
    assert replace(merged.sampling, fraction=0.4) == Sampling(35, 3, 20, 0.4, adaptive=0.5)


def test_the_longest_text_of_a_file_is_kept_in_whatever_order_it_is_merged() -> None:
    tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[1], self_ns=[0])
    first, second, third = (
        ContextProfile(FUNCTIONS[:1], tree, run=Run(started_at=day), sources={"app.py": text, text: ""})
        for day, text in (("2026-01-02", "new"), ("2026-01-01", "older"), ("2026-01-03", "last"))
    )
    merged = merge_profiles([first, second, third])

    assert merged.sources == {"app.py": "older", "new": "", "older": "", "last": ""}
    assert [(loss.kind, loss.amount) for loss in merged.losses] == [("sources-differ", 1)]
    assert merged.losses[0].detail.startswith("app.py changed between the runs")
    assert merged.run.started_at == "2026-01-01"
    for parts in ([merge_profiles([first, third]), second], [third, merge_profiles([second, first])]):
        again = merge_profiles(parts)
        assert (again.sources, again.losses) == (merged.sources, merged.losses)


@pytest.mark.parametrize(
    ("commands", "merged"),
    [
        ([("app.py", "-v", "1"), ("app.py", "-v", "2")], ("app.py", "-v", "…")),
        ([("app.py",), ("app.py", "x")], ("app.py", "…")),
        ([("app.py", "x"), ("app.py", "x")], ("app.py", "x")),
        ([("python3", "-m", "app", "x"), ("python3.12", "-m", "app", "x")], ("python3", "-m", "app", "x")),
        ([("app.py",), ("other.py",)], ("…",)),
        ([(), ()], ()),
    ],
)
def test_a_command_keeps_what_all_have(commands: list[tuple[str, ...]], merged: tuple[str, ...]) -> None:
    tree = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    parts = [ContextProfile((), tree, run=Run(command=command)) for command in commands]

    assert merge_profiles(parts).run.command == merged


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(InputError, match="there are none"):
        merge_profiles([])


def test_times_are_left_out_when_a_part_has_none() -> None:
    tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[3], self_ns=[70])
    timed = ContextProfile(FUNCTIONS[:1], tree, run=Run(clock="tsc"))
    other = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[2], self_ns=[0])
    untimed = merge_profiles([timed, ContextProfile(FUNCTIONS[:1], other, run=Run(clock="none"))])

    assert not untimed.has_time
    assert untimed.total_ns == 0
    assert [(loss.kind, loss.amount) for loss in untimed.losses] == [("times-not-merged", 70)]
