"""All pairs at once, against R's published example and SciPy."""

import numpy as np
import pytest
from scipy.stats import ttest_ind, tukey_hsd

from r_examples import PLANT_GROWTH
from sonde.base.errors import InputError
from sonde.stats.all_pairs import all_pairs


def test_plants_are_as_in_r() -> None:
    pairs = {(pair.first, pair.second): pair for pair in all_pairs(PLANT_GROWTH)}

    expected = {
        ("ctrl", "trt1"): (-0.371, -1.0622161, 0.3202161, 0.3908711),
        ("ctrl", "trt2"): (0.494, -0.1972161, 1.1852161, 0.1979960),
        ("trt1", "trt2"): (0.865, 0.1737839, 1.5562161, 0.0120064),
    }
    for names, numbers in expected.items():
        pair = pairs[names]
        assert pair.interval is not None
        found = (pair.difference, pair.interval.low, pair.interval.high, pair.p_value)
        assert found == pytest.approx(numbers, abs=6e-8)


@pytest.mark.parametrize("equal_variances", [True, False])
def test_unequal_groups_are_as_in_scipy(equal_variances: bool) -> None:
    random = np.random.default_rng(6)
    groups = {
        name: random.normal(mean, 1.0 + mean, size) for name, mean, size in (("a", 1, 8), ("b", 2, 30), ("c", 5, 12))
    }
    oracle = tukey_hsd(*groups.values(), equal_var=equal_variances)
    bounds = oracle.confidence_interval(0.99)

    for pair in all_pairs(groups, 0.99, equal_variances=equal_variances):
        i, j = "abc".index(pair.first), "abc".index(pair.second)
        assert pair.interval is not None
        assert pair.difference == pytest.approx(oracle.statistic[j, i], rel=1e-12)
        assert pair.p_value == pytest.approx(oracle.pvalue[j, i], rel=1e-9)
        # SciPy finds the quantile to about 1e-10 only.
        assert (pair.interval.low, pair.interval.high) == pytest.approx((bounds.low[j, i], bounds.high[j, i]), rel=1e-8)


def test_with_unequal_variances_each_pair_has_degrees_of_freedom_of_its_own() -> None:
    random = np.random.default_rng(7)
    groups = {"a": random.normal(0, 1, 8), "b": random.normal(0, 5, 30), "c": random.normal(0, 9, 12)}

    pairs = all_pairs(groups, equal_variances=False)

    for pair in pairs:
        welch = ttest_ind(groups[pair.second], groups[pair.first], equal_var=False)
        assert pair.degrees_of_freedom == pytest.approx(welch.df, rel=1e-12)
    # A heading for all of them can show it.
    assert {pair.method for pair in pairs} == {"Games-Howell interval, simultaneous for all pairs of 3 groups"}
    assert {pair.degrees_of_freedom for pair in all_pairs(groups)} == {47.0}


def test_the_interval_of_a_pair_excludes_0_exactly_where_its_p_value_is_small() -> None:
    random = np.random.default_rng(1)
    for shift in np.linspace(0.0, 3.0, 12):
        for pair in all_pairs(
            {"a": random.normal(0, 1, 9), "b": random.normal(shift, 1, 9), "c": random.normal(0, 1, 9)}
        ):
            assert pair.interval is not None and (0.0 in pair.interval) == (pair.p_value > 0.05)


def test_groups_that_do_not_vary_have_no_interval() -> None:
    [pair] = all_pairs({"a": [1.0, 1.0], "b": [2.0, 2.0]})

    assert pair.interval is None and np.isnan(pair.p_value) and pair.difference == 1.0
    assert pair.withheld == "the values do not vary"


@pytest.mark.parametrize("groups", [{}, {"a": [1.0, 2.0]}, {"a": [1.0, 2.0], "b": [1.0]}])
def test_what_has_no_pairs_is_refused(groups: dict[str, list[float]]) -> None:
    with pytest.raises(InputError) as caught:
        all_pairs(groups)

    assert caught.value.slug == "no-values"


def test_all_intervals_hold_together_as_often_as_stated() -> None:
    random = np.random.default_rng(12)
    experiments, misses = 200, 0
    for _ in range(experiments):
        pairs = all_pairs({name: random.normal(5.0, 1.0, 8) for name in "abc"})
        misses += any(pair.p_value <= 0.05 for pair in pairs)

    # Three standard errors of 200 experiments are 0.046.
    assert 0 < misses / experiments <= 0.05 + 0.046
