"""The interval that sonde prints for a mean covers it for data of every kind, and is made as it says."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from scipy.optimize import brentq

from sonde.stats.dependent_mean import dependent_uncertainty, terms_for
from sonde.stats.mean_estimate import expected_half_width, mean_estimate
from sonde.stats.mean_interval import mean_interval
from sonde.stats.skewed_mean import cluster_correction, clustered_share, unskewed_ends

Values = npt.NDArray[np.float64]
EXPERIMENTS = 2000
"""Three standard errors are 1.5 percentage points. benches/bench_coverage.py makes 10,000 of every kind."""


def correlated(random: np.random.Generator, n: int, carried: float) -> Values:
    fresh = random.standard_normal((EXPERIMENTS, n))
    found = fresh.copy()
    for at in range(1, n):
        found[:, at] = carried * found[:, at - 1] + math.sqrt(1 - carried**2) * fresh[:, at]
    return found


def clusters(random: np.random.Generator, n: int, share: float) -> Values:
    return random.standard_normal((EXPERIMENTS, n)) + 10.0 * (random.random((EXPERIMENTS, n)) < share)


def covered(samples: Values, truth: float, *, ordered: bool = True) -> float:
    intervals = [mean_estimate(sample, ordered=ordered, check=False).interval for sample in samples]
    assert None not in intervals
    return sum(interval is not None and truth in interval for interval in intervals) / len(intervals)


@pytest.mark.parametrize(
    ("name", "n", "low", "high"),
    [
        ("normal", 5, 0.94, 0.96),
        ("normal", 30, 0.94, 0.96),
        ("log-normal 0.5", 10, 0.94, 0.96),
        ("log-normal 1", 30, 0.94, 0.96),
        ("exponential", 20, 0.94, 0.96),
        ("autocorrelated 0.2", 10, 0.94, 0.96),
        ("autocorrelated 0.5", 30, 0.935, 0.96),
        ("autocorrelated 0.7", 100, 0.935, 0.96),
        ("half and half", 20, 0.94, 0.96),
        ("one in five", 30, 0.94, 0.97),
        ("one in ten", 100, 0.94, 0.97),
    ],
)
def test_it_covers_the_mean_as_often_as_it_says(name: str, n: int, low: float, high: float) -> None:
    random = np.random.default_rng([n, len(name)])
    samples, truth = {
        "normal": lambda: (random.standard_normal((EXPERIMENTS, n)), 0.0),
        "log-normal 0.5": lambda: (random.lognormal(0.0, 0.5, (EXPERIMENTS, n)), math.exp(0.125)),
        "log-normal 1": lambda: (random.lognormal(0.0, 1.0, (EXPERIMENTS, n)), math.exp(0.5)),
        "exponential": lambda: (random.exponential(1.0, (EXPERIMENTS, n)), 1.0),
        "autocorrelated 0.2": lambda: (correlated(random, n, 0.2), 0.0),
        "autocorrelated 0.5": lambda: (correlated(random, n, 0.5), 0.0),
        "autocorrelated 0.7": lambda: (correlated(random, n, 0.7), 0.0),
        "half and half": lambda: (clusters(random, n, 0.5), 5.0),
        "one in five": lambda: (clusters(random, n, 0.2), 2.0),
        "one in ten": lambda: (clusters(random, n, 0.1), 1.0),
    }[name]()

    share = covered(samples, truth)

    allowed = 3 * math.sqrt(0.95 * 0.05 / EXPERIMENTS)
    assert low - allowed <= share <= high + allowed


@pytest.mark.parametrize(("n", "times"), [(10, 1.45), (15, 1.3), (20, 1.25)])
def test_few_normal_values_have_an_interval_not_much_wider_than_students(n: int, times: float) -> None:
    samples = np.random.default_rng(n).standard_normal((600, n))

    widths, students = (
        np.median([interval.half_width for one in samples if (interval := method(one).interval) is not None])
        for method in (mean_estimate, mean_interval)
    )

    assert widths < times * students  # 1.3, 1.2 and 1.2


def test_few_values_that_look_dependent_by_chance_do_not_make_the_interval_useless() -> None:
    samples = np.random.default_rng(6).standard_normal((1000, 6))
    pairs = [(mean_estimate(one).interval, mean_interval(one).interval) for one in samples]
    times = [one.half_width / usual.half_width for one, usual in pairs if one is not None and usual is not None]

    assert np.quantile(times, 0.99) < 10.0  # 7; with two terms, and any correlation, it was 17


def test_without_order_independent_values_are_covered() -> None:
    random = np.random.default_rng(1)

    assert 0.93 <= covered(random.standard_normal((EXPERIMENTS, 10)), 0.0, ordered=False) <= 0.97
    assert 0.93 <= covered(random.exponential(1.0, (EXPERIMENTS, 50)), 1.0, ordered=False) <= 0.97


def test_the_textbooks_interval_does_not_hold_where_this_one_does() -> None:
    samples = correlated(np.random.default_rng(2), 30, 0.5)

    textbook = [mean_interval(sample).interval for sample in samples]

    assert np.mean([interval is not None and 0.0 in interval for interval in textbook]) < 0.8
    assert covered(samples, 0.0) > 0.92


@pytest.mark.parametrize("n", [31, 100, 1500])
def test_for_independent_normal_values_the_statistic_is_students(n: int) -> None:
    samples = np.random.default_rng(n).standard_normal((400, n))

    found = [sample.mean() / dependent_uncertainty(sample).standard_error for sample in samples]

    # Where neighbours happen to be alike, the error is made larger: by little, from 30 values on.
    assert stats.kstest(found, stats.t(terms_for(n)).cdf).pvalue > 0.01


def test_with_all_terms_the_cosines_give_the_usual_standard_error() -> None:
    # Orthonormal contrasts: n - 1 of them have the sum of squares of the sample. Five values have two by the rule.
    sample = np.array([3.0, 1.0, 4.0])

    found = dependent_uncertainty(sample)

    assert found.terms == 2 and found.standard_error == pytest.approx(stats.sem(sample))


def test_strong_dependence_has_fewer_terms_and_a_larger_error() -> None:
    samples = correlated(np.random.default_rng(5), 100, 0.9)[:100]

    found = [dependent_uncertainty(sample) for sample in samples]

    assert max(one.terms for one in found) <= terms_for(100)
    assert np.median([one.terms for one in found]) < terms_for(100) / 2
    assert np.median([one.standard_error for one in found]) > 2 * np.median(stats.sem(samples, axis=1))


@pytest.mark.parametrize("skewness", [-2.0, -0.1, 1e-4, 0.5, 3.0])
@pytest.mark.parametrize("quantile", [1.96, 4.3])
def test_halls_transformation_is_inverted(quantile: float, skewness: float) -> None:
    n, bend = 20, skewness / (3 * math.sqrt(20))

    low, high = unskewed_ends(quantile, skewness, n)

    for end, goal in ((low, -quantile), (high, quantile)):
        root = brentq(
            lambda t, goal=goal: t + bend * t**2 + bend**2 * t**3 / 3 + bend / 2 - goal, -200, 200, xtol=1e-12
        )
        assert end == pytest.approx(root, rel=1e-6)


def test_slow_processes_stretch_the_interval_upwards() -> None:
    interval = mean_estimate(np.random.default_rng(7).exponential(1.0, 30)).interval
    assert interval is not None
    centre = np.random.default_rng(7).exponential(1.0, 30).mean()

    assert interval.high - centre > 1.3 * (centre - interval.low)


def test_only_clusters_are_corrected_for() -> None:
    random = np.random.default_rng(3)
    two = np.repeat([0.0, 1.0], 20) + 0.01 * random.standard_normal(40)
    shapes = {name: (stats.skew(values), stats.kurtosis(values)) for name, values in {
        "two": two, "normal": random.standard_normal(40), "exponential": random.exponential(1.0, 40)
    }.items()}  # fmt: skip

    assert clustered_share(*shapes["two"], 40) == 1.0 and cluster_correction(*shapes["two"], 40, 0.95) < 0.95
    for name in ("normal", "exponential"):
        assert cluster_correction(*shapes[name], 40, 0.95) == 1.0


@pytest.mark.parametrize(
    ("values", "ordered", "why"),
    [
        ([2.5], True, "a single value says nothing"),
        ([0.1] * 40, True, "all 40 values are the same"),
        ([1.0, 2.0, 3.0, 5.0], True, "4 values are too few to allow for the shape of their distribution: at least 5"),
        ([1.0, 2.0, 3.0, 5.0, 4.0, 3.0], False, "at least 10 are needed"),
        (np.arange(9.0) * 1e-300, True, "no more than rounding does"),
    ],
)
def test_what_cannot_be_said_is_withheld_with_the_reason(values: npt.ArrayLike, ordered: bool, why: str) -> None:
    estimate = mean_estimate(values, ordered=ordered)

    assert estimate.interval is None and why in estimate.withheld
    assert estimate.value == pytest.approx(np.mean(np.asarray(values))) and estimate.sizes == np.shape(values)
    assert expected_half_width(values, ordered=ordered) is None


def test_the_method_and_what_was_checked_are_said() -> None:
    sample = np.random.default_rng(11).normal(10.0, 1.0, 30)

    estimate, unordered = mean_estimate(sample), mean_estimate(sample, ordered=False)

    assert estimate.method == (
        "cosine series of 6 terms, Student t, 6 degrees of freedom, skewness removed by Hall's transformation"
    )
    assert unordered.method == "Student t, 29 degrees of freedom, skewness removed by Hall's transformation"
    assert [one.name for one in estimate.assumptions] == ["independence", "every mode seen"]
    assert [one.name for one in unordered.assumptions] == ["every mode seen"]
    assert unordered.assumptions[0].holds is None
    assert unordered.assumptions[0].finding == "a mode of 0.095 of all runs stays unseen in 30 with probability 0.05"


def test_few_values_say_that_they_cannot_show_their_shape() -> None:
    few, enough = mean_estimate([1.0, 1.1, 1.2, 1.3, 1.1, 1.2]), mean_estimate([1.0, 1.1, 1.2, 1.3, 1.15] * 2)

    assert [one.name for one in few.assumptions] == ["independence", "moderate skewness", "every mode seen"]
    assert all(one.holds is None for one in few.assumptions)
    assert [one.name for one in enough.assumptions] == ["independence", "every mode seen"]


@pytest.mark.parametrize("ordered", [True, False])
def test_the_expected_half_width_is_the_mean_of_those_found(ordered: bool) -> None:
    samples = np.random.default_rng(4).standard_normal((500, 40))
    intervals = [mean_estimate(sample, ordered=ordered, check=False).interval for sample in samples]
    found = [interval.half_width for interval in intervals if interval is not None]

    expected = [expected_half_width(sample, ordered=ordered) or 0.0 for sample in samples]

    assert np.mean(expected) == pytest.approx(np.mean(found), rel=0.1)
    assert np.std(expected) / np.mean(expected) < 0.2


def test_to_stop_at_the_expected_width_keeps_the_coverage_that_stopping_at_the_printed_one_loses() -> None:
    random = np.random.default_rng(6)
    looks = (10, 14, 20, 28, 40, 56, 80)
    covered_so = {"printed": 0, "expected": 0}
    for sample in random.standard_normal((400, looks[-1])):
        for rule in covered_so:
            for n in looks:
                interval = mean_estimate(sample[:n], check=False).interval
                assert interval is not None
                if (interval.half_width if rule == "printed" else expected_half_width(sample[:n]) or 0.0) < 0.4:
                    break
            covered_so[rule] += interval is not None and 0.0 in interval

    # 87.5 % and 94 %, within three standard errors.
    assert covered_so["printed"] / 400 < 0.92 and covered_so["expected"] / 400 > 0.905
