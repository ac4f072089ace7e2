"""How often usual practices are wrong, where the truth is known: simulated experiments, some 10 s.

    python benches/bench_practices.py [--experiments 10000]

Two alternatives that are the same, or of which the second takes 2 % longer, measured in `n` invocations of 20
iterations each. Invocations differ by a coefficient of variation of 2 %, iterations within one by 1 %; the first
iteration takes half as long again. Printed is how often each practice claims, of the second, that it is worse, better,
or the same. The last line is Welch's t test on the means of invocations, for comparison.
"""

import argparse

import numpy as np
import numpy.typing as npt

from sonde.instruments.bench.practices import PRACTICES, Practice, Repetitions
from sonde.stats.distributions import student_quantile

BETWEEN, WITHIN, ITERATIONS, WARM_UP = 0.02, 0.01, 20, 1.5
IGNORED = 0.02
Signs = npt.NDArray[np.float64]
AT_ONCE = 1_000
"""Experiments that are held in memory together."""


def simulated(random: np.random.Generator, experiments: int, invocations: int, mean: float) -> Repetitions:
    """Many experiments with one alternative."""
    level = mean * random.normal(1.0, BETWEEN, (experiments, invocations, 1))
    values = level * random.normal(1.0, WITHIN, (experiments, invocations, ITERATIONS))
    values[:, :, 0] *= WARM_UP
    kept = values[:, :, 1:]  # what tools take for warm-up is left out, except by those who look at the first iteration
    least = np.partition(kept, 1, axis=2)
    means = kept.mean(axis=2)
    return Repetitions(
        first=values[:, :, 0],
        last=kept[:, :, -1],
        least=least[:, :, 0],
        second_least=least[:, :, 1],
        greatest=kept.max(axis=2),
        total=kept.sum(axis=2),
        size=np.full(means.shape, float(ITERATIONS - 1)),
        squares=((kept - means[:, :, np.newaxis]) ** 2).sum(axis=2),
        middle=np.median(kept, axis=2),
    )


def signs(practice: Practice, first: Repetitions, second: Repetitions, ignored: float) -> Signs:
    """1 where the second is claimed to be worse, -1 better, 0 the same."""
    one, other = practice.report(first), practice.report(second)
    found: Signs = np.sign(other - one)
    if practice.differs is not None:
        found[~practice.differs(first, second, 0.95)] = 0
    elif ignored:
        found[np.abs(other - one) < ignored * one] = 0
    return found


def welch(first: Repetitions, second: Repetitions) -> Signs:
    """The same, of a t test on the means of invocations; with equal sizes its pooled form has the same statistic."""
    n = first.count
    one, other = first.means, second.means
    error = np.sqrt((one.var(axis=1, ddof=1) + other.var(axis=1, ddof=1)) / n)
    difference = other.mean(axis=1) - one.mean(axis=1)
    found: Signs = np.sign(difference)
    found[np.abs(difference) < student_quantile(0.975, 2.0 * n - 2.0) * error] = 0
    return found


def claims(experiments: int, invocations: int, effect: float) -> dict[str, Signs]:
    """Name -> the claims in all experiments."""
    random = np.random.default_rng(7)
    found: dict[str, list[Signs]] = {}
    for _ in range(0, experiments, AT_ONCE):
        first = simulated(random, AT_ONCE, invocations, 1.0)
        second = simulated(random, AT_ONCE, invocations, 1.0 + effect)
        for practice in PRACTICES:
            found.setdefault(practice.name, []).append(signs(practice, first, second, 0.0))
            if practice.differs is None:
                name = f"{practice.name}, beyond {100 * IGNORED:g}%"
                found.setdefault(name, []).append(signs(practice, first, second, IGNORED))
        found.setdefault("t test, means of invocations", []).append(welch(first, second))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=10_000)
    experiments = parser.parse_args().experiments
    settings = [(n, effect) for n in (5, 30) for effect in (0.0, 0.02)]
    found = [claims(experiments, n, effect) for n, effect in settings]
    heads = [f"n = {n}, {'the same' if not effect else f'{100 * effect:g}% worse'}" for n, effect in settings]
    print(f"| practice | {' | '.join(heads)} |")
    print(f"|---|{'---|' * len(heads)}")
    for name in found[0]:
        cells = []
        for each in found:
            shares = (np.mean(np.sign(each[name]) == sign) for sign in (1, -1, 0))
            cells.append(" / ".join(f"{100 * share:.0f}" for share in shares))
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
