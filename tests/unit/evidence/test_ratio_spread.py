"""By how much most ratios differ from one another."""

from statistics import median

import numpy as np
import pytest

from sonde.evidence import LogRatio, ratio_spread


def made(spread: float, count: int, random: np.random.Generator, *, error: float = 0.01) -> list[LogRatio]:
    deviation = (2 * spread**2 + error**2) ** 0.5
    return [LogRatio(float(each), error**2) for each in deviation * random.standard_normal(count)]


@pytest.mark.parametrize("count", [8, 40])
def test_the_spread_that_ratios_were_made_with_is_found_on_the_median(count: int) -> None:
    random = np.random.default_rng(count)
    found = [ratio_spread(made(0.06, count, random)) for _ in range(300)]
    assert median(found) == pytest.approx(0.06, rel=0.2)


def test_errors_of_their_own_are_no_spread() -> None:
    random = np.random.default_rng(1)
    assert median(ratio_spread(made(0.0, 12, random)) for _ in range(100)) < 0.003


def test_a_common_factor_and_a_few_that_changed_do_not_matter() -> None:
    random = np.random.default_rng(2)
    ratios = made(0.05, 15, random)
    alone = ratio_spread(ratios)
    assert ratio_spread([each._replace(value=each.value + 0.4) for each in ratios]) == pytest.approx(alone)
    with_changed = [*(each._replace(value=3.0) for each in ratios[:3]), *ratios[3:]]
    assert ratio_spread(with_changed) < 2 * alone


def test_of_few_nothing_is_known_and_what_varies_more_by_itself_says_less() -> None:
    random = np.random.default_rng(3)
    ratios = made(0.05, 9, random)
    assert ratio_spread(ratios[:4]) == 0.0
    assert ratio_spread([each._replace(scale=4.0) for each in ratios]) == pytest.approx(
        ratio_spread(ratios) / 2, rel=0.1
    )
