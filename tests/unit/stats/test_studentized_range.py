"""The distribution of the studentized range, against SciPy's and what is known in closed form."""

import numpy as np
import pytest
from scipy import special
from scipy.stats import studentized_range as scipy_range

from sonde.base.errors import InputError
from sonde.stats.studentized_range import quantile, tail


@pytest.mark.parametrize("groups", [2, 3, 10, 40])
@pytest.mark.parametrize("degrees_of_freedom", [1.0, 2.5, 12.0, 300.0, np.inf])
def test_tails_are_those_of_scipy(groups: int, degrees_of_freedom: float) -> None:
    values = np.array([0.5, 3.0, 6.0])

    found = tail(values, groups, degrees_of_freedom)

    assert found == pytest.approx(scipy_range.sf(values, groups, degrees_of_freedom), rel=1e-9, abs=2e-9)


@pytest.mark.parametrize("degrees_of_freedom", [1.0, 1.3, 2.0, 5.0, 17.3, 100.0, 1e4, 1e6])
def test_two_groups_are_student_s_t_far_into_the_tail(degrees_of_freedom: float) -> None:
    values = np.array([1e-3, 0.1, 1.0, 5.0, 20.0, 30.0])

    found = tail(values, 2, degrees_of_freedom)

    assert found == pytest.approx(2.0 * special.stdtr(degrees_of_freedom, -values / np.sqrt(2.0)), rel=1e-9)


def test_a_known_deviation_of_two_groups_is_a_normal_difference() -> None:
    assert tail([1.0, 10.0], 2, np.inf) == pytest.approx(2.0 * special.ndtr(np.array([-1.0, -10.0]) / np.sqrt(2.0)))


def test_quantiles_are_those_of_published_tables() -> None:
    # Harter, Annals of Mathematical Statistics 31, 1960: upper 5 % and 1 % points.
    assert quantile(0.95, 3, 10.0) == pytest.approx(3.877, abs=6e-4)
    assert quantile(0.99, 3, 10.0) == pytest.approx(5.270, abs=6e-4)
    assert quantile(0.95, 10, 20.0) == pytest.approx(5.008, abs=6e-4)


@pytest.mark.parametrize(
    ("probability", "groups", "freedom"), [(0.95, 3, 20.0), (0.5, 7, 3.3), (0.999, 2, 1.0), (0.95, 900, 1e5)]
)
def test_a_quantile_has_its_probability_beyond_it(probability: float, groups: int, freedom: float) -> None:
    value = quantile(probability, groups, freedom)

    assert float(tail([value], groups, freedom)[0]) == pytest.approx(1.0 - probability, rel=1e-9)


def test_a_quantile_far_out_of_many_groups_is_found() -> None:
    value = quantile(1.0 - 1e-10, 1000, 1e5)

    assert float(tail([value], 1000, 1e5)[0]) == pytest.approx(1e-10, rel=1e-5)


def test_a_negative_range_is_exceeded_for_certain() -> None:
    assert tail([-1.0, 0.0], 4, 3.0).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("groups", "freedom"), [(1, 5.0), (3, 0.5), (3, float("nan"))])
def test_what_has_no_range_is_refused(groups: int, freedom: float) -> None:
    with pytest.raises(InputError):
        tail([1.0], groups, freedom)


@pytest.mark.parametrize("probability", [0.0, 1.0, float("nan")])
def test_a_quantile_of_no_probability_is_refused(probability: float) -> None:
    with pytest.raises(InputError) as caught:
        quantile(probability, 3, 5.0)

    assert caught.value.slug == "bad-level"
