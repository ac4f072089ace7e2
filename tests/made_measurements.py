"""Measurements with a known truth, made from random numbers."""

from collections.abc import Mapping, Sequence

import numpy as np

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Provenance, Series


def start_up(
    benchmark: str,
    alternative: str,
    values: Sequence[float] | np.ndarray,
    *,
    rounds: bool = True,
    metric: Metric = WALL,
    levels: Mapping[str, str] | None = None,
) -> Series:
    """One value for each invocation."""
    return Series(
        benchmark,
        alternative,
        "startup",
        tuple(
            Invocation(np.array([value]), round=i if rounds else None, position=i)
            for i, value in enumerate(np.asarray(values, dtype=np.float64))
        ),
        metric,
        levels or {},
    )


def steady(benchmark: str, alternative: str, runs: Sequence[Sequence[float] | np.ndarray]) -> Series:
    """Many values for each invocation."""
    return Series(
        benchmark,
        alternative,
        "steady",
        tuple(Invocation(np.asarray(run, dtype=np.float64), position=i) for i, run in enumerate(runs)),
    )


def measurements(*series: Series, tool: str = "made", environment: Mapping[str, str] | None = None) -> Measurements:
    """All of it in one file."""
    return Measurements(series, Provenance(tool, "made.sonde", environment=environment or {}))
