"""How often the intervals for a mean and for a median contain the truth, on simulated data of many kinds.

    python benches/bench_coverage.py [--experiments 10000] [--level 0.95] [--sizes 10,30] [--only normal,skewed,...]
        [--tables mean,unordered,student,median,width]

Prints the tables of docs/notes/intervals.md: a row for each kind of data, a column for each number of values; in each
cell the share of experiments, in percent, whose interval contained the true mean. The standard error of a cell is 0.2
with 10,000 experiments. All of it takes some minutes; every figure comes from the code that users run.
"""

import argparse
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import special

from sonde.stats.findings import Estimate
from sonde.stats.mean_estimate import mean_estimate
from sonde.stats.mean_interval import mean_interval
from sonde.stats.median_interval import median_interval

Samples = npt.NDArray[np.float64]
SIZES = (5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 300)


@dataclass(frozen=True)
class Kind:
    """A way in which values come about, and the truth about it."""

    name: str
    group: str
    draw: Callable[[np.random.Generator, int, int], Samples]
    """(experiments, values), from the number of each."""
    mean: float
    median: float | None = None
    """None where values are not independent, or have two modes: the median is then no target."""


def correlated(random: np.random.Generator, experiments: int, values: int, carried: float) -> Samples:
    """Standard normal values, each of which has this correlation with the one before it."""
    fresh = random.standard_normal((experiments, values))
    found = np.empty_like(fresh)
    found[:, 0] = fresh[:, 0]
    for at in range(1, values):
        found[:, at] = carried * found[:, at - 1] + math.sqrt(1.0 - carried**2) * fresh[:, at]
    return found


def clusters(random: np.random.Generator, experiments: int, values: int, share: float, apart: float) -> Samples:
    """Normal values around 0 and, with this share, around `apart` standard deviations."""
    upper = random.random((experiments, values)) < share
    return random.standard_normal((experiments, values)) + np.where(upper, apart, 0.0)


def lognormal(random: np.random.Generator, experiments: int, values: int, sigma: float) -> Samples:
    """Values whose logarithms are normal, with this standard deviation."""
    return random.lognormal(0.0, sigma, (experiments, values))


def _kinds() -> Iterable[Kind]:
    yield Kind("normal", "independent", lambda r, m, n: r.standard_normal((m, n)), 0.0, 0.0)
    yield Kind("uniform", "independent", lambda r, m, n: r.random((m, n)), 0.5, 0.5)
    yield Kind("Student t, 3 degrees of freedom", "independent", lambda r, m, n: r.standard_t(3, (m, n)), 0.0, 0.0)
    for sigma in (0.1, 0.25, 0.5, 0.75, 1.0):
        yield Kind(
            f"log-normal, sigma {sigma:g}",
            "skewed",
            partial(lognormal, sigma=sigma),
            math.exp(sigma**2 / 2.0),
            1.0,
        )
    yield Kind("gamma, shape 4", "skewed", lambda r, m, n: r.gamma(4.0, 1.0, (m, n)), 4.0, special.gammaincinv(4, 0.5))
    yield Kind(
        "exponential, shifted", "skewed", lambda r, m, n: 9.0 + r.exponential(1.0, (m, n)), 10.0, 9 + math.log(2)
    )
    yield Kind(
        "normal, a tenth slower by an exponential of 3 sd",
        "skewed",
        lambda r, m, n: r.standard_normal((m, n)) + (r.random((m, n)) < 0.1) * r.exponential(3.0, (m, n)),
        0.3,
    )
    for share in (0.5, 0.3, 0.2, 0.1, 0.05):
        yield Kind(
            f"two modes, {1 - share:.0%} and {share:.0%}, 10 sd apart".replace("%", " %"),
            "bimodal",
            partial(clusters, share=share, apart=10.0),
            10.0 * share,
        )
    for share in (0.5, 0.2):
        yield Kind(
            f"two modes, {1 - share:.0%} and {share:.0%}, 5 sd apart".replace("%", " %"),
            "bimodal",
            partial(clusters, share=share, apart=5.0),
            5.0 * share,
        )
    for carried in (0.2, 0.3, 0.5, 0.7, 0.8, 0.9):
        yield Kind(
            f"normal AR(1), {carried:g}",
            "autocorrelated",
            partial(correlated, carried=carried),
            0.0,
        )
    yield Kind(
        "log-normal AR(1), sigma 0.5, 0.3",
        "autocorrelated",
        lambda r, m, n: np.exp(0.5 * correlated(r, m, n, 0.3)),
        math.exp(0.125),
    )
    yield Kind(
        "exponential AR(1), 0.5",
        "autocorrelated",
        lambda r, m, n: -np.asarray(special.log_ndtr(-correlated(r, m, n, 0.5))),
        1.0,
    )
    yield Kind(
        "two modes, alike neighbours 0.3",
        "autocorrelated",
        lambda r, m, n: (correlated(r, m, n, 0.3) > 0) + 0.1 * r.standard_normal((m, n)),
        0.5,
    )
    yield Kind(
        "normal with a drift of 2 sd",
        "autocorrelated",
        lambda r, m, n: r.standard_normal((m, n)) + np.linspace(-1.0, 1.0, n),
        0.0,
    )


KINDS = tuple(_kinds())


def covered(
    kind: Kind, values: int, experiments: int, method: Callable[[Samples], Estimate], truth: float
) -> tuple[float, float]:
    """The share of printed intervals that contain the truth, and the share of experiments that print one."""
    random = np.random.default_rng([sum(map(ord, kind.name)), values])
    estimates = [method(sample) for sample in kind.draw(random, experiments, values)]
    printed = [estimate.interval for estimate in estimates if estimate.interval is not None]
    if not printed:
        return math.nan, 0.0
    return sum(truth in interval for interval in printed) / len(printed), len(printed) / experiments


def print_table(
    title: str,
    method: Callable[[Samples], Estimate],
    truth_of: Callable[[Kind], float | None],
    kinds: Iterable[Kind],
    sizes: Iterable[int],
    experiments: int,
) -> None:
    """One table, row by row as it comes."""
    sizes = tuple(sizes)
    print(f"\n{title}\n\n| values | {' | '.join(map(str, sizes))} |\n|---|{'---:|' * len(sizes)}")
    for kind in kinds:
        truth = truth_of(kind)
        if truth is None:
            continue
        cells = []
        for values in sizes:
            share, printed = covered(kind, values, experiments, method, truth)
            cells.append("withheld" if not printed else f"{100 * share:.1f}" + ("" if printed == 1.0 else " *"))
        print(f"| {kind.name} | {' | '.join(cells)} |", flush=True)


def print_widths(sizes: Iterable[int], experiments: int, level: float) -> None:
    """How wide the interval of the mean is for independent normal values, beside Student's and the sample itself."""
    sizes = tuple(sizes)
    names = ("median width, of Student's", "variation of the width", "wider than the sample")
    columns = []
    for values in sizes:
        samples = np.random.default_rng(values).standard_normal((experiments, values))
        widths = _half_widths(samples, lambda v: mean_estimate(v, level, check=False))
        students = _half_widths(samples, lambda v: mean_interval(v, level, "student"))
        wider = float(np.mean(2.0 * widths > np.ptp(samples, axis=1)))
        times, variation = float(np.median(widths) / np.median(students)), float(widths.std() / widths.mean())
        columns.append((f"{times:.2f}", f"{variation:.2f}", f"{100.0 * wider:.0f} %"))
    print(f"\nWhat it costs\n\n| values | {' | '.join(map(str, sizes))} |\n|---|{'---:|' * len(sizes)}")
    for name, row in zip(names, zip(*columns, strict=True), strict=True):
        print(f"| {name} | {' | '.join(row)} |")


def _half_widths(samples: Samples, method: Callable[[Samples], Estimate]) -> Samples:
    """(experiments,) of intervals that are all printed."""
    found = (method(sample).interval for sample in samples)
    return np.array([interval.half_width for interval in found if interval is not None])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=10_000)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--only", default="", help="groups or kinds, separated by commas")
    parser.add_argument("--tables", default="mean,unordered,student,median,width")
    options = parser.parse_args()
    level: float = options.level
    sizes = tuple(map(int, options.sizes.split(",")))
    only = {part.strip() for part in options.only.split(",") if part.strip()}
    kinds = tuple(kind for kind in KINDS if not only or only & {kind.name, kind.group})
    tables: dict[str, tuple[str, Callable[[Samples], Estimate], Callable[[Kind], float | None]]] = {
        "mean": (
            "The mean, as sonde prints it",
            lambda v: mean_estimate(v, level, check=False),
            lambda kind: kind.mean,
        ),
        "unordered": (
            "The mean, where the order of values is not known",
            lambda v: mean_estimate(v, level, ordered=False, check=False),
            lambda kind: None if kind.group == "autocorrelated" else kind.mean,
        ),
        "student": (
            "The mean, by Student's t",
            lambda v: mean_interval(v, level, "student"),
            lambda kind: kind.mean,
        ),
        "median": ("The median", lambda v: median_interval(v, level), lambda kind: kind.median),
    }
    for name, (title, method, truth_of) in tables.items():
        if name in options.tables.split(","):
            print_table(title, method, truth_of, kinds, sizes, options.experiments)
    if "width" in options.tables.split(","):
        print_widths(sizes, options.experiments, level)


if __name__ == "__main__":
    main()
