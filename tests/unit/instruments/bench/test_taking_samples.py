"""Which values of an invocation count, and what a metric of its process is for each call."""

import numpy as np
import pytest

from made_measurements import measurements, start_up, steady
from sonde.base.errors import UsageError
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import judge, judge_change, take_samples
from sonde.instruments.bench.measurements import Invocation, Metric, Series


def of_processes(alternative: str, user_per_call_s: float, calls: int) -> Series:
    """Twelve processes that called so often, and took half a second of processor time to start."""
    wobble = 1.0 + 0.002 * np.sin(np.arange(12.0) + calls)
    return Series(
        "b",
        alternative,
        "steady",
        tuple(
            Invocation(
                np.full(20, user_per_call_s),
                loops=calls // 20,
                round=i,
                process={
                    "user": 0.5 + calls * user_per_call_s * wobble[i],
                    "user-per-call": user_per_call_s * wobble[i],
                    "peak-memory": 1e6 + i % 3,
                },
            )
            for i in range(12)
        ),
    )


def test_processor_times_of_steady_benchmarks_are_compared_for_each_call() -> None:
    slow_called_seldom, fast_called_often = of_processes("slow", 2e-3, 200), of_processes("fast", 1e-3, 2000)

    (comparison,) = judge(measurements(slow_called_seldom, fast_called_often), Policy(metric="user")).comparisons

    assert comparison.verdict == "better"
    assert comparison.ratio is not None and comparison.ratio.value == pytest.approx(0.5, rel=1e-3)


def test_the_cheapest_repetition_knows_what_a_process_costs() -> None:
    rng = np.random.default_rng(3)
    values = [(1.0 + 0.01 * rng.standard_normal()) * (1.0 + 0.01 * rng.standard_normal(20)) for _ in range(12)]

    def designed(*wall_s: float) -> list[str]:
        series = (
            Series("b", "x", "steady", tuple(Invocation(each, process=process) for each in values))
            for process in ([{"wall": wall} for wall in wall_s] if wall_s else [{}])
        )
        return [str(judge(measurements(one)).summaries[0].design) for one in series]

    cheap, dear = designed(20.1, 2000.0)

    assert cheap != dear, "where a process costs a hundred iterations, each has more of them"
    assert designed() == ["None"]


@pytest.mark.parametrize(("known", "fact"), [("user", "of whole processes only"), ("system", "no such metric")])
def test_what_is_known_of_whole_steady_processes_only_is_refused(known: str, fact: str) -> None:
    run = Invocation(np.array([1.0, 1.1]), process={"user": 3.0, "system-per-call": 0.1, "peak-memory": 1e6})
    series = Series("b", "x", "steady", (run, run))
    policy = Policy(metric="user" if known == "user" else "cycles")

    with pytest.raises(UsageError, match=fact) as refused:
        take_samples([series], policy)

    assert refused.value.slug == "no-such-metric"
    assert refused.value.hint == "it has wall, peak-memory, system"


def test_processor_time_is_that_of_the_program_and_of_the_kernel() -> None:
    whole = {"user": 0.5, "system": 0.25, "peak-memory": 1e6}
    each = {"user-per-call": 2e-3, "system-per-call": 1e-3, **whole}
    command = Series("b", "x", "startup", (Invocation(np.array([9.0]), process=whole),) * 2)
    function = Series("b", "x", "steady", (Invocation(np.array([9.0, 9.0]), process=each),) * 2)

    commands, functions = take_samples([command, function], Policy(metric="cpu"))

    assert (commands.values.tolist(), functions.values.tolist()) == ([0.75] * 2, pytest.approx([3e-3] * 2))
    assert commands.metric == Metric("cpu", "s")
    half = Series("b", "x", "startup", (Invocation(np.array([1.0]), process={"user": 1.0}),))
    with pytest.raises(UsageError) as refused:
        take_samples([half], Policy(metric="cpu"))
    assert refused.value.hint == "it has wall, user"


def test_peak_memory_is_no_sum_over_calls() -> None:
    (sample,) = take_samples([of_processes("x", 1e-3, 200)], Policy(metric="peak-memory"))

    assert sample.values[:3].tolist() == [1e6, 1e6 + 1, 1e6 + 2]


def test_by_the_coefficient_of_variation_the_mean_of_its_window_counts() -> None:
    settles = np.concatenate((np.linspace(3.0, 1.1, 20), np.full(10, 1.0), np.full(30, 7.0)))

    (sample,) = take_samples([steady("b", "x", [settles])], Policy(steady_by="cov"))

    (window,) = sample.steady_runs()
    assert len(window) == 10
    assert sample.values[0] == window.mean() == pytest.approx(1.0, rel=0.02)
    assert sample.unsettled == 0


def test_what_never_settles_is_told_and_is_the_window_that_varies_least() -> None:
    never = np.tile([1.0, 2.0], 30)
    calmest = never.copy()
    calmest[35:45] = np.tile([1.4, 1.6], 5)
    new = steady("b", "x", [never, calmest, np.ones(60)])

    judged = judge_change(measurements(steady("b", "x", [np.ones(60)] * 3)), measurements(new), Policy(steady_by="cov"))

    sample = judged.comparisons[0].second
    assert (sample.unsettled, sample.steady_from[1], sample.steady_to[1]) == (2, 35, 45)
    (doubt,) = (doubt for doubt in judged.doubts if doubt.kind == "not-settled")
    assert doubt.detail.startswith("2 of 6 invocations (of 'b') never varied by less than 1% over 10 iterations")


@pytest.mark.parametrize("steady_by", ["change-points", "cov"])
def test_repetitions_of_unknown_processes_are_no_warm_up(steady_by: str) -> None:
    repetitions = np.concatenate((np.full(12, 400.0), np.full(24, 212.5))) + np.arange(36.0) % 3
    series = Series("b", "", "steady", (Invocation(repetitions),), separate=False)

    (sample,) = take_samples([series], Policy(steady_by=steady_by))  # type: ignore[arg-type]  # one of both

    assert sample.values.tolist() == [repetitions.mean()]
    assert not sample.steadiness and not sample.unsettled


@pytest.mark.parametrize(("better", "verdict"), [(None, "better"), ("higher", "better"), ("lower", "worse")])
def test_the_unit_says_which_way_is_better_unless_the_user_does(better: str | None, verdict: str) -> None:
    rate, rng = Metric.in_unit("value", "ops/s"), np.random.default_rng(1)
    old, new = (start_up("b", "", mean * (1 + 0.01 * rng.standard_normal(20)), metric=rate) for mean in (100.0, 110.0))

    policy = Policy(better=better)  # type: ignore[arg-type]  # one of the three
    assert judge_change(measurements(old), measurements(new), policy).comparisons[0].verdict == verdict


def test_files_that_disagree_which_way_is_better_are_not_compared() -> None:
    old, new = (
        measurements(start_up("a", "", [1.0, 2.0]), start_up("b", "", [1.0, 2.0], metric=rate))
        for rate in (Metric("value", "ops/s", "lower"), Metric("value", "ops/s", "higher"))
    )

    assert judge_change(old, new).unmatched == (
        "of 'b' lower is better in old, higher in new: say which by --better higher",
    )


def test_a_geometric_mean_is_of_one_metric() -> None:
    rate, time = Metric.in_unit("value", "ops/s"), Metric("wall", "s")
    old, new, times = (
        measurements(*(start_up(name, "", [1.0 * k, 1.1 * k], metric=metric) for name, metric in metrics))
        for k, metrics in (
            (1.0, (("a", rate), ("b", time))),
            (2.0, (("a", rate), ("b", time))),
            (2.0, (("a", time), ("b", time))),
        )
    )

    assert judge_change(old, new).geometric_mean is None
    assert judge_change(times, times).geometric_mean == pytest.approx(1.0)
