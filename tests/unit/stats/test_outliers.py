"""Outliers are found where they are, and stay in the sample."""

import numpy as np
import pytest

from sonde.stats.outliers import outliers


def test_fences_are_tukeys() -> None:
    # Quartiles 2 and 4, interquartile range 2: the fences are at -1 and 7, and at -4 and 10.
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert np.quantile([*values, 3.0, 3.0, 2.0, 4.0], (0.25, 0.75)).tolist() == [2.0, 4.0]

    found = outliers([*values, 3.0, 3.0, 2.0, 4.0])
    assert found.count == 0 and found.finding == "none of 9 values lies far from the others"

    far = outliers([1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0, 4.0, 8.0, 10.0, 10.5, -4.5, -2.0, 2.0, 4.0, 2.0, 4.0, 2.0, 4.0])
    assert far.severe == (10, 11) and far.mild == (8, 9, 12)
    assert far.finding == "5 of 19 values lie far from the others (2 severely so), 3 above"


def test_one_slow_process_is_said_to_be_slow() -> None:
    found = outliers([1.00, 1.01, 1.02, 1.01, 1.00, 3.0])

    assert found.severe == (5,) and found.far == (5,)
    assert found.finding == "1 of 6 values lies far from the others (severely so), above"


def test_where_most_values_are_the_same_others_are_far() -> None:
    found = outliers([1.0] * 20 + [1.5, 0.5])

    assert found.severe == (20, 21) and found.far == (20, 21)
    assert found.finding == "2 of 22 values lie far from the others (severely so), 1 above"


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0, 900.0], [0.1] * 9])
def test_few_or_constant_values_have_none(values: list[float]) -> None:
    found = outliers(values)

    assert found.count == 0 and not found.far and found.size == len(values)


def test_normal_samples_have_few() -> None:
    samples = np.random.default_rng(6).standard_normal((200, 100))
    found = [outliers(sample) for sample in samples]

    # 0.7 % of 20,000 values are expected beyond the inner fences, and 0.05 of them beyond the outer ones.
    assert 100 <= sum(one.count for one in found) <= 240 and sum(len(one.severe) for one in found) <= 3
