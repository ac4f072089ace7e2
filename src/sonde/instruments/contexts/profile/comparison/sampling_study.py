"""What a study of sampling finds of each way: its cost, its overlap with a dense profile, its stability."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sonde.code import Function
from sonde.evidence import rank_overlap, stability, weighted_overlap
from sonde.instruments.contexts.profile.comparison.own_shares import Shares, mean_shares, vectors
from sonde.stats.findings import Estimate
from sonde.stats.median_interval import median_interval

TOP = 10
"""Functions whose names are compared."""


@dataclass(frozen=True, slots=True)
class SampledRun:
    """One run, as it was sampled."""

    elapsed_ns: int
    processor_ns: int
    samples: int
    seen_ns: int
    """Time that the samples stand for."""
    own: Shares


@dataclass(frozen=True, slots=True)
class WayFigures:
    """What is told of one way of sampling; estimates are medians over rounds."""

    elapsed: Estimate
    """Against the program by itself in the same round."""
    processor: Estimate
    """Its processor time, likewise."""
    overlap: Estimate | None
    """Weighted, of each run with the mean of all dense ones; None: nothing was seen."""
    names: float
    """How many of the first functions of the dense profile are among the first of the mean one."""
    stability: float | None
    rate: float
    """Samples a second of the time that they stand for."""
    hottest: Function | None
    runs: int


def way_figures(runs: Sequence[SampledRun], plain: Sequence[tuple[int, int]], dense: Shares) -> WayFigures:
    """The figures of one way.

    Args:
        runs: in the order of rounds.
        plain: elapsed and processor time of the program by itself, in the same order.
        dense: the profile that it is compared with.
    """
    seen = [run.own for run in runs if run.own]
    mean = mean_shares(seen)
    the_dense, the_mean, *each_seen = vectors([dense, mean, *seen])
    seen_ns = sum(run.seen_ns for run in runs)
    return WayFigures(
        elapsed=median_interval([run.elapsed_ns / elapsed for run, (elapsed, _) in zip(runs, plain, strict=True)]),
        processor=median_interval([run.processor_ns / ran for run, (_, ran) in zip(runs, plain, strict=True)]),
        overlap=median_interval([weighted_overlap(each, the_dense) for each in each_seen]) if seen else None,
        names=rank_overlap(the_mean, the_dense, TOP),
        stability=stability(each_seen),
        rate=1e9 * sum(run.samples for run in runs) / seen_ns if seen_ns else 0.0,
        hottest=hottest_of(mean),
        runs=len(runs),
    )


def hottest_of(shares: Mapping[Function, float]) -> Function | None:
    """The function with the largest share."""
    return max(shares, key=lambda function: shares[function]) if shares else None
