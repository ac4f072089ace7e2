"""Judging: from measurements with a known truth to verdicts."""

from collections.abc import Sequence

import numpy as np
import pytest

from made_measurements import measurements, start_up, steady
from sonde.base.errors import InputError, UsageError
from sonde.instruments.bench import Policy, SteadyBy
from sonde.instruments.bench.judging import Judgement, judge, judge_change, take_samples
from sonde.instruments.bench.measurements import Invocation, Measurements, Metric, Series

RNG = np.random.default_rng


def noisy(mean: float, cov: float, n: int, seed: int) -> np.ndarray:
    return np.asarray(mean * (1.0 + cov * RNG(seed).standard_normal(n)))


def test_a_slow_down_well_beyond_the_noise_is_worse_and_a_regression() -> None:
    judged = judge_change(
        measurements(start_up("b", "x", noisy(1.0, 0.01, 30, 1))),
        measurements(start_up("b", "x", noisy(1.02, 0.01, 30, 2))),
    )

    (comparison,) = judged.comparisons
    assert comparison.verdict == "worse"
    assert judged.has_regression
    assert comparison.ratio is not None and comparison.ratio.interval is not None
    assert 1.02 in comparison.ratio.interval
    assert "slower" in comparison.why


def test_a_regression_within_the_tolerance_is_worse_but_no_regression() -> None:
    judged = judge_change(
        measurements(start_up("b", "x", noisy(1.0, 0.01, 30, 1))),
        measurements(start_up("b", "x", noisy(1.02, 0.01, 30, 2))),
        Policy(tolerance=0.05),
    )

    assert judged.comparisons[0].verdict == "worse"
    assert not judged.has_regression


def test_equal_alternatives_with_little_noise_are_the_same() -> None:
    judged = judge(
        measurements(start_up("b", "x", noisy(1.0, 0.002, 30, 3)), start_up("b", "y", noisy(1.0, 0.002, 30, 4)))
    )

    assert judged.comparisons[0].verdict == "same"
    assert judged.comparisons[0].why == "no difference beyond 1%"


def test_equal_alternatives_with_much_noise_cannot_be_told_apart() -> None:
    judged = judge(measurements(start_up("b", "x", noisy(1.0, 0.2, 10, 5)), start_up("b", "y", noisy(1.0, 0.2, 10, 6))))

    (comparison,) = judged.comparisons
    assert comparison.verdict == "unclear"
    assert comparison.why.startswith("cannot say: ")
    assert comparison.needed is None or comparison.needed > 10


def test_higher_is_better_turns_the_verdict_round() -> None:
    score = Metric("throughput", "ops/s", "higher")
    judged = judge_change(
        measurements(start_up("b", "x", noisy(100.0, 0.01, 20, 7), metric=score)),
        measurements(start_up("b", "x", noisy(110.0, 0.01, 20, 8), metric=score)),
    )

    assert judged.comparisons[0].verdict == "better"
    assert not judged.has_regression


def test_rounds_pair_and_so_remove_what_both_sides_share() -> None:
    drift = np.linspace(1.0, 2.0, 20)
    first = drift * noisy(1.0, 0.005, 20, 9)
    second = drift * noisy(1.05, 0.005, 20, 10)

    paired = judge(measurements(start_up("b", "x", first), start_up("b", "y", second))).comparisons[0]
    apart = judge(
        measurements(start_up("b", "x", first, rounds=False), start_up("b", "y", second, rounds=False))
    ).comparisons[0]

    assert paired.paired and paired.verdict == "worse"
    assert not apart.paired and apart.verdict == "unclear"


def test_a_round_that_one_side_lacks_is_left_out_of_the_pairs_and_counted() -> None:
    first = start_up("b", "x", noisy(1.0, 0.01, 12, 11))
    second = start_up("b", "y", noisy(1.0, 0.01, 12, 12))
    lost = Invocation(np.empty(0), outcome="failed", detail="exit code 1", round=3)
    second = Series("b", "y", "startup", (*second.invocations[:3], lost, *second.invocations[4:]))

    (comparison,) = judge(measurements(first, second)).comparisons

    assert comparison.ratio is not None
    assert set(comparison.ratio.sizes) == {11}
    assert comparison.second.failed == 1


def test_alternatives_that_did_not_take_turns_are_doubted() -> None:
    judged = judge(
        measurements(
            start_up("b", "x", noisy(1.0, 0.01, 10, 1), rounds=False),
            start_up("b", "y", noisy(1.0, 0.01, 10, 2), rounds=False),
        )
    )

    assert [doubt.kind for doubt in judged.doubts] == ["not-alternating"]


def test_values_of_unknown_processes_get_no_interval_and_no_verdict_unless_asked() -> None:
    def of_asv(values: np.ndarray) -> Series:
        return Series("b", "", "steady", (Invocation(values),), separate=False)

    old, new = (measurements(of_asv(noisy(mean, 0.01, 20, seed))) for mean, seed in ((1.0, 1), (1.1, 2)))
    held = judge_change(old, new, detailed=True)
    assumed = judge_change(old, new, Policy(assume_independent=True))

    (comparison,) = held.comparisons
    assert comparison.verdict == "unclear"
    assert comparison.ratio is not None and comparison.ratio.interval is None
    assert "which process" in comparison.why
    assert all(summary.mean is not None and summary.mean.interval is None for summary in held.summaries)
    assert assumed.comparisons[0].verdict == "worse"


def test_many_values_of_one_process_say_nothing_of_the_next() -> None:
    judged = judge_change(
        measurements(steady("b", "", [noisy(1.0, 0.001, 100, 1)])),
        measurements(steady("b", "", [noisy(1.1, 0.001, 100, 2)])),
    )

    assert judged.comparisons[0].verdict == "unclear"
    assert "one process" in judged.comparisons[0].why


def test_warm_up_does_not_count() -> None:
    runs = [np.concatenate((noisy(3.0, 0.01, 20, seed), noisy(1.0, 0.01, 60, seed + 50))) for seed in range(10)]

    (sample,) = take_samples([steady("b", "x", runs)], Policy())

    assert set(sample.steady_from) == {20}
    assert sample.values == pytest.approx(np.array([run[20:].mean() for run in runs]), rel=1e-12)


@pytest.mark.parametrize(
    ("steady_by", "told"),
    [
        ("change-points", "those after the last change point that matters"),
        ("cov", "the first 10 whose coefficient of variation is below 1%"),
        ("recorded", "those after the recorded warm-up"),
        ("all", "all of them"),
    ],
)
def test_the_method_tells_which_iterations_are_steady(steady_by: SteadyBy, told: str) -> None:
    judged = judge(measurements(start_up("b", "x", [1.0, 1.1])), Policy(steady_by=steady_by))

    assert f"the mean of its steady iterations ({told})." in judged.method[0]


@pytest.mark.parametrize("steady_by", ["recorded", "all"])
def test_other_rules_for_steadiness_take_what_they_say(steady_by: str) -> None:
    run = np.concatenate((np.linspace(3.0, 1.1, 20), noisy(1.0, 0.001, 60, 1)))
    series = Series("b", "x", "steady", (Invocation(run, warmups=5), Invocation(run, warmups=5)))

    (sample,) = take_samples([series], Policy(steady_by=steady_by))  # type: ignore[arg-type]  # one of both

    first = sample.steady_from[0]
    assert first == {"recorded": 5, "all": 0}[steady_by]
    assert sample.values[0] == pytest.approx(run[first:].mean(), rel=1e-12)


def test_metrics_of_the_process_can_be_judged() -> None:
    def with_memory(alternative: str, peak: float) -> Series:
        return Series(
            "b",
            alternative,
            "startup",
            tuple(
                Invocation(np.array([1.0]), round=i, process={"peak-memory": peak + 10.0 * (i % 3)}) for i in range(12)
            ),
        )

    judged = judge(measurements(with_memory("x", 1e6), with_memory("y", 2e6)), Policy(metric="peak-memory"))

    assert judged.comparisons[0].verdict == "worse"
    assert "more memory" in judged.comparisons[0].why


def test_a_metric_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="no such metric") as refused:
        judge(measurements(start_up("b", "x", [1.0, 1.1])), Policy(metric="cycles"))
    assert refused.value.slug == "no-such-metric"
    assert refused.value.hint == "it has wall"


def test_nothing_in_common_is_refused_with_both_lists() -> None:
    with pytest.raises(InputError, match="no benchmark is in both") as refused:
        judge_change(measurements(start_up("a", "", [1.0])), measurements(start_up("b", "", [1.0])))
    assert refused.value.hint == "'old' has 'a'; 'new' has 'b'"


def test_what_only_one_side_has_is_said() -> None:
    both = start_up("a", "", noisy(1.0, 0.01, 10, 1))
    judged = judge_change(measurements(both, start_up("b", "", [1.0])), measurements(both, start_up("c", "", [1.0])))

    assert judged.unmatched == ("only old has 'b'", "only new has 'c'")


def test_lone_alternatives_of_other_names_are_matched_by_benchmark() -> None:
    judged = judge_change(
        measurements(start_up("a", "1.0", noisy(1.0, 0.01, 10, 1))),
        measurements(start_up("a", "2.0", noisy(1.0, 0.01, 10, 2))),
    )

    assert [comparison.benchmark for comparison in judged.comparisons] == ["a"]


def test_other_units_are_not_compared() -> None:
    old = measurements(start_up("a", "", [1.0, 1.1]), start_up("b", "", [1.0, 1.1]))
    memory = start_up("b", "", [1.0, 1.1], metric=Metric("peak-memory", "B"))

    judged = judge_change(old, measurements(start_up("a", "", [1.0, 1.1]), memory))

    assert len(judged.comparisons) == 1
    assert judged.unmatched == ("'b' is in s (wall) in old, in B (peak-memory) in new",)


def test_failed_invocations_alone_give_no_numbers() -> None:
    failed = Series("b", "y", "startup", (Invocation(np.empty(0), "failed", "exit code 1"),) * 3)

    judged = judge(measurements(start_up("b", "x", noisy(1.0, 0.01, 10, 1)), failed))

    assert judged.comparisons[0].verdict == "unclear"
    assert judged.comparisons[0].ratio is None
    assert judged.comparisons[0].why == "cannot say: not one of 3 invocations of 'y' of 'b' ended well"
    assert judged.summaries[1].mean is None


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 2.0]])
def test_too_few_or_constant_values_give_no_interval_and_no_verdict(values: Sequence[float]) -> None:
    judged = judge_change(
        measurements(start_up("b", "", values, rounds=False)), measurements(start_up("b", "", values, rounds=False))
    )

    (comparison,) = judged.comparisons
    assert comparison.verdict == "unclear"
    if len(values) != 2:
        assert comparison.ratio is not None and comparison.ratio.interval is None


def test_a_version_that_always_fails_is_a_regression() -> None:
    failed = Series("b", "", "startup", (Invocation(np.empty(0), "failed", "exit code 1"),) * 3)
    works = start_up("b", "", noisy(1.0, 0.01, 10, 1))

    broken, never_worked = (
        judge_change(measurements(old, works_too), measurements(failed, works_too))
        for old, works_too in ((works, start_up("c", "", noisy(1.0, 0.01, 10, 2))), (failed, works))
        for works_too in (start_up("c", "", noisy(1.0, 0.01, 10, 2)),)
    )

    assert broken.has_regression
    assert broken.comparisons[0].verdict == "worse"
    assert broken.comparisons[0].why == "does not work any more: not one of 3 invocations of 'new' of 'b' ended well"
    assert not never_worked.has_regression


def test_a_constant_that_was_or_becomes_zero_is_told_without_a_ratio() -> None:
    faults = Metric("faults", "1")
    none, some = (measurements(start_up("b", "", [value] * 15, metric=faults)) for value in (0.0, 2.0))

    appeared, vanished = judge_change(none, some), judge_change(some, none)

    assert (appeared.comparisons[0].verdict, appeared.has_regression) == ("worse", True)
    assert appeared.comparisons[0].why == "higher: 2 instead of 0 (p < 0.001)"
    assert (vanished.comparisons[0].verdict, vanished.has_regression) == ("better", False)
    assert vanished.comparisons[0].why == "lower: 0 instead of 2 (p < 0.001)"


def test_without_a_tolerance_worse_is_a_regression_however_much_else_got_better() -> None:
    improved = [start_up(f"b{i}", "", noisy(0.9, 0.01, 20, i)) for i in range(60)]
    old = [start_up(f"b{i}", "", noisy(1.0, 0.01, 20, 100 + i)) for i in range(60)]
    for shift in np.linspace(1.002, 1.012, 11):
        judged = judge_change(
            measurements(*old, start_up("c", "", noisy(1.0, 0.008, 20, 7))),
            measurements(*improved, start_up("c", "", noisy(shift, 0.008, 20, 8))),
        )
        assert [c.is_regression for c in judged.comparisons] == [c.verdict == "worse" for c in judged.comparisons]


def test_the_difference_agrees_with_the_verdict() -> None:
    rng = RNG(5)
    for shift in (1.0, 1.01, 1.02, 1.05):
        first, second = 1.0 + 0.01 * rng.standard_normal(20), shift * (1.0 + 0.01 * rng.standard_normal(20))
        (one,) = judge_change(
            measurements(start_up("b", "", first)), measurements(start_up("b", "", second))
        ).comparisons
        assert one.difference is not None and one.difference.interval is not None and one.ratio is not None
        assert one.ratio.interval is not None
        assert (0.0 in one.difference.interval) == (1.0 in one.ratio.interval)
        assert one.difference.value == pytest.approx(second.mean() - first.mean())


def test_geometric_means_are_of_the_same_two_sides() -> None:
    def both(benchmark: str, *means: float) -> list[Series]:
        return [start_up(benchmark, f"{i}", noisy(mean, 0.01, 10, i)) for i, mean in enumerate(means)]

    assert judge(measurements(*both("a", 1.0, 0.25, 4.0), *both("b", 1.0, 0.25, 4.0))).geometric_mean is None
    mean = judge(measurements(*both("a", 1.0, 0.25), *both("b", 1.0, 1.0))).geometric_mean
    assert mean == pytest.approx(0.5, rel=0.05)


def test_counts_that_never_vary_can_differ_but_get_no_interval() -> None:
    judged = judge_change(
        measurements(start_up("b", "", [1000.0] * 8, metric=Metric("instructions", "1"))),
        measurements(start_up("b", "", [1001.0] * 8, metric=Metric("instructions", "1"))),
    )

    (comparison,) = judged.comparisons
    assert comparison.verdict == "worse" and judged.has_regression
    assert comparison.ratio is not None and comparison.ratio.interval is None
    assert comparison.test is not None and "Mann-Whitney" in comparison.test.method


@pytest.mark.parametrize("value", [1000.0, 0.0])
def test_counts_that_never_vary_can_be_the_same(value: float) -> None:
    def counted(values: Sequence[float]) -> Measurements:
        return measurements(start_up("b", "", values, rounds=False, metric=Metric("instructions", "1")))

    old = counted([value] * 8)

    assert judge_change(old, counted([value] * 8)).comparisons[0].verdict == "same"
    assert judge_change(old, counted([value + 20.0] * 8)).comparisons[0].verdict == "worse"
    assert judge_change(old, counted([value] * 8), Policy(equivalent=0.0)).comparisons[0].verdict == "unclear"
    assert judge_change(counted([value] * 2), counted([value] * 2)).comparisons[0].verdict == "unclear"


def test_what_was_never_more_than_nothing_is_not_the_same_as_little_more() -> None:
    system = Metric("system", "s")

    def times(last: float) -> Measurements:
        values = [*[1.0] * 15, last]
        return measurements(*(start_up(f"b{i}", "", [one] * 5, metric=system) for i, one in enumerate(values)))

    *others, changed = (c.verdict for c in judge_change(times(0.0), times(0.01)).comparisons)

    assert set(others) == {"same"} and changed != "same"
    assert judge_change(times(0.0), times(0.0)).comparisons[-1].verdict == "same"


def test_a_difference_that_chance_makes_among_many_is_not_told_as_one() -> None:
    one = (noisy(1.0, 0.02, 10, 1), noisy(1.025, 0.02, 10, 2))
    equal = [(noisy(1.0, 0.02, 10, 2 * i), noisy(1.0, 0.02, 10, 2 * i + 1)) for i in range(20, 60)]
    old, new = (
        measurements(*(start_up(f"b{i}", "", pair[side]) for i, pair in enumerate((one, *equal)))) for side in (0, 1)
    )

    judged = judge_change(old, new, Policy(assume_independent=True))

    first = judged.comparisons[0]
    assert first.ratio is not None and first.ratio.interval is not None and first.ratio.interval.low > 1.0
    assert first.verdict == "unclear"
    assert "by itself, but among 41 comparisons chance does that (p = 0." in first.why
    assert any("anything from" in other.why for other in judged.comparisons[1:])


def test_three_alternatives_are_compared_as_a_group() -> None:
    names_and_means = {"x": 1.0, "y": 1.0, "z": 1.1}
    judged = judge(
        measurements(*(start_up("b", name, noisy(mean, 0.01, 15, ord(name))) for name, mean in names_and_means.items()))
    )

    (group,) = judged.groups
    assert group.variance is not None and group.withheld == ""
    assert len(group.pairs) == 3
    assert len(judged.comparisons) == 2


def test_a_group_of_unequal_spreads_is_not_given_a_common_one() -> None:
    spreads = {"x": 0.001, "y": 0.001, "z": 0.2}
    judged = judge(
        measurements(
            *(start_up("b", name, noisy(1.0, cov, 20, ord(name)), rounds=False) for name, cov in spreads.items())
        )
    )

    (group,) = judged.groups
    assert group.variance is not None and "Welch" in group.variance.method
    assert all("Games-Howell" in pair.method for pair in group.pairs)


def test_a_group_that_took_turns_is_compared_within_rounds() -> None:
    disturbance = 1.0 + 0.1 * RNG(1).standard_normal(20)
    means = {"x": 1.0, "y": 1.0, "z": 1.01}
    judged = judge(
        measurements(
            *(start_up("b", name, disturbance * noisy(mean, 0.002, 20, ord(name))) for name, mean in means.items())
        )
    )

    (group,) = judged.groups
    assert {(pair.first, pair.second) for pair in group.pairs if pair.p_value < 0.01} == {("x", "z"), ("y", "z")}


@pytest.mark.parametrize("n", [4, 30])
def test_a_group_is_not_analysed_where_two_of_it_are_not_compared(n: int) -> None:
    rng = RNG(3)
    drifting = [np.cumsum(rng.standard_normal(n)) * 0.05 + 5.0 for _ in range(3)]
    judged = judge(measurements(*(start_up("b", str(i), row, rounds=False) for i, row in enumerate(drifting))))

    (group,) = judged.groups
    assert group.withheld and group.variance is None and not group.pairs


def test_combinations_of_factors_get_an_analysis_by_factors() -> None:
    series = [
        start_up(
            "b",
            f"{python} {flag}",
            noisy(base * factor, 0.01, 12, seed),
            levels={"python": python, "flags": flag},
        )
        for seed, (python, base, flag, factor) in enumerate(
            (p, base, f, factor) for p, base in (("11", 1.0), ("12", 0.9)) for f, factor in (("", 1.0), ("-O", 1.0))
        )
    ]

    (group,) = judge(measurements(*series)).groups

    assert group.factors is not None


def test_factors_of_alternatives_that_took_turns_are_judged_within_rounds() -> None:
    disturbance = 1.0 + 0.2 * RNG(1).standard_normal(20)
    series = [
        start_up(
            "b",
            f"{python} {flag}",
            disturbance * noisy(base, 0.002, 20, seed),
            levels={"python": python, "flags": flag},
        )
        for seed, (python, base, flag) in enumerate(
            (p, base, f) for p, base in (("11", 1.0), ("12", 1.01)) for f in ("", "-O")
        )
    ]

    (group,) = judge(measurements(*series)).groups

    assert group.factors is not None
    p_values = {row.source: row.p_value for row in group.factors.rows[:3] if row.p_value is not None}
    assert p_values["python"] < 1e-10
    assert min(p_values["flags"], p_values["flags:python" if "flags:python" in p_values else "python:flags"]) > 0.01


def test_false_alarms_among_identical_alternatives_stay_below_the_level() -> None:
    """200 sets of 20 benchmarks without any difference: at most 5 % of sets may have a verdict (binomial: 7.3 %)."""
    rng = RNG(42)

    def identical() -> Judgement:
        old, new = (
            measurements(*(start_up(f"b{i}", "", rng.lognormal(0.0, 0.05, 20), rounds=False) for i in range(20)))
            for _ in range(2)
        )
        return judge_change(old, new)

    alarms = sum(
        any(comparison.verdict in ("better", "worse") for comparison in identical().comparisons) for _ in range(200)
    )

    assert alarms <= 19  # 99.9 % quantile of the binomial with 5 %


@pytest.mark.parametrize("n", [5, 10, 19])
def test_too_few_values_to_show_dependence_are_not_judged_unless_they_took_turns(n: int) -> None:
    first, second = noisy(1.0, 0.01, n, 1), noisy(1.5, 0.01, n, 2)

    def judged(*, rounds: bool, policy: Policy | None = None) -> Judgement:
        series = (start_up("b", name, values, rounds=rounds) for name, values in (("x", first), ("y", second)))
        return judge(measurements(*series), policy)

    (apart,) = judged(rounds=False).comparisons
    assert apart.verdict == "unclear"
    assert apart.why == (
        f"cannot say: {n} values that did not take turns with the others are too few to tell whether they depend on"
        " those before them: at least 20 are needed, unless they are known to be independent"
    )
    assert judged(rounds=False, policy=Policy(assume_independent=True)).comparisons[0].verdict == "worse"
    assert (judged(rounds=True).comparisons[0].verdict == "worse") == (n > 5)


def test_among_many_equal_benchmarks_whose_processes_resemble_their_predecessors_few_are_told_apart() -> None:
    """AR(1) with 0.7: seven of ten such families had a discovery with 10 values, when those were judged."""
    rng = RNG(9)

    def drifting(n: int) -> np.ndarray:
        noise = rng.standard_normal(n)
        for at in range(1, n):
            noise[at] = 0.7 * noise[at - 1] + np.sqrt(1.0 - 0.7**2) * noise[at]
        return np.asarray(1.0 + 0.02 * noise)

    def discoveries(n: int) -> int:
        old, new = (
            measurements(*(start_up(f"b{i}", "", drifting(n), rounds=False) for i in range(20))) for _ in range(2)
        )
        return judge_change(old, new).counts()["worse"] + judge_change(old, new).counts()["better"]

    assert discoveries(10) == 0
    assert sum(discoveries(20) > 0 for _ in range(10)) <= 4


@pytest.mark.parametrize("wide", [0.9, 3.0])
def test_of_what_cannot_be_negative_no_interval_is(wide: float) -> None:
    values = np.exp(wide * RNG(3).standard_normal(6))
    judged = judge(measurements(start_up("b", "x", values), start_up("b", "y", np.full(6, 1.0) + 0.01 * values)))

    for estimate in (*(summary.mean for summary in judged.summaries), *(one.ratio for one in judged.comparisons)):
        assert estimate is not None
        assert estimate.interval is None or estimate.interval.low >= 0.0
    assert judged.summaries[0].mean is not None
    assert judged.summaries[0].mean.interval is not None, "to withhold it would leave those of samples that mislead"


def test_a_regression_of_two_percent_in_noise_of_three_percent_is_found_among_many() -> None:
    rng = RNG(7)
    old = measurements(*(start_up(f"b{i}", "", 1.0 + 0.03 * rng.standard_normal(200)) for i in range(20)))
    new = measurements(
        *(
            start_up(f"b{i}", "", (1.02 if i == 13 else 1.0) * (1.0 + 0.03 * rng.standard_normal(200)))
            for i in range(20)
        )
    )

    judged = judge_change(old, new)

    assert [c.benchmark for c in judged.comparisons if c.is_regression] == ["b13"]
