"""Ratios of means: against other ways to compute them, on data that cannot support them, and by simulation."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special
from scipy.stats import ttest_1samp, ttest_ind

from sonde.base.errors import InputError, UsageError
from sonde.stats.equivalence import equivalence_test
from sonde.stats.ratio_of_means import Method, compare_means, ratio_of_means, ratio_test

Values = npt.NDArray[np.float64]


def test_fieller_s_interval_of_pairs_is_where_students_test_of_differences_does_not_reject() -> None:
    random = np.random.default_rng(1)
    denominator = random.normal(10.0, 1.0, 25)
    numerator = 1.2 * denominator + random.normal(0.0, 0.5, 25)

    interval = ratio_of_means(numerator, denominator, 0.9, paired=True, method="fieller").interval

    assert interval is not None
    for end in (interval.low, interval.high):
        assert ttest_1samp(numerator - end * denominator, 0.0).pvalue == pytest.approx(0.1, rel=1e-9)


@pytest.mark.parametrize(("n", "m", "spread"), [(3, 4, 1.0), (12, 40, 0.1), (30, 30, 3.0)])
def test_fieller_s_interval_is_where_welch_s_test_does_not_reject(n: int, m: int, spread: float) -> None:
    random = np.random.default_rng(n)
    numerator, denominator = random.normal(20.0, spread, n), random.normal(16.0, 0.5, m)

    interval = ratio_of_means(numerator, denominator, method="fieller").interval

    assert interval is not None
    for end in (interval.low, interval.high):
        assert ttest_ind(numerator, end * denominator, equal_var=False).pvalue == pytest.approx(0.05, rel=1e-8)


def test_samples_looked_at_once_answer_as_if_each_question_were_asked_alone() -> None:
    random = np.random.default_rng(2)
    numerator, denominator = random.normal(10.1, 0.2, 12), random.normal(10.0, 0.2, 15)

    comparison = compare_means(numerator, denominator)

    assert comparison.estimate(0.9) == ratio_of_means(numerator, denominator, 0.9)
    assert comparison.test(1.02, "less") == ratio_test(numerator, denominator, 1.02, alternative="less")
    assert comparison.equivalence(0.05) == equivalence_test(numerator, denominator, 0.05)


def test_the_bootstrap_agrees_with_fieller_on_normal_data() -> None:
    random = np.random.default_rng(4)
    numerator, denominator = random.normal(11.0, 0.2, 60), random.normal(10.0, 0.2, 60)

    for paired in (False, True):
        intervals = [
            ratio_of_means(numerator, denominator, paired=paired, method=method).interval
            for method in ("bootstrap", "fieller", "auto")
        ]
        assert intervals[0] is not None and intervals[1] is not None and intervals[2] is not None
        assert intervals[0].low == pytest.approx(intervals[1].low, abs=0.001)
        assert intervals[0].high == pytest.approx(intervals[1].high, abs=0.001)
        assert intervals[2].half_width == pytest.approx(intervals[1].half_width, rel=0.25)


def test_the_same_data_give_the_same_interval() -> None:
    random = np.random.default_rng(4)
    numerator, denominator = random.normal(11.0, 0.2, 12), random.normal(10.0, 0.2, 12)

    for method in ("auto", "bootstrap"):
        first, second = (ratio_of_means(numerator, denominator, method=method) for _ in range(2))
        assert first == second


@pytest.mark.parametrize(
    ("numerator", "denominator", "paired", "said"),
    [
        ([1.0], [2.0, 3.0, 4.0, 5.0, 6.0], False, "one value"),
        ([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0, 6.0], False, "at least 5 are needed"),
        ([1.0, 2.0, 3.0, 4.0, 5.0], list(range(1, 17)), False, "5 values against 16"),
        ([1.0] * 6, [2.0] * 6, False, "the same"),
        ([1.0, 2.0, 3.0, 4.0, 5.5], [2.0, 4.0, 6.0, 8.0, 11.0], True, "the same ratio"),
        ([-1.0, 2.0, 0.5, 1.0, 3.0], [-2.0, 2.0, -1.0, 1.5, 0.4], False, "cannot be told from 0"),
        ([1.0, 2.0, 0.5, 1.0, 3.0], [-2.0, 2.0, -1.0, 1.0, 0.0], False, "a mean is 0"),
    ],
)
def test_what_cannot_support_an_interval_has_none_and_says_why(
    numerator: list[float], denominator: list[float], paired: bool, said: str
) -> None:
    estimate = ratio_of_means(numerator, denominator, paired=paired, independent=True)

    assert estimate.interval is None and said in estimate.withheld
    if said != "cannot be told from 0":
        test = ratio_test(numerator, denominator, paired=paired, independent=True)
        assert np.isnan(test.p_value) and said in test.withheld


def test_no_p_value_is_below_what_dealing_so_few_values_allows() -> None:
    slow, fast = [1.1, 1.101, 1.102, 1.103, 1.104, 1.105], [1.0, 1.001, 1.0, 1.001, 1.0, 1.001]

    two = compare_means(slow[:5], fast[:5], independent=True)
    rounds = compare_means(slow, fast, paired=True)

    assert two.test().p_value == pytest.approx(2.0 / 252.0)
    assert two.test(1.0, "greater").p_value == pytest.approx(1.0 / 252.0) == two.equivalence(0.2).p_value
    assert rounds.test().p_value == 2.0**-5
    assert two.estimate(0.95).interval is not None and rounds.estimate(0.95).interval is not None


def test_five_rounds_cannot_have_an_interval_of_95_percent() -> None:
    comparison = compare_means([1.1, 1.12, 1.1, 1.11, 1.13], [1.0, 1.0, 1.01, 1.0, 1.02], paired=True)

    assert "5 rounds are too few for an interval of 95 %" in comparison.estimate().withheld
    assert comparison.estimate(0.9).interval is not None and comparison.test().p_value == 2.0**-4


def test_calibration_does_not_stop_at_a_number_of_values() -> None:
    random = np.random.default_rng(7)
    few, many = 1.0 + 0.05 * random.standard_exponential(10), 1.0 + 0.05 * random.standard_exponential(2000)

    widths = []
    for size in (490, 491):
        estimate = ratio_of_means(few, many[:size], independent=True)
        assert estimate.interval is not None and "by permutation" in estimate.method
        widths.append(estimate.interval.half_width)
    assert widths[1] == pytest.approx(widths[0], rel=0.03)
    assert "by permutation" in ratio_of_means(few, many, independent=True).method


@pytest.mark.parametrize("power", [-1020, -530, 600, 980])
def test_values_of_any_size_have_the_interval_that_they_have_in_another_unit(power: int) -> None:
    numerator, denominator = np.array([1.1, 1.2, 1.1, 1.25, 1.15, 1.2]), np.array([1.0, 1.0, 1.1, 1.05, 1.0, 1.1])

    found = ratio_of_means(np.ldexp(numerator, power), np.ldexp(denominator, power), independent=True)

    interval, usual = found.interval, ratio_of_means(numerator, denominator, independent=True).interval
    assert interval is not None and usual is not None
    assert (interval.low, interval.high) == pytest.approx((usual.low, usual.high), rel=1e-9)


def test_values_that_drift_have_no_interval_but_their_rounds_do() -> None:
    random = np.random.default_rng(3)
    drift = 1.0 + 0.3 * np.linspace(0.0, 1.0, 30)
    numerator, denominator = (mean * drift * (1.0 + 0.01 * random.standard_normal(30)) for mean in (1.02, 1.0))

    apart, rounds = (ratio_of_means(numerator, denominator, paired=paired) for paired in (False, True))

    assert apart.interval is None and "drift" in apart.withheld
    assert rounds.interval is not None and rounds.interval.half_width < 0.01 and 1.02 in rounds.interval


def test_the_method_tells_what_was_allowed_for() -> None:
    random = np.random.default_rng(3)
    noise = random.standard_normal((2, 41))
    numerator, denominator = (10.0 + 0.1 * (row[1:] + row[:-1]) for row in noise)

    correlated = ratio_of_means(numerator, denominator)
    few = ratio_of_means(numerator[:12:2], denominator[:12:2], independent=True)

    assert "allowing for autocorrelation" in correlated.method
    assumed = {"independence", "normality", "equal relative spread", "every mode seen"}
    assert {one.name for one in correlated.assumptions} == assumed
    assert [one.holds for one in correlated.assumptions if one.name == "independence"] == [False]
    assert "by permutation" in few.method
    assert [one.holds for one in few.assumptions if one.name == "independence"] == [None]


@pytest.mark.parametrize(
    ("numerator", "denominator", "paired", "slug"),
    [
        ([], [1.0], False, "no-values"),
        ([1.0, float("nan")], [1.0, 2.0], False, "not-finite"),
        ([1.0, 2.0], [1.0], True, "not-pairs"),
    ],
)
def test_what_is_no_sample_is_refused(
    numerator: list[float], denominator: list[float], paired: bool, slug: str
) -> None:
    with pytest.raises(InputError) as caught:
        ratio_of_means(numerator, denominator, paired=paired)

    assert caught.value.slug == slug


def test_questions_that_make_no_sense_are_refused() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0]

    with pytest.raises(InputError, match=r"level '1\.5'"):
        ratio_of_means(values, values, 1.5)
    with pytest.raises(InputError, match="ratio is 'nan'"):
        ratio_test(values, values, float("nan"))
    with pytest.raises(UsageError, match="auto, fieller, bootstrap"):
        ratio_of_means(values, values, method="delta")  # type: ignore[arg-type]


def exponential(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    """Skewed noise with mean 0 and standard deviation 1."""
    return random.standard_exponential(shape) - 1.0


def two_modes(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    """The same from two modes, a fifth of the values in the upper one."""
    return (random.standard_normal(shape) + 6.0 * (random.random(shape) < 0.2) - 1.2) / 2.6


def normal(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    """Normal noise."""
    return random.standard_normal(shape)


@pytest.mark.parametrize(
    ("noise", "sizes", "method"),
    [
        (normal, (30, 30), "auto"),
        (normal, (8, 8), "auto"),
        (exponential, (10, 10), "auto"),
        (exponential, (10, 30), "auto"),
        (two_modes, (20, 20), "auto"),
    ],
)
def test_intervals_contain_the_truth_as_often_as_stated(noise: object, sizes: tuple[int, int], method: Method) -> None:
    assert callable(noise)
    random, experiments = np.random.default_rng(sum(sizes)), 700
    numerators = 1.05 * (1.0 + 0.05 * noise(random, (experiments, sizes[0])))
    denominators = 1.0 + 0.05 * noise(random, (experiments, sizes[1]))

    intervals = [
        ratio_of_means(one, other, method=method, independent=True).interval
        for one, other in zip(numerators, denominators, strict=True)
    ]
    printed = [interval for interval in intervals if interval is not None]
    covered = sum(1.05 in interval for interval in printed) / len(printed)

    # 94 to 96 %, and three standard errors (0.8 % each) of 700 experiments; benches/ has the precise figures.
    assert 0.94 - 0.024 <= covered <= 0.96 + 0.024
    assert len(printed) > 0.985 * experiments


@pytest.mark.parametrize("paired", [False, True])
def test_identical_alternatives_seldom_differ(paired: bool) -> None:
    random, experiments = np.random.default_rng(9), 600
    shared = 1.0 + (0.1 * random.standard_normal((experiments, 20)) if paired else 0.0)
    first, second = (shared * (1.0 + 0.02 * exponential(random, (experiments, 20))) for _ in range(2))

    p_values = np.array(
        [ratio_test(one, other, paired=paired).p_value for one, other in zip(first, second, strict=True)]
    )

    for alpha in (0.01, 0.05, 0.2):
        # The level, and three standard errors.
        assert float(np.mean(p_values <= alpha)) <= alpha + 3.0 * np.sqrt(alpha * (1.0 - alpha) / experiments)


def test_autocorrelated_values_are_covered_where_the_plain_interval_fails() -> None:
    random, experiments, n, carried = np.random.default_rng(10), 500, 40, 0.5
    noise = random.standard_normal((2, experiments, n))
    for at in range(1, n):
        noise[:, :, at] = carried * noise[:, :, at - 1] + np.sqrt(1.0 - carried**2) * noise[:, :, at]
    first, second = 1.0 + 0.02 * noise

    covered = {
        method: np.mean(
            [
                interval is not None and 1.0 in interval
                for one, other in zip(first, second, strict=True)
                for interval in [ratio_of_means(one, other, method=method).interval]
            ]
        )
        for method in ("auto", "fieller")
    }

    assert covered["auto"] > 0.92 and covered["fieller"] < 0.80


@pytest.mark.parametrize("n", [7, 12])
def test_rounds_of_random_order_keep_their_level_however_much_processes_resemble_their_predecessors(n: int) -> None:
    random, experiments, carried = np.random.default_rng(n), 700, 0.7
    slots = random.standard_normal((experiments, 2 * n))  # in the order in which processes ran
    for at in range(1, 2 * n):
        slots[:, at] = carried * slots[:, at - 1] + np.sqrt(1.0 - carried**2) * slots[:, at]
    swapped = random.random((experiments, n, 1)) < 0.5
    rounds = 1.0 + 0.02 * slots.reshape(experiments, n, 2)
    rounds = np.where(swapped, rounds[:, :, ::-1], rounds)

    alarms = np.mean([ratio_test(one[:, 1], one[:, 0], paired=True).p_value <= 0.05 for one in rounds])

    assert float(alarms) <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / experiments)


def test_equal_alternatives_apart_are_compared_only_from_where_dependence_shows() -> None:
    random, experiments, n, carried = np.random.default_rng(12), 400, 20, 0.5
    noise = random.standard_normal((2, experiments, n))
    for at in range(1, n):
        noise[:, :, at] = carried * noise[:, :, at - 1] + np.sqrt(1.0 - carried**2) * noise[:, :, at]

    tests = [ratio_test(*pair) for pair in zip(*(1.0 + 0.02 * noise), strict=True)]

    assert all(np.isnan(ratio_test(one[:19], other[:19]).p_value) for one, other in zip(*(1.0 + noise), strict=True))
    # 6 %; of fewer that are said to be independent, and are not, it would be 23 %.
    assert np.mean([test.p_value <= 0.05 for test in tests]) < 0.1


def test_a_ratio_of_what_is_not_negative_is_not_negative() -> None:
    random = np.random.default_rng(2)
    numerator, denominator = random.lognormal(0.0, 2.0, 6), 1.0 + 0.01 * random.random(6)

    positive = ratio_of_means(numerator, denominator, independent=True).interval
    signed = ratio_of_means(numerator - 0.9 * numerator.max(), denominator, independent=True).interval

    assert positive is not None and positive.low == 0.0
    assert signed is not None and signed.low < 0.0


def test_small_effects_are_seen_as_often_as_the_noncentral_t_says() -> None:
    random, experiments, n, cov, effect = np.random.default_rng(5), 500, 40, 0.03, 0.02
    first = (1.0 + effect) * (1.0 + cov * random.standard_normal((experiments, n)))
    second = 1.0 + cov * random.standard_normal((experiments, n))

    seen = np.mean([ratio_test(one, other).p_value <= 0.05 for one, other in zip(first, second, strict=True)])

    shift = effect / (cov * np.sqrt((1.0 + (1.0 + effect) ** 2) / n))
    freedom = 2.0 * n - 2.0
    power = 1.0 - special.nctdtr(freedom, shift, special.stdtrit(freedom, 0.975))
    # Allowing for autocorrelation costs a little.
    assert power - 0.09 <= seen <= power + 0.04
