"""What can be used as a sample, and what is said of what cannot."""

import numpy as np
import numpy.typing as npt
import pytest

from sonde.base.errors import InputError
from sonde.stats.samples import checked_level, checked_sample


def test_numbers_of_any_kind_become_float64() -> None:
    for values in ([1, 2, 3], (1.0, 2, 3), range(1, 4), np.array([1, 2, 3], dtype=np.int16)):
        sample = checked_sample(values)

        assert sample.dtype == np.float64 and sample.tolist() == [1.0, 2.0, 3.0]


def test_what_is_a_sample_already_is_not_copied() -> None:
    values = np.array([1.0, 2.0])

    assert checked_sample(values) is values


@pytest.mark.parametrize(
    ("values", "slug", "said"),
    [
        ([], "no-values", "0 values: at least 1 value must"),
        ([1.0, float("nan"), float("inf")], "not-finite", "value 1 of 3, 'nan'"),
        ([1.0, 2.0, float("-inf")], "not-finite", "value 2 of 3, '-inf'"),
        ([1e200, 1.0], "not-finite", "value 0 of 2, '1e+200': it is not a finite number, nor is its square"),
        ([[1.0, 2.0]], "not-a-sample", "shape (1, 2)"),
        (3.0, "not-a-sample", "shape ()"),
        (["fast"], "not-a-sample", "'['fast']'"),
    ],
)
def test_what_is_no_sample_is_refused_with_the_first_offender(values: npt.ArrayLike, slug: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_sample(values)

    assert caught.value.slug == slug and said in caught.value.message


def test_too_few_values_are_refused() -> None:
    with pytest.raises(InputError, match="a sample of 2 values: at least 3 values must be there"):
        checked_sample([1.0, 2.0], 3)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.5, float("nan")])
def test_levels_lie_between_0_and_1(level: float) -> None:
    with pytest.raises(InputError) as caught:
        checked_level(level)

    assert caught.value.slug == "bad-level" and f"'{level}'" in caught.value.message
