"""Adjusted p-values, against statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from sonde.base.errors import InputError, UsageError
from sonde.evidence import METHODS, Method, adjusted_p_values
from sonde.stats.false_discovery import adjusted

ORACLES = {"benjamini-hochberg": "fdr_bh", "benjamini-yekutieli": "fdr_by", "holm": "holm"}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [1, 2, 17, 400])
def test_they_are_those_of_statsmodels(method: Method, count: int) -> None:
    p_values = np.random.default_rng(count).random(count) ** 3
    p_values[: count // 4] = p_values[count // 4 : 2 * (count // 4)]  # ties

    found = adjusted(p_values, method)

    assert found == pytest.approx(multipletests(p_values, method=ORACLES[method])[1], rel=1e-12)


def test_the_published_example_has_its_four_rejections() -> None:
    # Benjamini and Hochberg 1995, section 3.2: fifteen tests, four rejected at 0.05, by Bonferroni three.
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p_values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]

    assert int(np.sum(adjusted(p_values) <= 0.05)) == 4
    assert int(np.sum(adjusted(p_values, "holm") <= 0.05)) == 3


@pytest.mark.parametrize("method", METHODS)
def test_p_values_that_are_left_out_count_as_one(method: Method) -> None:
    smallest = [0.03, 0.001, 0.02, 0.02]

    assert adjusted_p_values(smallest, method, tested=9) == adjusted([*smallest, *[1.0] * 5], method).tolist()[:4]


def test_of_no_tests_none_are_adjusted() -> None:
    assert adjusted([]).tolist() == []


@pytest.mark.parametrize("wrong", [float("nan"), -0.1, 1.1])
def test_what_is_no_p_value_is_refused_with_its_place(wrong: float) -> None:
    with pytest.raises(InputError, match="p-value 1 of 3") as caught:
        adjusted([0.5, wrong, 0.1])

    assert caught.value.slug == "bad-p-value"


def test_a_table_of_p_values_is_refused() -> None:
    with pytest.raises(InputError, match="in one row"):
        adjusted([[0.1], [0.2]])


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(UsageError, match="benjamini-hochberg, benjamini-yekutieli, holm"):
        adjusted([0.1], "bonferroni")  # type: ignore[arg-type]


def test_few_of_what_is_reported_is_false() -> None:
    random = np.random.default_rng(3)
    shares = []
    for _ in range(400):
        # 60 benchmarks did not change, 20 did.
        from_chance, real = random.random(60), random.random(20) ** 6
        reported = adjusted(np.concatenate([from_chance, real])) <= 0.1
        shares.append(int(np.sum(reported[:60])) / max(1, int(np.sum(reported))))

    # 0.1 * 60 / 80 is expected; the standard error of the mean share is about 0.004.
    assert float(np.mean(shares)) == pytest.approx(0.075, abs=0.015)
