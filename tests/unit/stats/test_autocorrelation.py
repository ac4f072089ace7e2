"""Dependence between values agrees with statsmodels, with exact enumeration, and with known truth."""

from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from statsmodels.stats.diagnostic import acorr_ljungbox
from statsmodels.tsa.stattools import acf

from sonde.stats.autocorrelation import (
    autocorrelations,
    effective_size,
    independence,
    ljung_box,
    ranks,
    said_p,
    von_neumann,
)

Values = npt.NDArray[np.float64]


def correlated(random: np.random.Generator, n: int, carried: float) -> Values:
    values = [float(random.standard_normal())]
    for fresh in random.standard_normal(n - 1):
        values.append(carried * values[-1] + float(np.sqrt(1 - carried**2)) * float(fresh))
    return np.array(values)


@pytest.mark.parametrize("n", [12, 30, 200])
def test_autocorrelations_and_ljung_box_agree_with_statsmodels(n: int) -> None:
    sample = correlated(np.random.default_rng(n), n, 0.4)

    expected = acorr_ljungbox(sample, lags=[5])

    assert autocorrelations(sample, 5) == pytest.approx(acf(sample, nlags=5)[1:], rel=1e-9)
    statistic, p = ljung_box(sample, 5)
    assert statistic == pytest.approx(float(expected["lb_stat"].iloc[0]), rel=1e-9)
    assert p == pytest.approx(float(expected["lb_pvalue"].iloc[0]), rel=1e-9)


def test_ranks_share_the_mean_among_ties_as_scipy_does() -> None:
    for sample in (np.array([3.0, 1.0, 3.0, 2.0, 3.0]), np.random.default_rng(1).random(50)):
        assert ranks(sample).tolist() == stats.rankdata(sample).tolist()


def test_von_neumanns_ratio_has_the_moments_of_all_orders_of_seven_values() -> None:
    found = np.array([von_neumann(np.array(order))[0] for order in permutations(range(7))])

    # The p-value is that of a normal variable with the ratio's exact mean and variance.
    ratio, p = von_neumann(np.array([0, 2, 1, 3, 6, 5, 4]))
    assert found.mean() == pytest.approx(2.0)
    assert p == pytest.approx(2.0 * stats.norm.sf(abs(ratio - found.mean()) / found.std()), rel=1e-9)


@pytest.mark.parametrize("n", [10, 20, 50])
def test_independent_values_are_rarely_called_dependent(n: int) -> None:
    random = np.random.default_rng(n)
    samples = [*random.standard_normal((500, n)), *random.lognormal(0.0, 1.5, (500, n))]

    # Of 1,000 samples 15 or so are expected; 30 is four standard errors more.
    assert sum(independence(sample).holds is False for sample in samples) <= 30


def test_dependent_values_are_called_so() -> None:
    random = np.random.default_rng(3)

    samples = [correlated(random, 50, 0.7) for _ in range(200)]

    assert sum(independence(sample).holds is False for sample in samples) >= 180


def test_a_drift_and_a_cycle_are_dependence() -> None:
    noise = np.random.default_rng(4).standard_normal(60)

    assert independence(noise + np.linspace(-2.0, 2.0, 60)).holds is False
    assert independence(noise + 2.0 * np.sin(np.arange(60) * 2.0 * np.pi / 7.0)).holds is False


@pytest.mark.parametrize("n", [8, 10, 20, 29])
def test_so_few_values_are_never_said_to_be_independent(n: int) -> None:
    samples = np.random.default_rng(n).standard_normal((200, n))

    found = [independence(sample) for sample in samples]

    assert {one.holds for one in found} <= {None, False}
    assert all(one.finding.endswith("which cannot show it") for one in found if one.holds is None)


def test_dependent_values_are_seldom_said_to_be_independent() -> None:
    random = np.random.default_rng(8)
    noise = random.standard_normal((400, 60))
    for at in range(1, 60):
        noise[:, at] = 0.3 * noise[:, at - 1] + np.sqrt(1.0 - 0.3**2) * noise[:, at]

    assert np.mean([independence(sample).holds is True for sample in noise]) < 0.09
    assert independence(random.standard_normal(300)).holds is True


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0] * 3, [0.1] * 20])
def test_too_few_or_constant_values_tell_nothing_of_dependence(values: list[float]) -> None:
    assert independence(values).holds is None


def test_the_finding_says_what_was_looked_at() -> None:
    finding = independence(np.arange(30.0)).finding

    assert finding == (
        "lag-1 autocorrelation 0.90, von Neumann's ratio of ranks and Ljung-Box test over 6 lags: p < 0.001, n = 30"
    )


@pytest.mark.parametrize("carried", [0.0, 0.3, 0.6, 0.9])
def test_the_effective_size_is_that_of_the_autoregression(carried: float) -> None:
    sample = correlated(np.random.default_rng(8), 20_000, carried)

    assert effective_size(sample) == pytest.approx(20_000 * (1 - carried) / (1 + carried), rel=0.07)


@pytest.mark.parametrize("values", [[3.0], [0.1] * 9, [1.0, 2.0] * 8, np.arange(2.0)])
def test_values_without_likeness_count_in_full(values: npt.ArrayLike) -> None:
    assert effective_size(values) == len(np.asarray(values))


def test_p_values_are_said_as_in_papers() -> None:
    assert [said_p(p) for p in (1.0, 0.049, 0.001, 0.0009)] == ["p = 1", "p = 0.049", "p = 0.001", "p < 0.001"]
