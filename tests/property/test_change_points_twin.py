"""Change points: the native core against its slow twin, and what must not matter."""

import statistics
from array import array
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from example_counts import examples
from sonde import native
from sonde.native.reference_change_points import reference_change_points
from sonde.stats.change_points import change_points
from sonde.stats.steady_state import SteadyRule
from sonde.stats.warm_up import classify

Search = Callable[..., tuple[bytes, ...]]
CORES: tuple[Search, ...] = (sonde._native.change_points, reference_change_points)


@st.composite
def series(draw: st.DrawFn, *, most: int = 120) -> list[float]:
    """Levels, slopes, decays and patterns under noise, some of a coarse clock, or anything at all."""
    if draw(st.booleans()):
        return draw(st.lists(st.floats(-1e150, 1e150), max_size=40))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, at = draw(st.integers(1, most)), np.arange(most)
    levels = np.repeat(random.normal(size=most) * draw(st.sampled_from([0.0, 2.0, 8.0])), draw(st.integers(3, 40)))[
        :most
    ]
    slope = draw(st.sampled_from([0.0, 0.05])) * at + draw(st.sampled_from([0.0, 9.0])) * np.exp(-at / 7.0)
    values = levels + slope + random.standard_normal(most)
    if draw(st.booleans()):
        values = np.round(values)
    return [float(value) for value in values[:n]]


@given(st.lists(series(), max_size=4), st.sampled_from([0.0, 0.5, 3.0, 40.0]))
@examples(1.5)
def test_the_cores_find_the_same(many: list[list[float]], penalty: float) -> None:
    values, offsets = array("d"), array("q", [0])
    for one in many:
        values.extend(one)
        offsets.append(len(values))
    fast, slow = (search(values, offsets, penalty) for search in CORES)
    assert fast == slow


def test_the_cores_find_the_same_in_long_series() -> None:
    """Long enough for candidates to be pruned, and for ranks whose quantiles are not kept."""
    draw = np.random.default_rng(1)
    for n in (255, 256, 257, 700):
        values = draw.standard_normal(n) + np.repeat(3.0 * draw.standard_normal(n // 20 + 1), 20)[:n]
        offsets = array("q", [0, n])
        assert sonde._native.change_points(values, offsets) == reference_change_points(values.tolist(), offsets)


@pytest.mark.parametrize("search", CORES)
@pytest.mark.parametrize(
    ("values", "offsets", "penalty"),
    [
        ([1.0], [0, 2], 0.0),
        ([1.0], [], 0.0),
        ([1.0], [1, 1], 0.0),
        ([1.0, 2.0], [0, 2, 1], 0.0),
        ([1.0, 2.0], [0, -1, 2], 0.0),
        ([1.0, 2.0], [0, 3, 2], 0.0),
        ([float("nan")], [0, 1], 0.0),
        ([1.0, float("-inf")], [0, 2], 0.0),
        ([1.0], [0, 1], -1.0),
        ([1.0], [0, 1], float("nan")),
    ],
)
def test_what_does_not_fit_is_refused(search: Search, values: list[float], offsets: list[int], penalty: float) -> None:
    with pytest.raises(ValueError, match=r"offsets|finite"):
        search(array("d", values), array("q", offsets), penalty)


def test_columns_of_another_type_are_refused() -> None:
    with pytest.raises(ValueError, match="items of 4 bytes, expected 8"):
        sonde._native.change_points(array("f", [1.0]), array("q", [0, 1]))


def test_the_core_is_chosen_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    values, offsets = array("d", [5.0] * 10 + [1.0] * 10), array("q", [0, 20])
    answers = []
    for core in ("native", "python"):
        monkeypatch.setenv("SONDE_CORE", core)
        answers.append(native.change_points(values, offsets))
    assert answers[0] == answers[1]
    assert array("q", answers[0][0]).tolist() == [10]


@given(series(), st.integers(-20, 20))
def test_the_unit_does_not_matter(values: list[float], exponent: int) -> None:
    if not values or max(map(abs, values)) > 1e100:
        return
    scaled = [value * 2.0**exponent for value in values]
    one, other = change_points(values), change_points(scaled)
    if all(b == a * 2.0**exponent and b * 2.0**-exponent == a for a, b in zip(values, scaled, strict=True)):
        assert one.change_points == other.change_points


@given(series(most=60))
def test_any_increasing_function_is_cut_or_not_cut_alike(values: list[float]) -> None:
    if not values:
        return
    ranks = np.unique(values, return_inverse=True)[1].astype(np.float64)
    found = [change_points(function).change_points for function in (values, ranks, ranks**3)]
    if len(set(map(bool, found))) == 2:  # heads of 1 to 3 values may lie beyond the fence of one function only
        assert all(points[0] <= 6 for points in found if points)


@given(series())
def test_segments_are_the_series_without_gaps(values: list[float]) -> None:
    if not values:
        return
    segments = change_points(values).segments
    assert [segment.start for segment in segments] == [0, *(segment.stop for segment in segments[:-1])]
    assert segments[-1].stop == len(values)
    for segment in segments:
        part = values[segment.start : segment.stop]
        if max(map(abs, part)) < 1e100:
            assert segment.mean == pytest.approx(statistics.fmean(part), rel=1e-9, abs=1e-9 * max(map(abs, part)))


@given(series())
def test_what_is_steady_is_at_the_end_and_long_enough(values: list[float]) -> None:
    found = classify(values)
    if found.steady_from is not None:
        steady = len(values) - found.steady_from
        assert steady >= max(min(10, len(values) // 2), len(values) // 4)
        assert (found.kind == "flat") == (found.steady_from == 0)
    else:
        assert found.kind in ("no steady state", "too short")
    assert found.sentence


@given(st.lists(st.floats(1e-6, 1e6), max_size=60), st.integers(2, 12))
def test_the_rule_agrees_with_each_window_computed_afresh(values: list[float], window: int) -> None:
    rule = SteadyRule(window, threshold=0.05)
    for stop, value in enumerate(values, 1):
        steady = rule.add(value)
        if stop < window:
            assert not steady
            continue
        last = values[stop - window : stop]
        expected = statistics.stdev(last) / statistics.fmean(last)
        assert rule.cov == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert steady == (rule.cov < 0.05)
