"""Runs of made-up programs whose times are known, and what looks at random moments tell of them.

A program visits its functions one after the other, each many times. Visits may be shorter than the distance from one
look to the next, or much longer: then looks depend on one another.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import numpy.typing as npt

from sonde.code import Function
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Run, Sampling, contexts_from_self

INTERVAL_NS = 1_000_000.0
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Visits:
    """What a program does, in any order."""

    function: npt.NDArray[np.int64]
    ns: Floats

    @property
    def of_functions(self) -> Floats:
        """Nanoseconds of each."""
        return np.asarray(np.bincount(self.function, weights=self.ns), dtype=np.float64)


def visits(shares: Sequence[float], lengths: Sequence[float], looks: int, random: np.random.Generator) -> Visits:
    """A program of functions with known shares.

    Args:
        shares: of the time; they add up to 1.
        lengths: of a visit of each function, on average, in distances between looks.
        looks: how many there are at all of it, about.
    """
    functions, durations = [], []
    for number, (share, length) in enumerate(zip(shares, lengths, strict=True)):
        drawn = random.exponential(size=max(1, round(share * looks / length)))
        functions.append(np.full(len(drawn), number))
        durations.append(share * looks * INTERVAL_NS * drawn / drawn.sum())
    return Visits(np.concatenate(functions), np.concatenate(durations))


@dataclass(frozen=True)
class Seen:
    """What looks have told."""

    own: Floats
    """Nanoseconds of each function."""
    deviation: Floats
    """Standard errors, as `native/core/base/change_variance.h` has them."""
    whole: float
    looks: int


def looked_at(program: Visits, random: np.random.Generator, factors: Floats | None = None) -> Seen:
    """One run: the visits in random order, looked at at random distances, from half of the mean to half more.

    Args:
        factors: by which each function takes longer in this run.
    """
    order = random.permutation(len(program.ns))
    function = program.function[order]
    ends = np.cumsum(program.ns[order] * (1.0 if factors is None else factors[function]))
    whole, count = float(ends[-1]), int(program.function.max()) + 1
    most = int(2.2 * whole / INTERVAL_NS) + 10
    at = random.uniform(0, INTERVAL_NS) + np.concatenate(
        [[0.0], np.cumsum(INTERVAL_NS * random.uniform(0.5, 1.5, most))]
    )
    at = at[at < whole]
    seen = function[np.searchsorted(ends, at, side="right")]
    gaps, before, after = np.diff(at), seen[:-1], seen[1:]
    own = np.zeros(count) + np.bincount(seen[[0, -1]], weights=[at[0], whole - at[-1]], minlength=count)
    squares = np.zeros(count)
    for side in (before, after):
        own += np.bincount(side, weights=gaps / 2, minlength=count)
        squares += np.bincount(side, weights=np.where(before == after, 0.0, gaps**2 / 12), minlength=count)
    both = np.where(before == after, 0.0, gaps**2)
    both = (both[:-1] + both[1:]) * 5 / 12 * (before[:-1] != after[:-1]) * (before[1:] != after[1:])
    # Two changes that follow one another are both of the function between them, and of one that is on both sides of it.
    squares += np.bincount(after[:-1], weights=both, minlength=count)
    squares += np.bincount(before[:-1], weights=np.where(before[:-1] == after[1:], both, 0.0), minlength=count)
    return Seen(own, np.sqrt(squares), whole, len(at))


def profile_of_looks(seen: Seen) -> ContextProfile:
    """As `sonde sample` writes it: `main`, which calls all functions."""
    count = len(seen.own)
    functions = [Function(f"f{number}", "app", "app.py", 10 * number + 20) for number in range(count)]
    tree = contexts_from_self(
        parent=[NO_PARENT, *[0] * count],
        function=range(count + 1),
        call_line=[0, *range(2, count + 2)],
        calls=[0] * (count + 1),
        self_ns=[0, *map(round, seen.own.tolist())],
    )
    tree = replace(tree, ns_deviation=array("q", [0, *map(ceil, seen.deviation.tolist())]))
    sampling = Sampling(interval_ns=round(INTERVAL_NS), burst_ns=0, bursts=seen.looks, fraction=1.0, has_calls=False)
    return ContextProfile(
        (Function("main", "app", "app.py", 1), *functions),
        tree,
        Run(command=("app.py",), clock="sampled", time_kind="processor", duration_ns=round(seen.whole)),
        sampling=sampling,
    )
