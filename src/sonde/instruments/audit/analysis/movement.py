"""Realism: how far a profile moves when an optimisation is turned off, and how far it moves by chance."""

from dataclasses import dataclass

import numpy as np

from sonde.instruments.audit.analysis.shares import Shares, total_variation

_PERMUTATIONS = 999
_SEED = 20240920
_FEWEST = 4
"""Runs of each sort; of 3 and 3 even the most extreme of 20 divisions would have p = 0.1."""
_SURE = 0.05


@dataclass(frozen=True, slots=True)
class Movement:
    """From runs with an optimisation to runs without it."""

    distance: float
    """Total variation between the means of both."""
    by_chance: float
    """What divisions of the same runs at random give on average."""
    largest_by_chance: float
    """What 95 % of these divisions stay below."""
    p_value: float

    @property
    def is_seen(self) -> bool:
        """Whether it moves by more than chance."""
        return self.p_value < _SURE


def movement(with_it: Shares, without: Shares) -> Movement | None:
    """How far a profile moves, by a permutation test; None for too few runs.

    Guarantee: where turning it off changes nothing, `p_value` is at most 0.05 in 5 % of audits.
    Cost: O(n_runs x n_functions) for each of 999 permutations.
    Source: permutation test, Fisher 1935; the statistic is the total variation distance.
    """
    if min(len(with_it), len(without)) < _FEWEST:
        return None
    runs, count = np.concatenate([with_it, without]), len(with_it)
    distance = total_variation(with_it.mean(axis=0), without.mean(axis=0))
    random = np.random.default_rng(_SEED)
    by_chance = np.empty(_PERMUTATIONS)
    for number in range(_PERMUTATIONS):
        order = random.permutation(len(runs))
        by_chance[number] = total_variation(runs[order[:count]].mean(axis=0), runs[order[count:]].mean(axis=0))
    at_least = int((by_chance >= distance - 1e-12).sum())
    return Movement(
        distance, float(by_chance.mean()), float(np.quantile(by_chance, 0.95)), (at_least + 1) / (_PERMUTATIONS + 1)
    )
