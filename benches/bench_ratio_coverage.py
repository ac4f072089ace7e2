"""How often the interval for a ratio of means contains the truth, on simulated experiments of many kinds.

    python benches/bench_ratio_coverage.py [--experiments 10000] [--level 0.95] [--method auto] [--only TABLE,...]

Prints the tables of docs/notes/comparing.md: a row for each kind of noise, a column for each pair of sample sizes. In
each cell is the share, in percent, of the intervals printed that contain the true ratio, and after a stroke the share
of experiments whose interval was printed, where that is not all. The standard error of a cell is 0.2 with 10,000
experiments. All of it takes about half an hour; every figure comes from the code that users run.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import judge_change
from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.stats.ratio_evidence import FEWEST_APART
from sonde.stats.ratio_of_means import Method, ratio_of_means

Values = npt.NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, int]], Values]
"""(experiments, values) with mean 0 and standard deviation 1."""

RATIO = 1.07
"""The truth."""
COV = 0.05
"""Standard deviation of the denominator as a share of its mean, unless a table says otherwise."""


def two_modes(share: float) -> Noise:
    """Normal noise; this share of values lies 6 of its standard deviations higher."""

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> Values:
        higher = random.random(shape) < share
        return (random.standard_normal(shape) + 6.0 * higher - 6.0 * share) / math.sqrt(1 + 36 * share * (1 - share))

    return draw


def log_normal(sigma: float) -> Noise:
    """Noise whose logarithm is normal."""
    mean, variance = math.exp(sigma**2 / 2.0), math.exp(sigma**2) * (math.exp(sigma**2) - 1.0)
    return lambda random, shape: (random.lognormal(0.0, sigma, shape) - mean) / math.sqrt(variance)


def autoregressive(carried: float) -> Noise:
    """Normal noise, each value correlated with the one before."""

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> Values:
        fresh = random.standard_normal(shape)
        found = fresh.copy()
        for at in range(1, shape[1]):
            found[:, at] = carried * found[:, at - 1] + math.sqrt(1.0 - carried**2) * fresh[:, at]
        return found

    return draw


def normal(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    """Normal noise."""
    return random.standard_normal(shape)


INDEPENDENT: dict[str, Noise] = {
    "normal": normal,
    "two modes, 50 %": two_modes(0.5),
    "two modes, 20 % slow": two_modes(0.2),
    "two modes, 5 % slow": two_modes(0.05),
    "log-normal, sigma 0.3": log_normal(0.3),
    "log-normal, sigma 0.5": log_normal(0.5),
    "exponential": lambda random, shape: random.standard_exponential(shape) - 1.0,
    "log-normal, sigma 1": log_normal(1.0),
}
DEPENDENT = {f"autocorrelation {carried:g}": autoregressive(carried) for carried in (0.0, 0.2, 0.3, 0.5, 0.7)}

BALANCED = ((5, 5), (7, 7), (10, 10), (20, 20), (30, 30), (100, 100))
UNEQUAL = ((5, 10), (15, 5), (10, 30), (10, 100), (20, 30), (30, 100))


@dataclass(frozen=True)
class Cell:
    """What became of the experiments of one kind."""

    covered: float
    printed: float
    width: float
    """Mean half-width of the intervals printed, as a share of the ratio."""


def measure(numerators: Values, denominators: Values, ratio: float, level: float, paired: bool, method: Method) -> Cell:
    """Make the interval of each experiment, one a row, and see whether it contains the truth.

    Few values that did not take turns are compared only if they are said to be independent, as they are here.
    """
    hits, widths = 0, []
    independent = not paired and min(numerators.shape[1], denominators.shape[1]) < FEWEST_APART
    for numerator, denominator in zip(numerators, denominators, strict=True):
        interval = ratio_of_means(
            numerator, denominator, level, paired=paired, independent=independent, method=method
        ).interval
        if interval is not None:
            hits += ratio in interval
            widths.append(interval.half_width / ratio)
    printed = len(widths)
    return Cell(
        hits / printed if printed else math.nan, printed / len(numerators), float(np.mean(widths or [math.nan]))
    )


def unpaired(
    random: np.random.Generator,
    count: int,
    sizes: tuple[int, int],
    noises: tuple[Noise, Noise],
    covs: tuple[float, float],
) -> tuple[Values, Values]:
    """Two alternatives measured by themselves."""
    numerator = RATIO * (1.0 + covs[0] * noises[0](random, (count, sizes[0])))
    return numerator, 1.0 + covs[1] * noises[1](random, (count, sizes[1]))


def rounds(
    random: np.random.Generator, count: int, size: int, own: Noise, shared: Values | float, cov: float = 0.02
) -> tuple[Values, Values]:
    """Two alternatives measured in rounds: noise of each, times what disturbs both."""
    one, other = (1.0 + cov * own(random, (count, size)) for _ in range(2))
    return RATIO * one * (1.0 + shared), other * (1.0 + shared)


def in_random_order(
    random: np.random.Generator, count: int, size: int, carried: float, cov: float = 0.02
) -> tuple[Values, Values]:
    """Two alternatives in rounds of random order; processes resemble those that ran before, whichever they were."""
    slots = 1.0 + cov * autoregressive(carried)(random, (count, 2 * size)).reshape(count, size, 2)
    slots = np.where(random.random((count, size, 1)) < 0.5, slots[:, :, ::-1], slots)
    return RATIO * slots[:, :, 0], slots[:, :, 1]


class Tables:
    """Prints tables, one kind of experiment each."""

    def __init__(self, experiments: int, level: float, method: Method, only: set[str]) -> None:
        self._experiments, self._level, self._method, self._only = experiments, level, method, only

    def same_kind(
        self, name: str, sizes: tuple[tuple[int, int], ...], noises: dict[str, Noise], quotient: float
    ) -> None:
        """Both alternatives have noise of one kind; the numerator's is `quotient` times as large."""
        kinds = {kind: (noise, noise) for kind, noise in noises.items()}
        self._unpaired(name, sizes, kinds, (COV * quotient, COV))

    def mixed(self, name: str, sizes: tuple[tuple[int, int], ...]) -> None:
        """Kinds differ."""
        exponential = INDEPENDENT["exponential"]
        kinds = {
            "normal / exponential": (normal, exponential),
            "exponential / normal": (exponential, normal),
            "two modes, 20 % / normal": (two_modes(0.2), normal),
        }
        self._unpaired(name, sizes, kinds, (COV, COV))

    def by_cov(self, name: str, covs: tuple[float, ...]) -> None:
        """Noise small and large."""
        if self._wanted(name, [f"{n}: {cov * 100:g}%" for n in (10, 30) for cov in covs]):
            for kind in ("normal", "log-normal, sigma 0.5", "exponential", "two modes, 20 % slow"):
                noise = INDEPENDENT[kind]
                self._row(
                    kind,
                    [
                        (*unpaired(self._random(), self._experiments, (n, n), (noise, noise), (cov, cov)), False)
                        for n in (10, 30)
                        for cov in covs
                    ],
                )

    def paired(self, name: str, sizes: tuple[int, ...]) -> None:
        """Rounds."""
        if not self._wanted(name, [str(size) for size in sizes]):
            return
        for label, shared in (("no", 0.0), ("drift", 0.1), ("autocorrelated", 0.05)):
            for kind in (
                "normal",
                "log-normal, sigma 0.5",
                "exponential",
                "two modes, 5 % slow",
                "log-normal, sigma 1",
            ):
                self._row(
                    f"{kind}; {label} shared noise",
                    [
                        (
                            *rounds(
                                random, self._experiments, n, INDEPENDENT[kind], self._shared(random, label, shared, n)
                            ),
                            True,
                        )
                        for n in sizes
                        for random in [self._random()]
                    ],
                )
        for kind, noise in DEPENDENT.items():
            self._row(
                f"{kind} of each", [(*rounds(self._random(), self._experiments, n, noise, 0.0), True) for n in sizes]
            )

    def random_order(self, name: str, sizes: tuple[int, ...]) -> None:
        """Rounds of random order, processes that depend on those before them."""
        if self._wanted(name, [str(size) for size in sizes]):
            for carried in (0.3, 0.5, 0.7, 0.9):
                self._row(
                    f"lag-1 correlation of processes {carried:g}",
                    [(*in_random_order(self._random(), self._experiments, n, carried), True) for n in sizes],
                )

    def power(self, name: str, sizes: tuple[int, ...], effect: float = 0.02, cov: float = 0.01) -> None:
        """How often a difference is seen, in percent of experiments, of normal values."""
        if not self._wanted(name, [str(size) for size in sizes]):
            return
        for label, paired in (("one after the other", False), ("rounds", True)):
            shares = []
            for n in sizes:
                slower, other = 1.0 + cov * self._random().standard_normal((2, self._experiments, n))
                pairs = zip(slower * (1.0 + effect), other, strict=True)
                found = (ratio_of_means(*pair, self._level, paired=paired).interval for pair in pairs)
                intervals = [interval for interval in found if interval is not None]
                seen = sum(1.0 not in interval for interval in intervals) / self._experiments
                shares.append(f"{100.0 * seen:.1f}" if intervals else "-")
            print(f"{label:42}" + "".join(f"{share:>9}" for share in shares), flush=True)

    def families(self, name: str, sizes: tuple[int, ...], families: int = 60, benchmarks: int = 50) -> None:
        """Many equal benchmarks at once, of processes that depend on those before them: false discoveries."""
        if not self._wanted(name, [str(size) for size in sizes]):
            return
        for carried in (0.0, 0.5, 0.7):
            shares = []
            for n in sizes:
                random = self._random()
                policy = Policy(level=self._level, assume_independent=n < FEWEST_APART)
                found = 0
                for _ in range(families):
                    values = 1.0 + COV * autoregressive(carried)(random, (benchmarks, n))
                    others = 1.0 + COV * autoregressive(carried)(random, (benchmarks, n))
                    counts = judge_change(_measured(values), _measured(others), policy).counts()
                    found += counts["worse"] + counts["better"] > 0
                shares.append(100.0 * found / families)
            print(f"{f'lag-1 correlation {carried:g}':42}" + "".join(f"{share:9.0f}" for share in shares), flush=True)

    def _shared(self, random: np.random.Generator, label: str, size: float, n: int) -> Values | float:
        if label == "drift":
            return size * np.linspace(0.0, 1.0, n)[None, :] * random.standard_normal((self._experiments, 1))
        return size * autoregressive(0.8)(random, (self._experiments, n)) if label == "autocorrelated" else 0.0

    def _unpaired(
        self,
        name: str,
        sizes: tuple[tuple[int, int], ...],
        kinds: dict[str, tuple[Noise, Noise]],
        covs: tuple[float, float],
    ) -> None:
        if self._wanted(name, [f"{n}/{m}" for n, m in sizes]):
            for kind, noises in kinds.items():
                self._row(
                    kind, [(*unpaired(self._random(), self._experiments, size, noises, covs), False) for size in sizes]
                )

    def _wanted(self, name: str, columns: list[str]) -> bool:
        if self._only and name not in self._only:
            return False
        print(f"\n{name}\n{'':42}" + "".join(f"{column:>9}" for column in columns))
        return True

    def _row(self, kind: str, cells: list[tuple[Values, Values, bool]]) -> None:
        found = [measure(one, other, RATIO, self._level, paired, self._method) for one, other, paired in cells]
        print(f"{kind:42}" + "".join(f"{_text(cell):>9}" for cell in found), flush=True)

    def _random(self) -> np.random.Generator:
        return np.random.default_rng(20260721)


def _measured(values: Values) -> Measurements:
    """A benchmark for each row, of one value from each process."""
    return Measurements(
        tuple(
            Series(f"b{row}", "", "startup", tuple(Invocation(np.array([value])) for value in one))
            for row, one in enumerate(values)
        ),
        Provenance("simulated"),
    )


def _text(cell: Cell) -> str:
    if cell.printed == 0.0:
        return "-"
    covered = f"{cell.covered * 100.0:.1f}"
    return covered if cell.printed > 0.995 else f"{covered}/{cell.printed * 100.0:.0f}"


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=10_000)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--method", choices=["auto", "fieller", "bootstrap"], default="auto")
    parser.add_argument("--only", default="", help="names of tables, with commas")
    options = parser.parse_args()
    only = {name.strip() for name in options.only.split(",") if name.strip()}
    tables = Tables(options.experiments, options.level, options.method, only)
    tables.same_kind("balanced", BALANCED, INDEPENDENT, 1.0)
    tables.same_kind("unequal sizes", UNEQUAL, INDEPENDENT, 1.0)
    tables.same_kind("autocorrelated", tuple((n, n) for n in (5, 8, 10, 14, 20, 30, 100)), DEPENDENT, 1.0)
    tables.same_kind("numerator varies twice as much", (*BALANCED[2:], (10, 30), (30, 10)), INDEPENDENT, 2.0)
    tables.same_kind("numerator varies 3 times as much", (*BALANCED[2:], (10, 30), (30, 10)), INDEPENDENT, 3.0)
    tables.mixed("kinds differ", (*BALANCED[2:5], (10, 30), (30, 10)))
    tables.by_cov("by noise", (0.001, 0.1, 0.5))
    tables.paired("rounds", (5, 7, 10, 20, 30, 100))
    tables.random_order("random order", (7, 10, 15, 20, 30, 100))
    tables.power("power", (9, 10, 12, 15, 20, 30))
    tables.families("families", (10, 20, 30))


if __name__ == "__main__":
    main()
