"""How much the dense sample differs from itself: one half of its runs from the other."""

from itertools import combinations
from math import comb

import numpy as np

from sonde.evidence import weighted_overlap
from sonde.instruments.audit.analysis.shares import Shares

_MOST = 120
"""Divisions that are looked at; up to nine runs, all."""
_SEED = 20261127


def apart_by_halves(dense: Shares) -> float | None:
    """What two halves of the runs do not have in common, 0 to 1, on average over divisions; None for a single run.

    One division alone says little: of short programs, two audits would find one long enough and the other not.

    Args:
        dense: (n_runs, n_functions) shares.
    Guarantee: the order of runs does not matter where all divisions are looked at.
    Cost: O(n_runs x n_functions) for each of at most 120 divisions.
    """
    runs = len(dense)
    if runs < 2:
        return None
    apart = []
    for first in _divisions(runs):
        is_first = np.zeros(runs, dtype=bool)
        is_first[list(first)] = True
        one, other = dense[is_first].mean(axis=0).tolist(), dense[~is_first].mean(axis=0).tolist()
        apart.append(1 - weighted_overlap(one, other))
    return float(np.mean(apart))


def _divisions(runs: int) -> list[tuple[int, ...]]:
    """Which runs are in the first half."""
    half = runs // 2
    if comb(runs, half) <= 2 * _MOST:
        divisions = list(combinations(range(runs), half))
        return [each for each in divisions if 2 * half < runs or 0 in each]  # each once
    random = np.random.default_rng(_SEED)
    return [tuple(map(int, random.permutation(runs)[:half])) for _ in range(_MOST)]
