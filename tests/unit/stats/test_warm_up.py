"""How invocations go: flat, warming up, slowing down, or never steady."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from sonde.base.errors import InputError
from sonde.stats.warm_up import LEAST_ITERATIONS, Steadiness, agreement, classify, classify_many

Values = npt.NDArray[np.float64]
N = 120
AT = np.arange(N)

CURVES: dict[str, tuple[str, int | None, npt.NDArray[np.floating]]] = {
    "level": ("flat", 0, np.ones(N)),
    "a collection every seventh iteration": ("flat", 0, 1.0 + 0.4 * (AT % 7 == 6)),
    "two values in turn": ("flat", 0, 1.0 + 0.2 * (AT % 2)),
    "exponential decay": ("warm-up", 32, 1.0 + 2.0 * np.exp(-AT / 6.0)),
    "a step down": ("warm-up", 30, np.where(AT < 30, 1.3, 1.0)),
    "two tiers": ("warm-up", 40, np.where(AT < 10, 3.0, np.where(AT < 40, 1.5, 1.0))),
    "only the first": ("warm-up", 1, np.where(AT < 1, 2.0, 1.0)),
    "the first three": ("warm-up", 3, np.where(AT < 3, 2.0, 1.0)),
    "a step up": ("slow-down", 60, np.where(AT < 60, 1.0, 1.2)),
    "down and up": ("slow-down", 60, np.where(AT < 10, 2.0, np.where(AT < 60, 1.0, 1.2))),
    "a step near the end": ("no steady state", None, np.where(AT < 105, 1.0, 1.2)),
    "a slope": ("no steady state", None, 1.0 + 0.3 * AT / N),
    "a slope down": ("no steady state", None, 1.3 - 0.3 * AT / N),
    "a slope after a warm-up": ("no steady state", None, np.where(AT < 10, 3.0, 1.0 + 0.3 * AT / N)),
    "other levels all the time": ("no steady state", None, 1.0 + 0.2 * (np.array([0, 2, 1, 3, 0, 3, 1, 2])[AT // 15])),
}


def run(curve: str, seed: int, share: float = 0.01) -> Values:
    draw = np.random.default_rng(seed)
    return CURVES[curve][2] * (1.0 + share * draw.standard_normal(N))


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("share", [0.002, 0.02])
def test_kinds_are_told(curve: str, share: float) -> None:
    kind, steady_from, _ = CURVES[curve]
    found = classify_many([run(curve, seed, share) for seed in range(40)])
    right = [one for one in found if one.kind == kind]
    assert len(right) >= 37, Counter(one.kind for one in found)
    if steady_from is None:
        assert all(one.steady_from is None for one in right)
    else:
        places = [one.steady_from for one in right if one.steady_from is not None]
        assert abs(float(np.median(places)) - steady_from) <= (6 if curve == "exponential decay" else 1)


@pytest.mark.parametrize("share", [0.002, 0.005, 0.02])
def test_a_decay_that_has_come_to_its_end_does_not_drift(share: float) -> None:
    # Half-way it is within 0.67 % of its end; noise of 2 % hides in one run of ten where that is.
    decay = 1.0 + np.exp(-np.arange(100) / 10.0)
    runs = decay * (1.0 + share * np.random.default_rng(4).standard_normal((200, 100)))
    kinds = Counter(one.kind for one in classify_many(list(runs)))
    assert kinds["warm-up"] >= (160 if share == 0.02 else 175)


def test_a_decay_that_has_not_come_to_its_end_is_not_steady() -> None:
    decay = 1.0 + np.exp(-np.arange(100) / 40.0)
    runs = decay * (1.0 + 0.005 * np.random.default_rng(4).standard_normal((100, 100)))
    assert Counter(one.kind for one in classify_many(list(runs)))["no steady state"] >= 98


def test_a_slope_of_a_few_percent_is_not_steady() -> None:
    slope = 1.0 + 0.06 * np.linspace(-0.5, 0.5, 100)
    runs = slope * (1.0 + 0.005 * np.random.default_rng(4).standard_normal((200, 100)))
    assert Counter(one.kind for one in classify_many(list(runs)))["no steady state"] >= 190


@pytest.mark.parametrize("length", [10, 30, 100, 500])
@pytest.mark.parametrize("noise", ["normal", "skewed", "with outliers"])
def test_noise_is_flat(length: int, noise: str) -> None:
    draw = np.random.default_rng(length)
    values = {
        "normal": lambda: 1.0 + 0.05 * draw.standard_normal((400, length)),
        "skewed": lambda: 1.0 + 0.05 * draw.exponential(size=(400, length)),
        "with outliers": lambda: 1.0 + 0.01 * draw.standard_normal((400, length)) + (draw.random((400, length)) < 0.02),
    }[noise]()
    kinds = Counter(one.kind for one in classify_many(list(values)))
    # 5 % are allowed, and three standard errors of the simulation.
    assert kinds["flat"] >= 400 * (0.95 - 3.0 * (0.05 * 0.95 / 400) ** 0.5)


def test_a_long_pattern_that_returns_is_flat_and_has_a_period() -> None:
    draw = np.random.default_rng(2)
    values = (1.0 + 0.3 * (np.arange(600) % 30 < 10)) * (1.0 + 0.01 * draw.standard_normal(600))
    found = classify(values)
    assert (found.kind, found.steady_from, found.period) == ("flat", 0, 30)
    assert found.sentence == "flat: steady for all 600 iterations, in periods of 30 iterations"


def test_a_few_periods_are_flat_if_they_are_the_same() -> None:
    draw = np.random.default_rng(12)
    levels = 1.0 + 0.3 * (np.arange(120) % 20 < 7)
    for _ in range(10):
        found = classify(levels * (1.0 + 0.02 * draw.standard_normal(120)))
        assert (found.kind, found.period) == ("flat", 20)
    levels[60:] += 0.2
    assert classify(levels * (1.0 + 0.02 * draw.standard_normal(120))).kind != "flat"


def test_a_warm_up_to_a_pattern_that_returns_is_steady_from_a_whole_period_on() -> None:
    draw = np.random.default_rng(3)
    levels = (1.0 + 0.3 * (np.arange(610) % 30 < 10)) * np.where(np.arange(610) < 100, 2.0, 1.0)
    found = classify(levels * (1.0 + 0.01 * draw.standard_normal(610)))
    assert (found.kind, found.period) == ("warm-up", 30)
    assert found.steady_from is not None
    assert 100 <= found.steady_from <= 130
    assert (610 - found.steady_from) % 30 == 0


def test_levels_within_the_tolerance_are_the_same() -> None:
    values = np.where(np.arange(100) < 50, 1.004, 1.0) * (1.0 + 0.0005 * np.random.default_rng(4).standard_normal(100))
    assert len(classify(values).segments) > 1
    assert classify(values).kind == "flat"
    assert classify(values, tolerance=0.001).kind == "warm-up"


def test_of_throughput_more_is_better() -> None:
    values = run("a step down", 5)
    assert classify(values).kind == "warm-up"
    assert classify(values, better="higher").kind == "slow-down"
    assert classify(1.0 / values, better="higher").kind == "warm-up"


def test_few_iterations_are_too_short() -> None:
    found = classify([5.0, 1.0, 1.0, 1.1, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert (found.kind, found.steady_from) == ("too short", None)
    assert found.sentence == "too short to tell: 9 iterations, 10 are needed"
    assert classify([]) == Steadiness("too short", None, (), 0)


def test_ten_iterations_show_a_slow_first_one() -> None:
    found = classify([9.0, 1.0, 1.02, 1.01, 0.99, 1.0, 1.01, 0.98, 1.02, 1.0])
    assert (found.kind, found.steady_from) == ("warm-up", 1)
    assert classify([1.0] * LEAST_ITERATIONS).kind == "flat"


def test_empty_invocations_keep_their_place_among_many() -> None:
    flat, down = run("level", 6), run("a step down", 6)
    kinds = [one.kind for one in classify_many([np.zeros(0), flat, np.zeros(0), down])]
    assert kinds == ["too short", "flat", "too short", "warm-up"]
    assert classify_many([]) == []


def test_many_are_judged_as_each_by_itself() -> None:
    runs = [run(curve, seed) for curve in CURVES for seed in range(3)]
    assert classify_many(runs) == [classify(values) for values in runs]


@pytest.mark.parametrize(
    ("curve", "beginning"),
    [
        ("level", "flat: steady for all 120 iterations"),
        ("a step down", "warms up: steady after 30 of 120 iterations; before, parts are up to 30 % slower"),
        ("a step up", "slows down: steady after 60 of 120 iterations; before, parts are up to 17 % faster"),
        ("a step near the end", "no steady state: the level still changed, by +20 %, 15 iterations before the end"),
        ("a slope", "no steady state: the level drifts, by +3"),
    ],
)
def test_sentences_say_how_it_went(curve: str, beginning: str) -> None:
    assert classify(run(curve, 1, 0.002)).sentence.startswith(beginning)


def test_strongly_autocorrelated_noise_is_said_to_wander() -> None:
    draw = np.random.default_rng(7)
    steps = 0.01 * draw.standard_normal((100, 80)).cumsum(axis=1)
    found = classify_many(list(1.0 + steps))
    assert Counter(one.kind for one in found)["no steady state"] >= 75


@pytest.mark.parametrize("change", [lambda x: 1e-9 * x, lambda x: 1000.0 * x])
def test_the_unit_does_not_matter(change: Callable[[Values], Values]) -> None:
    for curve in CURVES:
        one, other = classify(run(curve, 9)), classify(change(run(curve, 9)))
        assert (one.kind, one.steady_from) == (other.kind, other.steady_from)


@pytest.mark.parametrize("tolerance", [-0.1, 1.0, float("nan")])
def test_tolerances_that_make_no_sense_are_refused(tolerance: float) -> None:
    with pytest.raises(InputError) as caught:
        classify([1.0] * 20, tolerance=tolerance)
    assert caught.value.slug == "bad-tolerance"


def test_values_that_are_not_finite_are_refused() -> None:
    with pytest.raises(InputError, match="value 2 of 3"):
        classify_many([np.ones(5), np.array([1.0, 1.0, np.nan])])


def test_invocations_that_all_go_the_same_way_are_consistent() -> None:
    assert agreement(["flat", "flat"]) == ("consistent", {"flat": 2})
    assert agreement(["flat", "warm-up", "warm-up"]) == ("inconsistent", {"warm-up": 2, "flat": 1})
    assert agreement([]) == ("consistent", {})
