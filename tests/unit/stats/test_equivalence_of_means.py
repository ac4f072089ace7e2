"""Equivalence as a verdict of its own."""

import numpy as np
import pytest

from sonde.base.errors import InputError
from sonde.stats.equivalence import equivalence_test
from sonde.stats.ratio_of_means import ratio_of_means, ratio_test


def test_it_is_the_less_certain_of_two_one_sided_tests() -> None:
    random = np.random.default_rng(1)
    numerator, denominator = random.normal(1.004, 0.01, 30), random.normal(1.0, 0.01, 30)

    test = equivalence_test(numerator, denominator, 0.02)

    above = ratio_test(numerator, denominator, 1.0 / 1.02, alternative="greater")
    below = ratio_test(numerator, denominator, 1.02, alternative="less")
    assert test.p_value == max(above.p_value, below.p_value) < 0.05
    assert test.hypothesis == "the means differ by 2 % or more"


@pytest.mark.parametrize("paired", [False, True])
def test_equivalence_is_the_interval_of_level_1_less_2_alpha_within_the_margin(paired: bool) -> None:
    random = np.random.default_rng(2)
    verdicts = set()
    for _ in range(150):
        numerator, denominator = random.normal(1.0, 0.02, 24), random.normal(1.0, 0.02, 24)
        equivalent = equivalence_test(numerator, denominator, paired=paired).p_value <= 0.05
        interval = ratio_of_means(numerator, denominator, 0.9, paired=paired).interval
        assert interval is not None
        assert equivalent == (interval.low >= 1.0 / 1.01 and interval.high <= 1.01)
        verdicts.add(equivalent)
    assert verdicts == {False, True}


def test_alternatives_that_differ_by_the_margin_are_seldom_called_equivalent() -> None:
    random, experiments = np.random.default_rng(3), 600
    first, second = 1.01 * random.normal(1.0, 0.01, (experiments, 30)), random.normal(1.0, 0.01, (experiments, 30))

    p_values = [equivalence_test(one, other).p_value for one, other in zip(first, second, strict=True)]

    # 0.05, and three standard errors; not all but never: there is power.
    assert 0.02 <= float(np.mean(np.array(p_values) <= 0.05)) <= 0.05 + 0.027


def test_too_few_values_are_no_evidence_of_equivalence() -> None:
    test = equivalence_test([1.0, 1.1], [1.0, 1.1])

    assert np.isnan(test.p_value) and "at least 20" in test.withheld


@pytest.mark.parametrize("margin", [0.0, -0.01, float("nan"), float("inf")])
def test_a_margin_that_is_none_is_refused(margin: float) -> None:
    with pytest.raises(InputError) as caught:
        equivalence_test([1.0, 1.1], [1.0, 1.1], margin)

    assert caught.value.slug == "bad-margin"
