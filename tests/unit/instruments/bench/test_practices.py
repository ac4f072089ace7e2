"""What usual practices say, beside what is established; with oracles that look at every repetition there can be."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from report_json import all_rows
from sonde.instruments.bench.judging import Comparison, judge
from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Provenance, Series
from sonde.instruments.bench.policy import Policy
from sonde.instruments.bench.practices import Claim, claims_of, lint, reports_of
from sonde.instruments.bench.report import lint_report
from sonde.render.report_json import report_data
from sonde.stats.difference_of_means import means_test

RATE = Metric("throughput", "ops/s", "higher")


def compared(
    first: Sequence[Sequence[float]],
    second: Sequence[Sequence[float]],
    *,
    metric: Metric = WALL,
    warmups: int = 0,
    separate: bool = True,
) -> Comparison:
    steady = any(len(values) > 1 for values in (*first, *second))
    series = tuple(
        Series(
            "sort",
            name,
            "steady" if steady else "startup",
            tuple(Invocation(np.array(values, dtype=np.float64), warmups=warmups) for values in runs),
            metric,
            separate=separate,
        )
        for name, runs in (("a", first), ("b", second))
    )
    judgement = judge(Measurements(series, Provenance("a test")), Policy(steady_by="recorded"), detailed=False)
    (comparison,) = judgement.comparisons
    return comparison


def single(values: Sequence[float]) -> list[list[float]]:
    return [[value] for value in values]


def by_name(comparison: Comparison, *, ignore_below: float = 0.0) -> dict[str, Claim]:
    return {claim.practice.name: claim for claim in claims_of(comparison, ignore_below=ignore_below)}


A = [1.00, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1.00, 1.01, 0.99]


def test_a_plain_difference_is_found_by_all() -> None:
    claims = by_name(compared(single(A * 2), single([2.0 * value for value in A * 2])))

    assert {claim.says for claim in claims.values()} == {"worse"}
    assert claims["mean"].kind == claims["best"].kind == "right"
    assert max(claim.otherwise for claim in claims.values()) == 0.0


def test_where_nothing_is_established_every_claim_of_a_difference_misleads() -> None:
    comparison = compared(single(A), single([value + 0.004 for value in reversed(A)]))
    claims = by_name(comparison)

    assert comparison.verdict == "unclear"
    assert claims["mean"].says == claims["best"].says == "worse"
    assert claims["mean"].kind == claims["best"].kind == "misleading"
    assert (claims["error bars"].says, claims["error bars"].kind) == ("same", "indicative")
    assert claims["mean"].opposite > 0.1


def test_one_slow_start_makes_one_run_say_the_opposite() -> None:
    comparison = compared(single([1.3, *A, *A]), single([1.1 * value for value in (*A, *A, 1.0)]))
    claims = by_name(comparison)

    assert comparison.verdict == "worse"
    assert (claims["one run"].says, claims["one run"].kind) == ("better", "incorrect")
    assert claims["one run"].otherwise > 0.8


def test_error_bars_miss_what_is_established() -> None:
    random = np.random.default_rng(1)
    first, second = random.normal(1.0, 0.05, 60), random.normal(1.05, 0.05, 60)
    comparison = compared(single(first.tolist()), single(second.tolist()))
    claims = by_name(comparison)

    assert comparison.verdict == "worse"
    assert (claims["error bars"].says, claims["error bars"].kind) == ("same", "misleading")


def test_the_right_side_with_a_size_outside_the_interval_is_indicative() -> None:
    first = [*A, 1.0]
    second = [*(1.2 * value for value in A), 3.0]
    comparison = compared(single(first * 3), single(second * 3))
    claims = by_name(comparison)

    assert comparison.verdict == "worse" and comparison.ratio is not None and comparison.ratio.interval is not None
    assert claims["worst"].ratio not in comparison.ratio.interval
    assert (claims["worst"].says, claims["worst"].kind) == ("worse", "indicative")


def test_more_is_better_where_the_metric_says_so() -> None:
    claims = by_name(compared(single(A), single([2.0 * value for value in A]), metric=RATE))

    assert {claim.says for claim in claims.values()} == {"better"}


def test_small_differences_can_be_ignored() -> None:
    comparison = compared(single(A), single([1.015 * value for value in A]))

    assert by_name(comparison)["mean"].says == "worse"
    assert by_name(comparison, ignore_below=0.02)["mean"].says == "same"
    assert by_name(comparison, ignore_below=0.01)["mean"].says == "worse"


def test_identical_numbers_are_no_difference() -> None:
    claims = by_name(compared(single([1.0, 1.0, 1.0]), single([1.0, 1.0, 1.0])))

    assert {claim.says for claim in claims.values()} == {"same"}


def test_repetitions_of_one_run_agree_with_all_that_there_can_be() -> None:
    second = [1.001, 0.985, 1.015, 1.031, 0.955]
    claim = by_name(compared(single(A), single(second)))["one run"]

    pairs = [np.sign(one - other) for one, other in itertools.product(A, second)]
    original = np.sign(A[0] - second[0])
    assert claim.otherwise == pytest.approx(np.mean([sign != original for sign in pairs]), abs=0.05)
    assert claim.opposite == pytest.approx(np.mean([sign == -original for sign in pairs]), abs=0.05)


def test_rounds_are_drawn_together_where_alternatives_took_turns() -> None:
    drift = [1.0 + 0.1 * round_ for round_ in range(12)]
    series = tuple(
        Series(
            "sort",
            name,
            "startup",
            tuple(Invocation(np.array([factor * value]), round=round_) for round_, value in enumerate(drift)),
        )
        for name, factor in (("a", 1.0), ("b", 1.02))
    )
    (apart,) = judge(Measurements(tuple(map(without_rounds, series)), Provenance("a test"))).comparisons
    (together,) = judge(Measurements(series, Provenance("a test"))).comparisons

    assert together.paired and not apart.paired
    assert by_name(together)["mean"].otherwise == by_name(together)["one run"].otherwise == 0.0
    assert by_name(apart)["mean"].otherwise > 0.2


def without_rounds(series: Series) -> Series:
    return replace(series, invocations=tuple(replace(run, round=None) for run in series.invocations))


def test_repetitions_of_a_mean_agree_with_all_that_there_can_be() -> None:
    first, second = [1.0, 1.3, 1.1], [1.25, 1.05, 1.16]
    claim = by_name(compared(single(first), single(second)))["mean"]

    def means(values: Sequence[float]) -> list[float]:
        return [float(np.mean(drawn)) for drawn in itertools.product(values, repeat=3)]

    better = np.mean([other < one - 1e-12 for one, other in itertools.product(means(first), means(second))])
    assert claim.says == "worse"
    assert claim.opposite == pytest.approx(better, abs=0.05)


STEADY = [[9.0, 1.0, 1.1, 1.2], [8.0, 1.05, 1.02, 1.21], [7.0, 1.02, 1.0, 1.1]]


def test_warm_up_is_seen_by_those_who_look_at_the_first_iteration_only() -> None:
    comparison = compared(STEADY, [[value / 2.0 for value in run] for run in STEADY], warmups=1)
    claims = by_name(comparison)
    reports = {report.practice.name: report for report in reports_of(comparison.first, None)}

    assert reports["first iteration"].value == 8.0
    assert reports["one run"].value == 9.0
    assert reports["worst"].value == 1.21
    assert reports["best"].value == 1.0
    assert reports["second best"].value == 1.0
    assert reports["last iteration"].value == pytest.approx((1.2 + 1.21 + 1.1) / 3)
    assert reports["best iteration"].value == pytest.approx((1.0 + 1.02 + 1.0) / 3)
    assert reports["mean"].value == pytest.approx(np.mean([value for run in STEADY for value in run[1:]]))
    assert reports["median"].value == pytest.approx(1.05)
    assert reports["one invocation"].value == pytest.approx(1.1)
    assert {claim.says for claim in claims.values()} == {"better"}


def test_t_tests_on_iterations_are_students() -> None:
    random = np.random.default_rng(5)
    for shift in (0.0, 0.02, 0.05, 0.1):
        first = random.normal(1.0, 0.05, (6, 8))
        second = random.normal(1.0 + shift, 0.05, (6, 8))
        claims = by_name(compared(first.tolist(), second.tolist()))

        pooled = means_test(second.ravel(), first.ravel(), equal_variances=True)
        single_one = means_test(second[0], first[0], equal_variances=True)
        assert (claims["t test, all values"].says != "same") == (pooled.p_value < 0.05)
        assert (claims["t test, one process"].says != "same") == (single_one.p_value < 0.05)


def test_values_pooled_over_processes_claim_what_processes_do_not_support() -> None:
    random = np.random.default_rng(11)
    offsets = random.normal(0.0, 0.05, (2, 5, 1))
    values = 1.0 + offsets + random.normal(0.0, 0.002, (2, 5, 40))
    comparison = compared(values[0].tolist(), values[1].tolist())
    claims = by_name(comparison)

    assert comparison.verdict == "unclear"
    assert claims["t test, all values"].kind == claims["t test, one process"].kind == "misleading"
    assert claims["t test, one process"].otherwise > 0.2


def test_values_of_one_process_are_drawn_one_by_one() -> None:
    comparison = compared([A], [[2.0 * value for value in A]], separate=False)
    claims = by_name(comparison)

    assert comparison.verdict == "unclear"
    assert "one invocation" not in claims
    assert claims["mean"].kind == "misleading"


def test_practices_for_iterations_are_not_told_where_there_are_none() -> None:
    assert "first iteration" not in by_name(compared(single(A), single(A)))


def test_one_invocation_each_can_be_linted() -> None:
    claims = by_name(compared([[1.0]], [[1.1]]))

    assert claims["mean"].says == "worse" and claims["mean"].kind == "misleading"


def test_nothing_is_said_of_alternatives_that_always_failed() -> None:
    runs = tuple(Invocation(np.empty(0), outcome="failed", detail="exit code 1") for _ in range(3))
    good = tuple(Invocation(np.array([value])) for value in A)
    series = (Series("sort", "a", "startup", good), Series("sort", "b", "startup", runs))
    found = lint(judge(Measurements(series, Provenance("a test"))))

    assert all(linted.claims == () for linted in found.comparisons)
    assert [bool(linted.reports) for linted in found.series] == [True, False]


def test_the_same_data_give_the_same_answer() -> None:
    comparison = compared(single(A), single([value + 0.004 for value in A]))

    assert [(c.says, c.otherwise) for c in claims_of(comparison)] == [
        (c.says, c.otherwise) for c in claims_of(comparison)
    ]


def test_what_is_reported_is_held_against_the_interval() -> None:
    values = [*A, 1.0]
    series = (Series("sort", "a", "startup", tuple(Invocation(np.array([value])) for value in values)),)
    found = lint(judge(Measurements(series, Provenance("a test"))))
    reports = {report.practice.name: report for report in found.series[0].reports}

    assert reports["mean"].inside is True
    assert reports["best"].inside is False and reports["worst"].inside is False
    assert reports["mean"].low <= reports["mean"].value <= reports["mean"].high
    assert reports["one run"].high - reports["one run"].low > reports["mean"].high - reports["mean"].low
    assert "error bars" not in reports


def test_a_ratio_to_nothing_is_null_in_json() -> None:
    series = tuple(
        Series("sort", name, "startup", tuple(Invocation(np.array([value])) for value in values))
        for name, values in (("a", [0.0] * 6), ("b", A[:6]))
    )
    judgement = judge(Measurements(series, Provenance("a test")), Policy())

    answer = json.loads(json.dumps(report_data(lint_report(lint(judgement))), allow_nan=False))

    assert {claim["ratio"] for claim in all_rows(answer, "claims-1")} == {None}
    [comparison] = all_rows(answer, "comparisons")
    assert comparison["ratio"] is None
    assert comparison["why"]
