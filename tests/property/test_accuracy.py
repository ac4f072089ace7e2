"""Accuracy measures against the document's formulae, written out over dictionaries of paths."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from path_counts import FUNCTIONS, Path, by_path, paths_of, streams_of_calls, summary_of, tree_of, truth_of
from sonde.base.errors import InputError
from sonde.instruments.contexts.profile import ContextProfile, Run, Sampling, hot_context_tree
from sonde.instruments.contexts.profile.comparison import Accuracy, accuracy, accuracy_curve

TAUS = (0.01, 0.1, 0.3, 0.5, 1.0)


def by_the_formulae(exact: ContextProfile, approximate: ContextProfile, phi: float) -> dict[str, object]:
    """Section 5.1.2, "Metrics": w and w~ by path, the (phi, epsilon)-HCCT as a set of paths."""
    w = by_path(exact, exact.metric_values())
    values, errors = by_path(approximate, approximate.metric_values()), by_path(approximate, approximate.errors())
    n, n_said = exact.metric_total, approximate.metric_total
    threshold, said_threshold = max(1, math.floor(phi * n)), max(1, math.floor(phi * n_said))
    cct = set(paths_of(exact))
    h = {path for path in cct if w[path] >= threshold}
    a = {path for path in values if values[path] + errors[path] >= said_threshold}
    hcct = {path[:depth] for path in a for depth in range(1, len(path) + 1)}
    w_max = max(w.values(), default=0)
    uncovered = [w[path] for path in cct - hcct]
    wrong = [abs(w[path] - values[path]) / w[path] for path in a & h]

    def cover(tau: float) -> float:
        whole = [path for path in cct if w[path] >= tau * w_max]
        return sum(path in hcct for path in whole) / len(whole) if whole else 1.0

    return {
        "overlap": sum(w[path] for path in hcct) / n if n else 1.0,
        "coverage": tuple((tau, cover(tau)) for tau in TAUS),
        "max_uncovered": max(uncovered, default=0) / (w_max or 1),
        "average_uncovered": sum(uncovered) / len(uncovered) / (w_max or 1) if uncovered else 0.0,
        "false_positives": len(a - h),
        "missed_contexts": len(h - a),
        "found_contexts": len(a & h),
        "cold_contexts": len(hcct - a),
        "tree_contexts": len(hcct),
        "hot_contexts": len(h),
        "exact_contexts": len(cct),
        "max_error": max(wrong, default=0.0),
        "average_error": sum(wrong) / len(wrong) if wrong else 0.0,
        "is_covered_at_twice": all(path in hcct for path in cct if w[path] >= 2 * threshold),
    }


def assert_agrees(judged: Accuracy, expected: dict[str, object]) -> None:
    for name, value in expected.items():
        assert getattr(judged, name) == (pytest.approx(value) if isinstance(value, float) else value), name


def exact_of(calls: Sequence[tuple[Path, int]]) -> ContextProfile:
    return summary_of(calls, None)


@examples(3)
@given(streams_of_calls, st.integers(1, 8), st.floats(0.001, 1.0))
def test_every_measure_agrees_with_its_formula(calls: list[tuple[Path, int]], counters: int, phi: float) -> None:
    exact, approximate = exact_of(calls), summary_of(calls, counters)

    judged = accuracy(exact, approximate, phi=phi, taus=TAUS)

    assert_agrees(judged, by_the_formulae(exact, approximate, phi))
    assert judged.violations == 0
    assert judged.tree_contexts == judged.found_contexts + judged.false_positives + judged.cold_contexts
    assert approximate.approximation is not None
    if approximate.approximation.floor < judged.threshold:
        assert judged.missed_contexts == 0
        assert judged.is_covered_at_twice
        assert judged.max_uncovered < judged.guaranteed_tau or not judged.heaviest


@examples(1)
@given(streams_of_calls, streams_of_calls, st.integers(1, 8), st.floats(0.001, 1.0))
def test_measures_of_different_streams_agree_with_their_formulae_too(
    calls: list[tuple[Path, int]], others: list[tuple[Path, int]], counters: int, phi: float
) -> None:
    exact, approximate = exact_of(calls), summary_of(others, counters)

    judged = accuracy(exact, approximate, phi=phi, taus=TAUS)

    assert_agrees(judged, by_the_formulae(exact, approximate, phi))
    truth, values = truth_of(calls), by_path(approximate, approximate.metric_values())
    errors, floor = by_path(approximate, approximate.errors()), getattr(approximate.approximation, "floor", 0)
    assert judged.violations == sum(
        not values[path] <= truth[path] <= values[path] + errors[path] if path in values else truth[path] > floor
        for path in truth.keys() | values.keys()
    )


@given(streams_of_calls, st.integers(1, 8), st.floats(0.001, 1.0))
def test_a_bounded_profile_that_left_nothing_out_judges_as_an_exact_one_does(
    calls: list[tuple[Path, int]], counters: int, phi: float
) -> None:
    approximate, roomy = summary_of(calls, counters), summary_of(calls, 1 + sum(len(path) for path, _ in calls))

    assert not roomy.left_something_out
    assert accuracy(roomy, approximate, phi=phi) == accuracy(exact_of(calls), approximate, phi=phi)


@given(streams_of_calls, st.floats(0.001, 1.0))
def test_an_exact_profile_is_perfect(calls: list[tuple[Path, int]], phi: float) -> None:
    exact = exact_of(calls)

    judged = accuracy(exact, exact, phi=phi)

    assert (judged.false_positives, judged.missed_contexts, judged.violations) == (0, 0, 0)
    assert (judged.max_error, judged.average_error) == (0.0, 0.0)
    assert judged.is_covered_at_twice
    assert judged.tree_contexts == len(hot_context_tree(exact, phi=phi).contexts)


@given(streams_of_calls, st.integers(1, 8))
def test_all_is_covered_from_the_stated_hotness_on_and_not_below(calls: list[tuple[Path, int]], counters: int) -> None:
    exact, approximate = exact_of(calls), summary_of(calls, counters)
    judged = accuracy(exact, approximate, phi=0.5)
    # A hair below each weight, as the product of a quotient may round to more than the dividend.
    taus = [weight / judged.heaviest * (1 - 1e-12) for weight in set(truth_of(calls).values())]
    full = [tau for tau, share in accuracy(exact, approximate, phi=0.5, taus=taus).coverage if share == 1.0]
    if judged.full_coverage_tau is None:
        assert not full
    elif judged.full_coverage_tau:
        assert min(full) == pytest.approx(judged.full_coverage_tau)


def test_an_example_by_hand() -> None:
    # As in the document's figure 3.2: N = 581, phi = 1/10, epsilon = 1/30; hot from 58 on.
    a, b, c, d = ((function, 0) for function in FUNCTIONS)
    truth: Counter[Path] = Counter(
        {(a,): 1, (a, b): 200, (a, b, c): 30, (a, c): 10, (a, c, d): 180, (a, d): 57, (a, d, b): 100, (a, d, c): 3}
    )
    said: Counter[Path] = Counter({(a, b): 190, (a, c, d): 180, (a, d): 50, (a, d, b): 99})
    errors: Counter[Path] = Counter({(a, b): 15, (a, d): 10, (a, d, b): 5})
    exact = tree_of(truth, Counter(), 0, None, 581)
    approximate = tree_of(said, errors, 19, 30, 581)

    judged = accuracy(exact, approximate, phi=1 / 10, taus=(0.1, 0.2, 0.5))

    assert (judged.total, judged.threshold, judged.heaviest) == (581, 58, 200)
    # Listed are a, b and d below it, c, and both children's hot leaves; not a-b-c (30) and a-d-c (3).
    assert judged.overlap == pytest.approx((581 - 33) / 581)
    assert judged.coverage == ((0.1, 4 / 5), (0.2, 1.0), (0.5, 1.0))
    assert judged.full_coverage_tau == pytest.approx(57 / 200)
    assert judged.guaranteed_tau == pytest.approx(58 / 200)
    assert judged.is_covered_at_twice
    assert judged.max_uncovered == pytest.approx(0.15)
    assert judged.average_uncovered == pytest.approx(16.5 / 200)
    assert (judged.found_contexts, judged.false_positives, judged.cold_contexts) == (3, 1, 2)  # a-d may be hot: 60
    assert (judged.missed_contexts, judged.hot_contexts, judged.exact_contexts) == (0, 3, 8)
    assert judged.max_error == pytest.approx(10 / 200)
    assert judged.average_error == pytest.approx((10 / 200 + 0 + 1 / 100) / 3)
    assert judged.violations == 1  # a-b-c has 30, though what is not listed should have 19 at most


def test_a_curve_leaves_out_what_is_too_small_for_epsilon() -> None:
    calls = [(((FUNCTIONS[0], line),), 1 + line) for line in range(40)]
    approximate = summary_of(calls, 50)  # epsilon = 0.02
    curve = accuracy_curve(exact_of(calls), approximate, (0.05, 0.5, 0.1, 0.099))

    assert [point.phi for point in curve] == [0.5, 0.1]
    assert curve[1] == accuracy(exact_of(calls), approximate, phi=0.1)


def test_what_cannot_judge_or_be_judged_is_refused() -> None:
    calls = [(((FUNCTIONS[0], line),), 5) for line in range(9)]
    exact, approximate = exact_of(calls), summary_of(calls, 3)
    sampling = Sampling(interval_ns=20, burst_ns=2, bursts=1, fraction=0.1)
    bounds = approximate.approximation
    assert bounds is not None
    for slug, first, second in (
        ("not-exact", approximate, approximate),
        ("not-exact", replace(exact, sampling=sampling), approximate),
        ("partial-profile", replace(exact, pruned_contexts=1), approximate),
        ("partial-profile", exact, replace(approximate, pruned_contexts=1)),
        ("no-times", exact, replace(approximate, approximation=replace(bounds, metric="time"))),
        (
            "different-programs",
            replace(exact, run=Run(command=("a.py",))),
            replace(approximate, run=Run(command=("python3", "b.py"))),
        ),
    ):
        with pytest.raises(InputError) as refused:
            accuracy(first, second)
        assert refused.value.slug == slug


def test_a_sampled_profile_states_no_bounds() -> None:
    calls = [(((FUNCTIONS[0], 0),), 50), (((FUNCTIONS[1], 0),), 5)]
    sampled = replace(
        exact_of([(path, weight + 1) for path, weight in calls]),
        sampling=Sampling(interval_ns=20, burst_ns=2, bursts=3, fraction=0.1),
    )
    judged = accuracy(exact_of(calls), sampled, phi=0.5)

    assert judged.violations is None
    assert judged.max_error == pytest.approx(1 / 50)
