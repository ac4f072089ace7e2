"""Activation bias: how much of a profiler's answer follows how often functions are called, in place of their time."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from sonde.instruments.audit.analysis.resampling import estimated, within
from sonde.instruments.audit.analysis.shares import Shares
from sonde.report import Estimated

_TOLD_APART = 0.05
"""Total variation from which on counts of calls, or callers' shares, differ enough from the time to say which of them
an answer follows."""
_DIGITS = 12
"""Of weights: what is behind these differs from one processor to the other."""
_ALIKE = 0.98
"""Cosine of the angle between both directions from which on they cannot be told apart."""


@dataclass(frozen=True, slots=True)
class Biases:
    """What an answer is made of besides time."""

    calls: Estimated | None
    """The weight of call counts in it, 0 to 1; None where it cannot be known."""
    callers: Estimated | None
    """The share of its time that is charged to the callers of functions that have it."""
    correlation: float | None
    """Pearson's, of what is added to each function's share and its share of all calls."""


NO_BIASES = Biases(None, None, None)
"""Where nothing can be known."""


def biases(answers: Shares, dense: Shares, charged: Shares, calls: Shares | None) -> Biases:
    """Fit `answer = time + calls * (counts - time) + callers * (charged - time)` by least squares.

    A profiler whose probes cost the same at each call adds to each function's time in proportion to its calls: `calls`
    is what probes took of all the time that it tells. One that charges callers has the shares that the dense sample
    would have if each sample counted for the caller of the function that it is in.

    Args:
        answers: (n_runs, n_functions), of the profiler.
        dense: (m_runs, n_functions), taken for the true shares.
        charged: (m_runs, n_functions), of the same runs: shares of what each function called directly.
        calls: (n_functions,) shares of all calls; None: not known.
    Cost: O(n_functions) for each of 400 resamples.
    """
    if not len(answers) or not len(dense):
        return NO_BIASES
    width = dense.shape[1]
    both = np.concatenate([dense, charged], axis=1) if len(charged) == len(dense) else dense
    time, mean = dense.mean(axis=0), answers.mean(axis=0)
    to_callers = charged.mean(axis=0) - time if both is not dense else np.zeros(width)
    to_calls = calls - time if calls is not None else np.zeros(width)
    is_known = [_differs(to_calls), _differs(to_callers)]
    if all(is_known) and _cosine(to_calls, to_callers) > _ALIKE:
        is_known = [False, False]

    def weight(of: int, runs: Shares, samples: Shares) -> float:
        sampled = samples.mean(axis=0)
        known = [
            direction - sampled[:width]
            for direction, each in ((calls, is_known[0]), (sampled[width:], is_known[1]))
            if each and direction is not None
        ]
        found = np.linalg.lstsq(np.array(known).T, runs.mean(axis=0) - sampled[:width], rcond=None)[0]
        return round(float(found[of if is_known[0] else 0]), _DIGITS)

    of_calls, of_callers = (
        within(estimated(partial(weight, of), answers, both), -1.0, 1.0) if is_known[of] else None for of in range(2)
    )
    return Biases(
        of_calls,
        of_callers,
        _correlation(mean - time, calls) if calls is not None else None,
    )


def _differs(direction: Shares) -> bool:
    return float(np.abs(direction).sum() / 2) >= _TOLD_APART


def _cosine(one: Shares, other: Shares) -> float:
    return abs(float(one @ other)) / float(np.linalg.norm(one) * np.linalg.norm(other))


def _correlation(added: Shares, calls: Shares) -> float | None:
    """None where either is the same for all functions."""
    if len(added) < 3 or not added.std() or not calls.std():
        return None
    return float(np.corrcoef(added, calls)[0, 1])
