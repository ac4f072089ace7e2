"""What stopping by the data does to intervals and verdicts: simulated experiments with known truth.

    python benches/bench_stopping.py [--experiments 10000] [--seed 1] [--as-printed 1000]

Prints, as Markdown, the tables of docs/notes/stopping-and-power.md. All experiments of a cell are worked out together,
with Student's interval for the mean, Welch's and the paired t for two alternatives. With --as-printed also that many
experiments with the procedures that sonde prints, one by one: minutes; the last of these tables is that of
docs/notes/intervals.md. Nothing is timed.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from sonde.evidence import Interval
from sonde.instruments.bench.runs.plan import Extent
from sonde.stats.mean_estimate import expected_half_width, mean_estimate
from sonde.stats.power import power_of_ratio
from sonde.stats.ratio_of_means import ratio_of_means
from sonde.stats.stopping import StoppingPlan

Numbers = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Numbers]

LEVEL = 0.95
MAXIMUM = 640
NEEDED = (2, 5, 10, 15, 20, 30, 60, 150, 400)
"""How many values it takes to reach the precision asked for, were the variance known."""

CHUNK = 2_000
"""Experiments in memory at a time: 10 MB for each alternative."""


class Shape(NamedTuple):
    """A distribution with mean 0 and standard deviation 1."""

    name: str
    draw: Draw


def _normal(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
    return rng.standard_normal(shape)


def _log_normal(sigma: float) -> Draw:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
        mean, square = np.exp(sigma**2 / 2.0), np.exp(sigma**2)
        values: Numbers = (np.exp(sigma * rng.standard_normal(shape)) - mean) / (mean * np.sqrt(square - 1.0))
        return values

    return draw


def _exponential(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
    return rng.standard_exponential(shape) - 1.0


def _two_modes(share: float, distance: float) -> Draw:
    """A share of the values is `distance` standard deviations of one mode slower."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
        slow = rng.random(shape) < share
        spread = np.sqrt(1.0 + distance**2 * share * (1.0 - share))
        values: Numbers = (rng.standard_normal(shape) + distance * slow - distance * share) / spread
        return values

    return draw


def _dependent(correlation: float) -> Draw:
    """Each value depends on the one before."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
        values = rng.standard_normal(shape)
        news = np.sqrt(1.0 - correlation**2)
        for index in range(1, shape[1]):
            values[:, index] = correlation * values[:, index - 1] + news * values[:, index]
        return values

    return draw


SHAPES = (
    Shape("normal", _normal),
    Shape("log-normal, sigma 0.3", _log_normal(0.3)),
    Shape("log-normal, sigma 0.6", _log_normal(0.6)),
    Shape("log-normal, sigma 1", _log_normal(1.0)),
    Shape("exponential", _exponential),
    Shape("two modes, 50/50", _two_modes(0.5, 6.0)),
    Shape("two modes, 80/20", _two_modes(0.2, 6.0)),
    Shape("two modes, 95/5", _two_modes(0.05, 6.0)),
    Shape("AR(1), 0.3", _dependent(0.3)),
)


class Rule(NamedTuple):
    """When one looks, what one asks for."""

    name: str
    looks: tuple[int, ...]
    narrowness: Numbers
    """(n_looks,) shares of the half-width wanted."""
    asked: float
    """Level of the usual interval."""


def sondes_rule(minimum: int = 10, maximum: int = MAXIMUM, level: float = LEVEL) -> Rule:
    """The plan's looks, strictness and level."""
    plan = StoppingPlan(minimum, maximum, level=level)
    strictness = np.array([plan.narrowness(look) for look in plan.looks])
    return Rule("the plan", plan.looks, strictness, plan.fixed_level)


def usual_rule(minimum: int = 10, maximum: int = MAXIMUM, level: float = LEVEL) -> Rule:
    """To look after each value from the minimum on, with the interval of a fixed number."""
    looks = tuple(range(minimum, maximum + 1))
    return Rule("each value, not corrected", looks, np.ones(len(looks)), level)


class Stopped(NamedTuple):
    """Experiments at the moment of stopping."""

    sizes: Numbers
    """(n_experiments,) numbers of values."""
    distances: Numbers
    """How far the estimate is from the truth, in half-widths of the interval."""

    @property
    def coverage(self) -> float:
        """Share of the intervals that contain the truth."""
        return float((np.abs(self.distances) <= 1.0).mean())


def stop(values: Numbers, rule: Rule, half_width: float) -> Stopped:
    """Samples of mean 0, in rows, each until the first look at which Student's interval is narrow enough."""
    looks = np.array(rule.looks)
    sums = np.cumsum(values, axis=1)[:, looks - 1]
    squares = np.cumsum(np.square(values), axis=1)[:, looks - 1]
    deviations = np.sqrt(np.maximum(squares - np.square(sums) / looks, 0.0) / (looks - 1.0))
    widths = special.stdtrit(looks - 1.0, 0.5 + rule.asked / 2.0) * deviations / np.sqrt(looks)
    enough = widths <= half_width * rule.narrowness
    enough[:, -1] = True
    rows, first = np.arange(len(values)), enough.argmax(axis=1)
    return Stopped(looks[first].astype(np.float64), (sums / looks)[rows, first] / widths[rows, first])


def half_width_of(needed: float, level: float = LEVEL) -> float:
    """The half-width, in standard deviations, that takes that many values to reach."""
    return float(special.ndtri(0.5 + level / 2.0)) / float(np.sqrt(needed))


def coverage_at_stopping(
    shape: Shape, rule: Rule, needed: Sequence[int], experiments: int, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """Coverage and mean number of values for each precision; the same values serve all of them."""
    found = [list[Stopped]() for _ in needed]
    for size in _chunks(experiments):
        values = shape.draw(rng, (size, rule.looks[-1]))
        for stops, number in zip(found, needed, strict=True):
            stops.append(stop(values, rule, half_width_of(number)))
    joined = [Stopped(*map(np.concatenate, zip(*stops, strict=True))) for stops in found]
    return [(stopped.coverage, float(stopped.sizes.mean())) for stopped in joined]


def _chunks(experiments: int) -> Iterator[int]:
    for done in range(0, experiments, CHUNK):
        yield min(CHUNK, experiments - done)


def print_coverage(experiments: int, rng: np.random.Generator) -> None:
    """Coverage of the mean's interval by shape, precision and rule."""
    for rule in (usual_rule(), sondes_rule(), sondes_rule(30)):
        name = f"{rule.name}, from {rule.looks[0]} on (asked: {rule.asked:.4f})"
        print(f"\nCoverage in % at the moment of stopping, {name}, by values needed:\n")
        print("| |" + "".join(f" {needed} |" for needed in NEEDED) + "\n|---|" + "---|" * len(NEEDED))
        for shape in SHAPES:
            cells = coverage_at_stopping(shape, rule, NEEDED, experiments, rng)
            print(f"| {shape.name} |" + "".join(f" {coverage * 100:.1f} |" for coverage, _ in cells), flush=True)
            if shape.name == "normal":
                sizes = "".join(f" {size:.0f} |" for _, size in cells)
        print(f"| *values used, normal* |{sizes}")


def print_fixed(experiments: int, rng: np.random.Generator) -> None:
    """What Student's interval covers when the number is fixed, to compare with."""
    numbers = (10, 13, 20, 30, 60, 150, 400)
    print("\nCoverage in % with a fixed number of values, Student's interval:\n")
    print("| |" + "".join(f" {number} |" for number in numbers) + "\n|---|" + "---|" * len(numbers))
    for shape in SHAPES:
        cells = []
        for number in numbers:
            rule = Rule("fixed", (number,), np.ones(1), LEVEL)
            cells.append(coverage_at_stopping(shape, rule, (1,), experiments, rng)[0][0])
        print(f"| {shape.name} |" + "".join(f" {coverage * 100:.1f} |" for coverage in cells), flush=True)


def false_alarms(
    shape: Shape, paired: bool, rule: Rule, needed: Sequence[int], experiments: int, rng: np.random.Generator
) -> list[float]:
    """Share of experiments with two identical alternatives whose interval leaves out "no difference", by precision."""
    alarms = [0] * len(needed)
    for size in _chunks(experiments):
        first, second = shape.draw(rng, (2 * size, rule.looks[-1])).reshape(2, size, -1)
        rows = np.arange(size)
        distances, widths = (np.empty(0), np.empty(0)) if paired else _welch(first, second, rule)
        for index, number in enumerate(needed):
            half_width = half_width_of(number) * np.sqrt(2.0)
            if paired:
                alarms[index] += int((np.abs(stop(first - second, rule, half_width).distances) > 1.0).sum())
                continue
            enough = widths <= half_width * rule.narrowness
            enough[:, -1] = True
            at = enough.argmax(axis=1)
            alarms[index] += int((distances[rows, at] > widths[rows, at]).sum())
    return [count / experiments for count in alarms]


def alarms_of_impatience(experiments: int, maximum: int, rng: np.random.Generator) -> float:
    """The same for those who look after each round, and stop as soon as they see a difference."""
    rule, alarms = usual_rule(10, maximum), 0
    for size in _chunks(experiments):
        first, second = rng.standard_normal((2, size, maximum))
        distances, widths = _welch(first, second, rule)
        alarms += int((distances > widths).any(axis=1).sum())
    return alarms / experiments


def _welch(first: Numbers, second: Numbers, rule: Rule) -> tuple[Numbers, Numbers]:
    """Distances of means and half-widths of Welch's interval, (n_experiments, n_looks)."""
    looks = np.array(rule.looks)
    means, variances = list[Numbers](), list[Numbers]()
    for values in (first, second):
        sums, squares = (np.cumsum(part, axis=1)[:, looks - 1] for part in (values, np.square(values)))
        means.append(sums / looks)
        variances.append((squares - np.square(sums) / looks) / (looks - 1.0) / looks)
    together = variances[0] + variances[1]
    freedom = (looks - 1.0) * np.square(together) / (np.square(variances[0]) + np.square(variances[1]))
    return np.abs(means[0] - means[1]), special.stdtrit(freedom, 0.5 + rule.asked / 2.0) * np.sqrt(together)


def print_alarms(experiments: int, rng: np.random.Generator) -> None:
    """False alarms on identical alternatives."""
    needed = (2, 5, 10, 20, 40, 150)
    print("\nFalse alarms in % on identical alternatives, by values needed to reach the precision:\n")
    print("| |" + "".join(f" {number} |" for number in needed) + "\n|---|" + "---|" * len(needed))
    for paired in (False, True):
        for rule in (usual_rule(), sondes_rule()):
            for shape in SHAPES if rule.name == "the plan" else SHAPES[:1]:
                cells = false_alarms(shape, paired, rule, needed, experiments, rng)
                name = f"{'in rounds' if paired else 'independent'}, {rule.name}, {shape.name}"
                print(f"| {name} |" + "".join(f" {100 * alarms:.1f} |" for alarms in cells), flush=True)
    print("\nStopping at the first difference seen, looking after each round from the 10th on:\n")
    for maximum in (30, 100, 640):
        print(f"- up to {maximum} rounds: {100 * alarms_of_impatience(experiments, maximum, rng):.1f} %")


def print_time_budget(experiments: int, rng: np.random.Generator) -> None:
    """Coverage where a budget of time ends the experiment: slow values make it shorter."""
    print("\nCoverage in % when time runs out, for a budget of 15 and 50 times the mean:\n")
    print("| coefficient of variation | normal, 15 | normal, 50 | log-normal, 15 | log-normal, 50 |")
    print("|---|---|---|---|---|")
    for variation in (0.02, 0.1, 0.3):
        sigma = float(np.sqrt(np.log1p(variation**2)))
        cells = list[str]()
        for shape in (Shape("normal", _normal), Shape("log-normal", _log_normal(sigma))):
            for budget in (15.5, 50.5):
                values = shape.draw(rng, (experiments, int(3 * budget)))
                spent = np.cumsum(1.0 + variation * values, axis=1)
                sizes = np.maximum((spent <= budget).sum(axis=1), 2)
                rows = np.arange(experiments)
                sums, squares = (np.cumsum(part, axis=1)[rows, sizes - 1] for part in (values, np.square(values)))
                deviations = np.sqrt((squares - np.square(sums) / sizes) / (sizes - 1.0))
                widths = special.stdtrit(sizes - 1.0, 0.5 + LEVEL / 2.0) * deviations / np.sqrt(sizes)
                cells.append(f"{100.0 * float((np.abs(sums / sizes) <= widths).mean()):.1f}")
        print(f"| {variation:.0%} | " + " | ".join(cells) + " |")


def print_adaptive_power(experiments: int, rng: np.random.Generator) -> None:
    """How often a difference is seen after stopping by width, and what a fixed number of as many rounds sees."""
    print("\nDifferences seen, in %, after stopping at a precision of 1 % of the ratio (alternatives in rounds):\n")
    print("| coefficient of variation | rounds used | 0.5 % | 1 % | 1.5 % | 2 % | 2 %, as many rounds, fixed |")
    print("|---|---|---|---|---|---|---|")
    rule = sondes_rule()
    for variation in (0.005, 0.02, 0.05):
        seen, sizes = dict[float, float](), 0.0
        for effect in (0.005, 0.01, 0.015, 0.02):
            stopped = list[Stopped]()
            for size in _chunks(experiments):
                first, second = 1.0 + variation * rng.standard_normal((2, size, rule.looks[-1]))
                differences = second * (1.0 + effect) - first
                looked = stop(differences - effect, rule, 0.01)
                # distances are from the truth; from "no difference" it is effect / half-width more
                stopped.append(_from_no_difference(looked, differences, effect))
            joined = Stopped(*map(np.concatenate, zip(*stopped, strict=True)))
            seen[effect], sizes = 1.0 - joined.coverage, float(joined.sizes.mean())
        fixed = power_of_ratio(0.02, variation, round(sizes), paired_correlation=0.0)
        cells = "".join(f" {100.0 * share:.1f} |" for share in seen.values())
        print(f"| {variation:.1%} | {sizes:.0f} |{cells} {100.0 * fixed:.1f} |", flush=True)


def _from_no_difference(looked: Stopped, differences: Numbers, effect: float) -> Stopped:
    rows, at = np.arange(len(differences)), looked.sizes.astype(np.int64) - 1
    means = (np.cumsum(differences, axis=1))[rows, at] / looked.sizes
    widths = (means - effect) / looked.distances
    return Stopped(looked.sizes, means / widths)


def print_as_printed(experiments: int, rng: np.random.Generator) -> None:
    """The same with the procedures that sonde prints: the mean's interval, and the ratio's."""
    maximum, needed = 160, (5, 15, 40)
    print(f"\nAs sonde prints it, {experiments} experiments a cell, at most {maximum} rounds, of values needed:\n")
    print("| |" + "".join(f" mean, {n} |" for n in needed) + "".join(f" ratio, {n} |" for n in needed))
    print("|---|" + "---|" * (2 * len(needed)))
    for shape in SHAPES:
        cells = [_mean_as_printed(shape, maximum, number, experiments, rng) for number in needed]
        cells += [_ratio_as_printed(shape, maximum, number, experiments, rng) for number in needed]
        print(f"| {shape.name} |" + "".join(f" {cell} |" for cell in cells), flush=True)


def _mean_as_printed(
    shape: Shape, maximum: int, needed: int, experiments: int, rng: np.random.Generator, variation: float = 0.05
) -> str:
    plan = StoppingPlan(Extent().minimum, maximum, half_width_of(needed) * variation, LEVEL)
    covered, printed, used = 0, 0, 0
    for values in 1.0 + variation * shape.draw(rng, (experiments, maximum)):
        for look in plan.looks:
            # The interval's own width depends on a few terms of a series, and is small by chance now and then.
            width = expected_half_width(values[:look], plan.fixed_level)
            if plan.decide(look, None if width is None else width / float(values[:look].mean())).stop:
                break
        interval = mean_estimate(values[:look], plan.fixed_level).interval
        used += look
        if interval is not None:
            printed += 1
            covered += 1.0 in interval
    return _share(covered, printed, experiments, used)


def _ratio_as_printed(
    shape: Shape, maximum: int, needed: int, experiments: int, rng: np.random.Generator, variation: float = 0.05
) -> str:
    plan = StoppingPlan(Extent().minimum, maximum, half_width_of(needed) * variation * float(np.sqrt(2.0)), LEVEL)
    covered, printed, used = 0, 0, 0
    pairs = 1.0 + variation * shape.draw(rng, (2 * experiments, maximum)).reshape(experiments, 2, maximum)
    for first, second in pairs:
        for look in plan.looks:
            estimate = ratio_of_means(second[:look], first[:look], plan.fixed_level, paired=True)
            interval = estimate.interval
            if plan.decide(look, None if interval is None else interval.half_width / estimate.value).stop:
                break
        used += look
        if interval is not None:
            printed += 1
            covered += 1.0 in interval
    return _share(covered, printed, experiments, used)


def _share(covered: int, printed: int, experiments: int, used: int) -> str:
    if not printed:
        return "withheld"
    withheld = "" if printed == experiments else f" ({100.0 * (1.0 - printed / experiments):.0f} withheld)"
    return f"{100.0 * covered / printed:.1f}{withheld}, n = {used / experiments:.0f}"


def print_by_width(experiments: int, rng: np.random.Generator) -> None:
    """Coverage of the mean's interval by the width that one stops by: its own, or the one to be expected."""
    looks = [10]
    while looks[-1] < 200:
        looks.append(min(200, math.ceil(1.2 * looks[-1])))
    print(f"\nStopping by one width or the other, {experiments} experiments a row:\n")
    print("| | half-width wanted | stop by the interval's own | by `expected_half_width` | half-width then printed |")
    print("|---|---|---|---|---|")
    for shape in (SHAPES[0], Shape("exponential", _exponential), Shape("AR(1), 0.5", _dependent(0.5)), SHAPES[6]):
        for wanted in (0.5, 0.3):
            own, expected = list[Interval](), list[Interval]()
            for values in shape.draw(rng, (experiments, looks[-1])):
                own.append(_stopped_by(values, looks, wanted, lambda part: _interval(part).half_width))
                expected.append(_stopped_by(values, looks, wanted, _expected))
            shares = "".join(
                f" {100.0 * sum(0.0 in each for each in found) / experiments:.1f} |" for found in (own, expected)
            )
            width = sum(each.half_width for each in expected) / experiments
            print(f"| {shape.name} | {wanted} sd |{shares} {width:.2f} |", flush=True)


def _stopped_by(values: Numbers, looks: Sequence[int], wanted: float, width: Callable[[Numbers], float]) -> Interval:
    enough = next((look for look in looks if width(values[:look]) <= wanted), looks[-1])
    return _interval(values[:enough])


def _interval(values: Numbers) -> Interval:
    interval = mean_estimate(values, LEVEL, check=False).interval
    assert interval is not None, "there are 10 values, which vary"
    return interval


def _expected(values: Numbers) -> float:
    width = expected_half_width(values, LEVEL)
    assert width is not None, "there are 10 values, which vary"
    return width


def main() -> None:
    """All tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=10_000, help="of each cell (default: 10,000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--as-printed", type=int, default=0, metavar="N", help="experiments with sonde's own intervals")
    options = parser.parse_args()
    print(f"{options.experiments} experiments a cell, seed {options.seed}")
    for table in (print_fixed, print_coverage, print_alarms, print_time_budget, print_adaptive_power):
        table(options.experiments, np.random.default_rng(options.seed))
    if options.as_printed:
        print_as_printed(options.as_printed, np.random.default_rng(options.seed))
        print_by_width(options.as_printed, np.random.default_rng(options.seed))


if __name__ == "__main__":
    main()
