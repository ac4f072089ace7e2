"""Change points and warm-up: false alarms, how often kinds are told rightly, and speed.

    python benches/bench_change_points.py                the tables of docs/notes/warm-up.md
    python benches/bench_change_points.py false-alarms   the first of them: also `kinds`, `speed`

About 10 minutes on one core; seeds are fixed. Invocations whose truth is known come from `synthetic_invocations`.
"""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from sonde.stats.change_points import parts_of_many
from sonde.stats.steady_state import steady_window
from sonde.stats.warm_up import classify_many
from synthetic_invocations import SCENARIOS, SHAPES, Scenario, noise

Values = npt.NDArray[np.float64]
Draw = np.random.Generator

LENGTHS = (20, 50, 100, 500, 2000)
SHARES = (0.005, 0.02, 0.05)
RUNS = 200
"""Invocations of each scenario, length, size and shape of noise."""
BIAS = 0.01
"""The mean of what is taken for steady is wrong if other levels in it move it by more than this."""


def autocorrelated(draw: Draw, shape: tuple[int, int], alike: float) -> Values:
    values = draw.standard_normal((shape[0], shape[1] + 50))
    for index in range(1, values.shape[1]):
        values[:, index] += alike * values[:, index - 1]
    return values[:, 50:]


NOISES: dict[str, Callable[[Draw, tuple[int, int]], Values]] = {
    "normal": lambda draw, shape: draw.standard_normal(shape),
    "exponential": lambda draw, shape: draw.exponential(size=shape),
    "log-normal, sigma 1": lambda draw, shape: draw.lognormal(sigma=1.0, size=shape),
    "Cauchy": lambda draw, shape: draw.standard_cauchy(shape),
    "normal, 2 % outliers": lambda draw, shape: (
        draw.standard_normal(shape) + (draw.random(shape) < 0.02) * draw.uniform(5.0, 100.0, shape)
    ),
    "bimodal, 70/30": lambda draw, shape: draw.standard_normal(shape) + 10.0 * (draw.random(shape) < 0.3),
    "rounded to the deviation": lambda draw, shape: np.round(draw.standard_normal(shape)),
    "AR(1) 0.1": lambda draw, shape: autocorrelated(draw, shape, 0.1),
    "AR(1) 0.2": lambda draw, shape: autocorrelated(draw, shape, 0.2),
    "AR(1) 0.3": lambda draw, shape: autocorrelated(draw, shape, 0.3),
    "AR(1) 0.5": lambda draw, shape: autocorrelated(draw, shape, 0.5),
}


def false_alarms() -> Iterator[str]:
    """Share of series of noise that are cut at all."""
    yield "| noise | " + " | ".join(f"n = {length:,}" for length in LENGTHS) + " |"
    yield "|---|" + "---|" * len(LENGTHS)
    for name, draw_noise in NOISES.items():
        cells = []
        for length in LENGTHS:
            series = 10_000 if length <= 100 else 2_000 if length <= 500 else 500
            values = draw_noise(np.random.default_rng(length), (series, length))
            cut = np.diff(parts_of_many(list(values)).firsts) > 1
            cells.append(f"{100 * cut.mean():.1f} %")
        yield f"| {name} | " + " | ".join(cells) + " |"


def kinds() -> Iterator[str]:
    """How often the kind is right, and how often what is taken for steady is not."""
    yield (
        "| scenario | truth | right, n = 50 | n = 100 | n = 500 | least | steady part wrong | none found"
        " | CoV rule: wrong | not reached |"
    )
    yield "|---|---|" + "---|" * 8
    for scenario in SCENARIOS:
        rows = [
            (length, *judged(scenario, length, share, shape))
            for length, share, shape in product((50, 100, 500), SHARES, SHAPES)
        ]
        shares = [float(np.mean([row[1] for row in rows if row[0] == length])) for length in (50, 100, 500)]
        shares.append(min(row[1] for row in rows))
        shares.extend(float(np.mean([row[column] for row in rows])) for column in range(2, 6))
        yield f"| {scenario.name} | {scenario.kind} | " + " | ".join(f"{100 * one:.0f} %" for one in shares) + " |"


def judged(scenario: Scenario, length: int, share: float, shape: str) -> tuple[float, float, float, float, float]:
    """Shares: kind right; steady part wrong, none found; the same of the coefficient of variation."""
    draw = np.random.default_rng([length, round(1e4 * share), SHAPES.index(shape)])
    curves = [scenario.curve(draw, length, share) for _ in range(RUNS)]
    runs = [levels * (1.0 + noise(draw, length, share, shape)) for levels, _ in curves]
    found = classify_many(runs)
    right = [one.kind == scenario.kind for one in found]
    by_change, by_cov = [], []
    for (levels, first), one, run in zip(curves, found, runs, strict=True):
        level = levels[first:].mean() if first < length else None
        by_change.append(error(levels, level, one.steady_from, length))
        window = steady_window(run)
        reached = window is not None and window.reached
        by_cov.append(error(levels, level, window.start if window and reached else None, window.stop if window else 0))
    none, cov_none = (np.mean([one is None for one in errors]) for errors in (by_change, by_cov))
    wrong, cov_wrong = (
        np.mean([one is not None and abs(one) > BIAS for one in errors]) for errors in (by_change, by_cov)
    )
    return float(np.mean(right)), float(wrong), float(none), float(cov_wrong), float(cov_none)


def error(levels: Values, level: float | None, start: int | None, stop: int) -> float | None:
    """How far the levels of what was taken for steady are from the steady one, without the noise of either."""
    if start is None:
        return None
    return np.inf if level is None else float(levels[start:stop].mean()) / level - 1.0


def speed() -> Iterator[str]:
    """Seconds of processor time for 60,000 series of 100 values: fastest of five."""
    draw = np.random.default_rng(0)
    flat = 1.0 + 0.01 * draw.standard_normal((60_000, 100))
    cases = {"noise": flat, "decay": flat + np.exp(-np.arange(100) / 5.0)}
    yield "| series | change points | classified |"
    yield "|---|---|---|"
    for name, values in cases.items():
        series = list(values)
        cut, judge = [], []
        for _ in range(5):
            times = [time.process_time()]
            parts_of_many(series)
            times.append(time.process_time())
            classify_many(series)
            times.append(time.process_time())
            cut.append(times[1] - times[0])
            judge.append(times[2] - times[1])
        yield f"| {name} | {min(cut):.2f} s | {min(judge):.2f} s |"


def main() -> None:
    tables = {"false-alarms": false_alarms, "kinds": kinds, "speed": speed}
    for name in sys.argv[1:] or tables:
        print(f"\n{tables[name].__doc__}\n")
        for line in tables[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
