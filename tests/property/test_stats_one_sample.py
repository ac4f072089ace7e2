"""Laws of the statistics of one sample: units do not matter, and what is printed is an interval around its value."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sonde.stats.autocorrelation import effective_size, independence
from sonde.stats.describe import skewness
from sonde.stats.dip import dip
from sonde.stats.findings import Estimate
from sonde.stats.mean_estimate import mean_estimate
from sonde.stats.mean_interval import mean_interval
from sonde.stats.median_interval import median_interval
from sonde.stats.modes import modes
from sonde.stats.normality import normality
from sonde.stats.outliers import outliers
from sonde.stats.samples import Sample

# On a grid, so that multiplying by a power of two and adding a small integer lose nothing.
samples = st.lists(st.integers(-(2**20), 2**20).map(lambda ticks: ticks / 1024.0), min_size=1, max_size=60).map(
    np.array
)
scales = st.integers(-30, 30).map(lambda power: 2.0**power)

ESTIMATES: list[Callable[[Sample], Estimate]] = [
    mean_estimate,
    lambda sample: mean_estimate(sample, ordered=False),
    mean_interval,
    median_interval,
]


@pytest.mark.parametrize("estimate", ESTIMATES)
@given(sample=samples, scale=scales)
def test_estimates_scale_with_the_unit(estimate: Callable[[Sample], Estimate], sample: Sample, scale: float) -> None:
    first, second = estimate(sample), estimate(sample * scale)

    assert second.value == pytest.approx(first.value * scale, rel=1e-9)
    assert (second.withheld, second.method) == (first.withheld, first.method)
    if first.interval is not None and second.interval is not None:
        assert second.interval.low == pytest.approx(first.interval.low * scale, rel=1e-6, abs=1e-9 * scale)
        assert second.interval.high == pytest.approx(first.interval.high * scale, rel=1e-6, abs=1e-9 * scale)


@pytest.mark.parametrize("estimate", ESTIMATES)
@given(sample=samples)
def test_estimates_turn_with_the_sign(estimate: Callable[[Sample], Estimate], sample: Sample) -> None:
    first, second = estimate(sample), estimate(-sample)

    assert second.value == pytest.approx(-first.value, rel=1e-9, abs=1e-9)
    if first.interval is not None and second.interval is not None:
        assert second.interval.low == pytest.approx(-first.interval.high, rel=1e-6, abs=1e-9)
        assert second.interval.high == pytest.approx(-first.interval.low, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("estimate", ESTIMATES)
@given(sample=samples)
def test_an_interval_has_width_and_reasons_are_given_for_none(
    estimate: Callable[[Sample], Estimate], sample: Sample
) -> None:
    found = estimate(sample)

    assert sample.min() <= found.value <= sample.max()
    if found.interval is not None:
        assert np.isfinite([found.interval.low, found.interval.high]).all() and found.interval.low < found.interval.high
    else:
        assert found.withheld


@given(sample=samples, levels=st.tuples(st.floats(0.5, 0.999), st.floats(0.5, 0.999)))
def test_more_confidence_has_a_wider_interval(sample: Sample, levels: tuple[float, float]) -> None:
    low, high = sorted(levels)
    assume(high - low > 1e-3)
    for estimate in (median_interval, mean_interval):
        narrow, wide = estimate(sample, low).interval, estimate(sample, high).interval
        if narrow is not None and wide is not None:
            assert wide.low <= narrow.low + 1e-9 and narrow.high <= wide.high + 1e-9


@given(sample=samples, scale=scales, seed=st.integers(0, 2**31))
def test_shape_depends_neither_on_unit_nor_on_order(sample: Sample, scale: float, seed: int) -> None:
    other = np.random.default_rng(seed).permutation(sample) * scale

    assert dip(other) == pytest.approx(dip(sample), rel=1e-9)
    assert skewness(other) == (
        None if (known := skewness(sample)) is None else pytest.approx(known, rel=1e-6, abs=1e-9)
    )
    assert normality(other).holds == normality(sample).holds
    assert outliers(other).finding == outliers(sample).finding
    assert [one.share for one in modes(other).clusters] == [one.share for one in modes(sample).clusters]


@given(sample=samples)
def test_the_dip_is_within_its_bounds(sample: Sample) -> None:
    assert 0.5 / len(sample) - 1e-12 <= dip(sample) <= max(0.25, 0.5 / len(sample))


@given(sample=samples, scale=scales)
def test_dependence_does_not_depend_on_the_unit_nor_on_the_direction_of_time(sample: Sample, scale: float) -> None:
    first = independence(sample)

    assert independence(sample * scale).finding == first.finding
    assert independence(sample[::-1]).holds == first.holds
    assert 0.0 < effective_size(sample) <= len(sample)
