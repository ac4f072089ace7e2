"""How precise the comparisons of a run are, as the run asks for it."""

import numpy as np
import pytest

from sonde.instruments.bench.judging import judge
from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.policy import Policy
from sonde.instruments.bench.runs.half_widths import half_widths_by

DRAW = np.random.default_rng(3)


def series(name: str, values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Series:
    rounds = [Invocation(np.array([one]), round=i, process={"peak-memory": 1e6}) for i, one in enumerate(values)]
    warm_up = Invocation(np.array([9.0]), round=-1, warmups=1, process={"peak-memory": 1e6})
    return Series("sort", name, "startup", (warm_up, *rounds))


def measured(*alternatives: Series) -> Measurements:
    return Measurements(alternatives, Provenance(""))


A = series("a", DRAW.normal(1.0, 0.02, 20))
B = series("b", DRAW.normal(2.0, 0.02, 20))
C = series("c", DRAW.normal(3.0, 0.2, 20))


def test_one_alternative_is_as_precise_as_its_mean_is_on_average() -> None:
    """One interval varies by more than a third; on average over experiments the two are the same."""
    asked, printed = [], []
    for _ in range(200):
        one = measured(series("a", DRAW.normal(1.0, 0.02, 20)))
        width = half_widths_by(Policy())(one, 0.95)["sort", "a"]
        mean = judge(one, Policy()).summaries[0].mean
        assert width is not None and mean is not None and mean.interval is not None
        asked.append(width)
        printed.append(mean.interval.half_width / mean.value)
    assert np.mean(asked) == pytest.approx(np.mean(printed), rel=0.1)
    assert np.std(asked) < 0.85 * np.std(printed)


def test_several_are_as_precise_as_their_ratios_to_the_first() -> None:
    widths = half_widths_by(Policy())(measured(A, B, C), 0.95)
    ratios = {one.second_name: one.ratio for one in judge(measured(A, B, C), Policy()).comparisons}
    assert set(widths) == {("sort", "b"), ("sort", "c")}
    for name, ratio in ratios.items():
        assert ratio is not None and ratio.interval is not None
        assert widths["sort", name] == pytest.approx(ratio.interval.half_width / ratio.value)


def test_a_higher_level_makes_them_wider() -> None:
    half_widths = half_widths_by(Policy())
    narrow, wide = (half_widths(measured(A, B), level)["sort", "b"] for level in (0.8, 0.99))
    assert narrow is not None and wide is not None and narrow < wide


def test_where_there_is_no_interval_there_is_no_width() -> None:
    few = Series("sort", "a", "startup", A.invocations[:2])
    assert half_widths_by(Policy())(measured(few), 0.95) == {("sort", "a"): None}


def test_values_that_never_differ_are_precise() -> None:
    half_widths = half_widths_by(Policy(metric="peak-memory"))
    assert half_widths(measured(A), 0.95) == {("sort", "a"): 0.0}
    assert half_widths(measured(A, B), 0.95) == {("sort", "b"): 0.0}
