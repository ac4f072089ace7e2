"""What intervals for the variance between invocations cover: simulated experiments with known truth.

    python benches/bench_variance_interval.py [--experiments 3000] [--seed 1]

Prints, as Markdown, a table of docs/notes/stopping-and-power.md: why sonde prints no such interval. Two methods: the
modified large-sample interval of `split_variance`, and the same with degrees of freedom divided by 1 + kurtosis / 2 of
means and of errors, a correction that is right in large samples. Minutes; nothing is timed.
"""

import argparse
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sonde.stats.variance_interval import between_interval

Numbers = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Numbers]

ITERATIONS = 20
INVOCATIONS = (10, 30, 100)
CORRELATIONS = (0.1, 0.5, 0.9)
LEVEL = 0.95


def _log_normal(sigma: float) -> Draw:
    square = float(np.exp(sigma**2))

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
        values: Numbers = np.exp(sigma * rng.standard_normal(shape)) / np.sqrt((square - 1.0) * square)
        return values

    return draw


def _two_modes(rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
    values: Numbers = ((rng.random(shape) < 0.5) * 6.0 + rng.standard_normal(shape)) / np.sqrt(10.0)
    return values


SHAPES: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "two modes, 50/50": _two_modes,
    "Student t, 5 degrees of freedom": lambda rng, shape: rng.standard_t(5, shape) / np.sqrt(5.0 / 3.0),
    "log-normal, sigma 0.3": _log_normal(0.3),
    "log-normal, sigma 0.6": _log_normal(0.6),
    "exponential": lambda rng, shape: rng.standard_exponential(shape),
}
"""Name -> distribution with a standard deviation of 1."""


def coverage(
    draw: Draw, invocations: int, correlation: float, experiments: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Share of experiments whose interval contains the truth: plain, and with degrees of freedom by kurtosis."""
    covered = [0, 0]
    for _ in range(experiments):
        shared, own = draw(rng, (invocations, 1)), draw(rng, (invocations, ITERATIONS))
        values = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own
        means = values.mean(axis=1)
        apart, errors = means - means.mean(), (values - means[:, None]).ravel()
        freedom = invocations - 1.0, invocations * (ITERATIONS - 1.0)
        squares = float(apart @ apart) / freedom[0], float(errors @ errors) / freedom[1]
        fewer = freedom[0] / (1.0 + _kurtosis(apart) / 2.0), freedom[1] / (1.0 + _kurtosis(errors) / 2.0)
        for index, degrees in enumerate((freedom, fewer)):
            covered[index] += correlation in between_interval(*squares, *degrees, float(ITERATIONS), LEVEL)
    return covered[0] / experiments, covered[1] / experiments


def _kurtosis(errors: Numbers) -> float:
    """Excess kurtosis; of values around their mean."""
    squares = np.square(errors)
    return max(-1.2, float(len(errors) * np.square(squares).sum() / squares.sum() ** 2) - 3.0)


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=3_000, help="of each cell (default: 3,000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    numbers = "".join(f" {n} |" for n in INVOCATIONS)
    print(f"| effects | plain,{numbers} by kurtosis,{numbers}\n|---|" + "---|" * (2 * len(INVOCATIONS)))
    for name, draw in SHAPES.items():
        found = [
            [coverage(draw, n, correlation, options.experiments, rng) for correlation in CORRELATIONS]
            for n in INVOCATIONS
        ]
        cells = [sorted(pair[method] for pair in pairs) for method in (0, 1) for pairs in found]
        print(f"| {name} |" + "".join(f" {100 * low[0]:.0f}-{100 * low[-1]:.0f} |" for low in cells), flush=True)


if __name__ == "__main__":
    main()
