"""Where the level of a series changes, and what noise alone does."""

import itertools
import statistics
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from sonde.base.errors import InputError
from sonde.native.reference_change_points import LEAST_PART, best_partition
from sonde.stats.change_points import change_points, parts_of_many

Values = npt.NDArray[np.float64]
Draw = np.random.Generator


def autocorrelated(draw: Draw, shape: tuple[int, int]) -> Values:
    steps = draw.standard_normal((shape[0], shape[1] + 30))
    for index in range(1, steps.shape[1]):
        steps[:, index] += 0.3 * steps[:, index - 1]
    return steps[:, 30:]


def with_outliers(draw: Draw, shape: tuple[int, int]) -> Values:
    return draw.standard_normal(shape) + (draw.random(shape) < 0.02) * draw.uniform(5.0, 100.0, shape)


NOISES: dict[str, Callable[[Draw, tuple[int, int]], Values]] = {
    "normal": lambda draw, shape: draw.standard_normal(shape),
    "exponential": lambda draw, shape: draw.exponential(size=shape),
    "log-normal": lambda draw, shape: draw.lognormal(sigma=1.0, size=shape),
    "Cauchy": lambda draw, shape: draw.standard_cauchy(shape),
    "bimodal": lambda draw, shape: draw.standard_normal(shape) + 10.0 * (draw.random(shape) < 0.3),
    "of a coarse clock": lambda draw, shape: np.round(draw.standard_normal(shape)),
    "with outliers": with_outliers,
    "autocorrelated by 0.3": autocorrelated,
}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("length", [20, 50, 200, 1000])
def test_noise_is_cut_in_few_series(noise: str, length: int) -> None:
    series = {20: 2000, 50: 2000, 200: 1000, 1000: 100}[length]
    values = NOISES[noise](np.random.default_rng(length), (series, length))
    cut = np.diff(parts_of_many(list(values)).firsts) > 1
    # 5 % are allowed, and three standard errors of the simulation.
    assert cut.mean() <= 0.05 + 3.0 * (0.05 * 0.95 / series) ** 0.5


@pytest.mark.parametrize("noise", NOISES)
def test_a_step_of_three_deviations_is_found_near_where_it_is(noise: str) -> None:
    values = NOISES[noise](np.random.default_rng(1), (300, 100))
    spread = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349
    values[:, 40:] += 3.0 * spread
    parts = parts_of_many(list(values))
    nearest = [
        min((abs(start - 40) for start in parts.starts[first + 1 : last]), default=100)
        for first, last in itertools.pairwise(parts.firsts)
    ]
    assert statistics.fmean(distance <= 3 for distance in nearest) >= 0.8


def test_three_slow_iterations_at_the_beginning_are_a_part_by_themselves() -> None:
    draw = np.random.default_rng(10)
    found = change_points(np.concatenate(([9.0, 7.0, 6.0], 1.0 + 0.05 * draw.standard_normal(40))))
    assert found.change_points == (3,)
    assert found.segments[0].mean == pytest.approx(22.0 / 3.0, rel=1e-12)
    assert found.segments[0].variance == pytest.approx(statistics.variance([9.0, 7.0, 6.0]), rel=1e-12)


def test_an_outlier_makes_no_part_and_stays_in_the_mean() -> None:
    values = 1.0 + 0.01 * np.random.default_rng(4).standard_normal(60)
    values[30] = 50.0
    found = change_points(values)
    assert found.change_points == ()
    assert found.segments[0].mean == pytest.approx(values.mean(), rel=1e-12)
    assert found.segments[0].variance == pytest.approx(values.var(ddof=1), rel=1e-12)


def test_segments_have_no_gaps() -> None:
    draw = np.random.default_rng(5)
    values = draw.standard_normal(300) + np.repeat([0.0, 5.0, 2.0, 8.0, 1.0, 4.0], 50)
    segments = change_points(values).segments
    assert len(segments) >= 6
    assert segments[0].start == 0
    assert segments[-1].stop == 300
    assert all(left.stop == right.start for left, right in itertools.pairwise(segments))


@pytest.mark.parametrize("values", [[1.0], [2.0, 1.0], [5.0] * 50, [0.1] * 7])
def test_few_or_constant_values_are_one_part(values: list[float]) -> None:
    assert change_points(values).change_points == ()


def test_a_smaller_penalty_cuts_more() -> None:
    values = np.random.default_rng(6).standard_normal(200)
    assert len(change_points(values, penalty=2.0).segments) > len(change_points(values, penalty=30.0).segments) == 1


def test_no_values_and_values_that_are_not_finite_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        change_points([])
    assert caught.value.slug == "no-values"
    for series in ([np.array([1.0, np.inf])], [np.array([2.0]), np.array([1.0, np.nan])]):
        with pytest.raises(InputError, match="value 1 of 2") as caught:
            parts_of_many(series)
        assert caught.value.slug == "not-finite"


@pytest.mark.parametrize("penalty", [0.0, -1.0, float("nan"), float("inf")])
def test_penalties_that_make_no_sense_are_refused(penalty: float) -> None:
    with pytest.raises(InputError) as caught:
        change_points([1.0, 2.0], penalty)
    assert caught.value.slug == "bad-penalty"


def test_the_best_partition_is_the_best_of_all() -> None:
    draw = np.random.default_rng(8)
    for _ in range(40):
        n, penalty = int(draw.integers(LEAST_PART, 20)), float(draw.uniform(0.1, 6.0))
        scores = draw.standard_normal(n) + 2.0 * (np.arange(n) > n // 2)
        sums = [0.0, *np.cumsum(scores).tolist()]

        def cost(cuts: tuple[int, ...], sums: list[float] = sums, penalty: float = penalty) -> float:
            edges = (0, *cuts, len(sums) - 1)
            pairs = itertools.pairwise(edges)
            return len(cuts) * penalty - sum((sums[b] - sums[a]) ** 2 / (b - a) for a, b in pairs)

        possible = (
            cuts
            for count in range(n // LEAST_PART)
            for cuts in itertools.combinations(range(LEAST_PART, n - LEAST_PART + 1), count)
            if all(b - a >= LEAST_PART for a, b in itertools.pairwise((0, *cuts, n)))
        )
        best = min(map(cost, possible))
        assert cost(tuple(best_partition(sums, penalty))) == pytest.approx(best, rel=1e-12, abs=1e-12)


def test_a_large_batch_on_several_threads_is_cut_like_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(9)
    series = [draw.standard_normal(n) + 5.0 * (np.arange(n) > n // 3) for n in draw.integers(1, 60, 200).tolist()]
    # The package has a function of the module's name, so the module is found by its own.
    monkeypatch.setattr(sys.modules["sonde.stats.change_points"], "_VALUES_PER_THREAD", 1_000_000)
    alone = parts_of_many(series)
    monkeypatch.setattr(sys.modules["sonde.stats.change_points"], "_VALUES_PER_THREAD", 500)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(5)))
    assert parts_of_many(series) == alone
    assert parts_of_many(series[:1]) == parts_of_many([series[0].copy()])
