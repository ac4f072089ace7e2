"""One-way analysis of variance, against R's published examples, SciPy and statsmodels."""

import numpy as np
import pytest
from scipy.stats import f_oneway
from statsmodels.stats.oneway import anova_oneway

from r_examples import INSECT_SPRAYS, PLANT_GROWTH
from sonde.base.errors import InputError
from sonde.stats.analysis_of_variance import one_way


def test_plants_are_as_in_r() -> None:
    groups, residual = one_way(list(PLANT_GROWTH.values())).rows

    assert groups.degrees_of_freedom == 2 and residual.degrees_of_freedom == 27
    assert groups.sum_of_squares == pytest.approx(3.76634, rel=1e-5)
    assert residual.sum_of_squares == pytest.approx(10.49209, rel=1e-5)
    assert groups.f == pytest.approx(4.8461, rel=1e-4) and groups.p_value == pytest.approx(0.01591, rel=1e-3)


def test_insects_with_unequal_variances_are_as_in_r() -> None:
    groups, residual = one_way(list(INSECT_SPRAYS.values()), equal_variances=False).rows

    assert groups.f == pytest.approx(36.0654, rel=1e-5)
    assert residual.degrees_of_freedom == pytest.approx(30.043, rel=1e-4)
    assert groups.p_value == pytest.approx(7.999e-12, rel=1e-3)


def test_welch_s_test_splits_no_squares() -> None:
    table = one_way(list(INSECT_SPRAYS.values()), equal_variances=False)

    assert [(row.sum_of_squares, row.mean_square) for row in table.rows] == [(None, None), (None, None)]
    usual = one_way(list(INSECT_SPRAYS.values()))
    assert (table.within, table.between) == (usual.within, usual.between)


def test_mean_squares_are_sums_by_degrees_of_freedom_and_f_is_their_ratio() -> None:
    groups, residual = one_way(list(INSECT_SPRAYS.values())).rows
    for row in (groups, residual):
        assert row.sum_of_squares is not None
        assert row.mean_square == pytest.approx(row.sum_of_squares / row.degrees_of_freedom, rel=1e-12)
    assert groups.mean_square is not None and residual.mean_square is not None
    assert groups.f == pytest.approx(groups.mean_square / residual.mean_square, rel=1e-12)


@pytest.mark.parametrize("sizes", [(2, 2), (5, 9, 30), (12, 3, 4, 4, 50)])
def test_groups_of_any_sizes_are_as_in_scipy_and_statsmodels(sizes: tuple[int, ...]) -> None:
    random = np.random.default_rng(sum(sizes))
    groups = [random.normal(100.0 + index, 1.0 + index, size) for index, size in enumerate(sizes)]

    row = one_way(groups).row("groups")
    oracle = f_oneway(*groups)
    assert row.f == pytest.approx(oracle.statistic, rel=1e-9) and row.p_value == pytest.approx(oracle.pvalue, rel=1e-9)

    table = one_way(groups, equal_variances=False)
    welch = anova_oneway(groups, use_var="unequal", welch_correction=True)
    assert table.row("groups").f == pytest.approx(welch.statistic, rel=1e-9)
    assert table.row("groups").p_value == pytest.approx(welch.pvalue, rel=1e-9)
    assert table.row("residual").degrees_of_freedom == pytest.approx(welch.df[1], rel=1e-9)


def test_variation_is_told_within_and_between_groups() -> None:
    random = np.random.default_rng(8)
    # Invocations vary by 3 % of the mean, iterations in each by 1 %.
    groups = [random.normal(random.normal(50.0, 1.5), 0.5, 40) for _ in range(400)]

    table = one_way(groups)

    assert table.within == pytest.approx(0.01, rel=0.02) and table.between == pytest.approx(0.03, rel=0.12)


def test_groups_that_differ_less_than_chance_have_no_variation_between_them() -> None:
    assert one_way([[1.0, 3.0], [1.0, 3.0]]).between == 0.0


def test_assumptions_are_told() -> None:
    table = one_way(list(INSECT_SPRAYS.values()))

    assert [one.name for one in table.assumptions] == ["normality", "independence", "equal variances"]
    assert table.assumptions[2].failed and "Brown-Forsythe" in table.assumptions[2].finding


@pytest.mark.parametrize(
    ("groups", "slug"),
    [
        ([[1.0, 2.0]], "no-values"),
        ([[1.0, 2.0], [1.0]], "no-values"),
        ([[1.0, 2.0], [1.0, float("nan")]], "not-finite"),
        ([[1.0, 1.0], [2.0, 2.0]], "no-variation"),
    ],
)
def test_what_cannot_be_compared_is_refused(groups: list[list[float]], slug: str) -> None:
    with pytest.raises(InputError) as caught:
        one_way(groups)

    assert caught.value.slug == slug


def test_a_constant_group_has_no_weight_in_welch_s_test() -> None:
    with pytest.raises(InputError, match="all 3 values of group 1 are the same"):
        one_way([[1.0, 2.0], [2.0, 2.0, 2.0]], equal_variances=False)


def test_a_row_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="it has groups, residual"):
        one_way(list(PLANT_GROWTH.values())).row("treatment")
