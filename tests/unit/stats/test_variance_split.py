"""Variance between and within invocations."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

from sonde.base.errors import InputError
from sonde.stats.variance_components import split_variance

DYESTUFF = (  # yield of 6 batches of 5 preparations, in grams: Davies 1947; `Dyestuff` of R's package lme4
    (1545, 1440, 1440, 1520, 1580),
    (1540, 1555, 1490, 1560, 1495),
    (1595, 1550, 1605, 1510, 1560),
    (1445, 1440, 1595, 1465, 1545),
    (1595, 1630, 1515, 1635, 1625),
    (1520, 1455, 1450, 1480, 1445),
)


def drawn(sizes: list[int], between: float, seed: int) -> list[np.ndarray]:
    """Invocations with a variance of 1, of which a share is between them; mean 10."""
    rng = np.random.default_rng(seed)
    return [
        10.0 + np.sqrt(between) * rng.standard_normal() + np.sqrt(1 - between) * rng.standard_normal(size)
        for size in sizes
    ]


def test_dyestuff_comes_out_as_published() -> None:
    # Bates, lme4: lmer(Yield ~ 1 + (1 | Batch)) by REML: 1764 and 2451, intercept 1527.50, its standard error 19.38
    split = split_variance(DYESTUFF)
    assert split.between.value == pytest.approx(1764.05, rel=1e-9)
    assert split.within_variance == pytest.approx(2451.25, rel=1e-9)
    assert split.mean == pytest.approx(1527.5, rel=1e-9)
    assert split.standard_error == pytest.approx(19.3834, rel=1e-5)
    assert split.intraclass_correlation == pytest.approx(1764.05 / 4215.30, rel=1e-9)
    assert split.between_variation == pytest.approx(42.0006 / 1527.5, rel=1e-5)
    assert split.within_variation == pytest.approx(49.5101 / 1527.5, rel=1e-5)
    assert not split.is_truncated
    assert (split.invocations, split.iterations, split.iterations_per_invocation) == (6, 30, 5.0)


def test_balanced_data_agree_with_restricted_maximum_likelihood() -> None:
    data = drawn([8] * 12, 0.4, seed=3)
    split = split_variance(data)
    model = MixedLM(np.concatenate(data), np.ones(96), np.repeat(np.arange(12), 8)).fit(reml=True, gtol=1e-10)
    assert split.within_variance == pytest.approx(model.scale, rel=1e-5)  # its optimiser stops there
    assert split.between.value == pytest.approx(float(model.cov_re[0, 0]), rel=1e-4)
    assert split.standard_error == pytest.approx(float(model.bse_fe[0]), rel=1e-4)


def test_unbalanced_data_agree_with_mean_squares_worked_out_at_length() -> None:
    data = [[3.0, 5.0, 4.0], [7.0, 9.0], [6.0, 5.0, 8.0, 9.0, 7.0], [2.0]]
    grand, means = np.mean([value for row in data for value in row]), [np.mean(row) for row in data]
    between_squares = sum(len(row) * (mean - grand) ** 2 for row, mean in zip(data, means, strict=True)) / 3
    within_squares = sum((value - mean) ** 2 for row, mean in zip(data, means, strict=True) for value in row) / 7
    typical = (11 - (9 + 4 + 25 + 1) / 11) / 3
    split = split_variance(data)
    assert split.iterations_per_invocation == pytest.approx(typical, rel=1e-12)
    assert split.within_variance == pytest.approx(within_squares, rel=1e-12)
    assert split.between.value == pytest.approx((between_squares - within_squares) / typical, rel=1e-12)
    assert split.mean == pytest.approx(np.mean([4.0, 8.0, 7.0, 2.0]))
    assert split.standard_error == pytest.approx(stats.sem([4.0, 8.0, 7.0, 2.0]))


def test_a_negative_estimate_is_set_to_zero_and_said() -> None:
    split = split_variance([[1.0, 3.0], [3.0, 1.0], [1.0, 3.0]], assume_normal=True)
    assert split.is_truncated
    assert split.between.value == 0.0
    assert split.intraclass_correlation == 0.0
    assert split.between.interval is not None and split.between.interval.low == 0.0


def test_one_invocation_says_nothing_of_others() -> None:
    split = split_variance([[1.0, 2.0, 3.0]])
    assert split.standard_error is None
    assert np.isnan(split.between.value) and split.between.withheld
    assert split.within_variance == 1.0
    assert split.intraclass_correlation is None and split.between_variation is None


def test_single_iterations_cannot_be_told_from_invocations() -> None:
    split = split_variance([[1.0], [2.0], [3.0]])
    assert split.within_variance is None and split.within_variation is None
    assert "one iteration" in split.between.withheld
    assert split.standard_error == pytest.approx(1 / np.sqrt(3))


def test_values_that_never_vary_have_no_interval() -> None:
    split = split_variance([[2.0, 2.0], [2.0, 2.0]])
    assert split.between.value == 0.0 and split.between.interval is None
    assert split.intraclass_correlation is None


def test_without_normal_effects_there_is_no_interval() -> None:
    between = split_variance(DYESTUFF).between
    assert between.interval is None and "normal" in between.withheld
    assert split_variance(DYESTUFF, assume_normal=True).between.interval is not None


def test_equal_values_do_not_vary_by_what_rounding_leaves() -> None:
    # the mean of three times 0.1 is not 0.1
    split = split_variance([[0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]], assume_normal=True)
    assert (split.between.value, split.within_variance, split.standard_error) == (0.0, 0.0, 0.0)
    assert split.between.withheld == "all values are the same"
    apart = split_variance([[0.1, 0.1, 0.1], [0.3, 0.3, 0.3]])
    assert apart.within_variance == 0.0 and apart.intraclass_correlation == 1.0


def test_very_different_numbers_of_iterations_have_no_interval() -> None:
    split = split_variance(drawn([50, 50, 50, 5], 0.3, seed=1), assume_normal=True)
    assert split.between.interval is None
    assert split.between.withheld.endswith("(5 to 50)")
    assert split.between.value > 0.0


def test_a_mean_of_zero_has_no_coefficient_of_variation() -> None:
    assert split_variance([[-1.0, 1.0], [1.0, -1.0]]).within_variation is None


@pytest.mark.parametrize(
    ("data", "slug", "named"),
    [
        ([], "no-values", "no invocations"),
        ([[1.0], []], "no-values", "invocation 1"),
        ([[1.0], [2.0, float("nan")]], "not-finite", "invocation 1"),
        ([[1.0], [[2.0]]], "not-a-sample", "invocation 1"),
    ],
)
def test_what_is_no_sample_is_refused_by_invocation(data: list[list[float]], slug: str, named: str) -> None:
    with pytest.raises(InputError) as refused:
        split_variance(data)
    assert refused.value.slug == slug
    assert named in refused.value.message


@pytest.mark.parametrize("sizes", [[5] * 6, [3] * 20, [6, 8, 10] * 4])
@pytest.mark.parametrize("between", [0.05, 0.5, 0.95])
def test_the_interval_of_the_variance_between_covers_and_the_estimates_are_unbiased(
    sizes: list[int], between: float
) -> None:
    experiments = 600
    splits = [split_variance(drawn(sizes, between, seed), assume_normal=True) for seed in range(experiments)]
    intervals = [split.between.interval for split in splits]
    covered = np.mean([between in interval for interval in intervals if interval is not None])
    assert None not in intervals
    assert abs(covered - 0.95) < 3.5 * np.sqrt(0.95 * 0.05 / experiments) + 0.005
    within = np.array([split.within_variance for split in splits], dtype=float)
    assert abs(within.mean() - (1 - between)) < 4 * within.std() / np.sqrt(experiments)
    if between > 0.3:  # below, negative ones that were set to 0 pull it up
        estimates = np.array([split.between.value for split in splits])
        assert abs(estimates.mean() - between) < 4 * estimates.std() / np.sqrt(experiments)


def test_independent_iterations_are_rarely_suspected() -> None:
    found = [split_variance(drawn([5, 20, 9, 7], 0.3, seed)).independence for seed in range(1_000)]
    assert all(assumption.holds is not None or assumption.finding.endswith("cannot show it") for assumption in found)
    assert 1 <= sum(assumption.failed for assumption in found) <= 20  # 10 expected at most


def test_iterations_that_follow_one_another_are_seen() -> None:
    rng = np.random.default_rng(2)
    rows = [np.convolve(rng.standard_normal(32), [0.5, 0.5, 0.5], "valid") for _ in range(10)]
    assumption = split_variance(rows).independence
    assert assumption.failed
    assert "+0.6" in assumption.finding


def test_few_iterations_are_not_checked() -> None:
    assert split_variance([[1.0, 2.0], [2.0, 4.0]]).independence.holds is None
    assert split_variance([[1.0, 2.0]] * 40).independence.holds is None
