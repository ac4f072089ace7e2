"""One of two profiles that are compared: amounts with their errors, of the looks, of the run, of what was not kept."""

from collections.abc import Sequence
from math import inf, sqrt

from sonde.evidence import SampledAmount
from sonde.instruments.contexts.analysis.uncertainty import deviations_of_functions
from sonde.instruments.contexts.profile import ContextProfile, Contexts, are_independent, joint_deviation

DRIFT = 0.1
"""Of the noise of runs, as a share of the whole run: what one function loses to another, and what starts and ends cost.
Without it, twice as many functions of some hundredths of the run are said to have changed that have not."""


class SampledSide:
    """What is known of the amounts of one profile.

    Args:
        aligned: its contexts, laid over those of the other one.
        whole: what the run took.
        run_noise: standard deviation of times from run to run, as a share of each; and `DRIFT` of it of the run.
    """

    def __init__(
        self, profile: ContextProfile, aligned: Contexts, whole: int, run_noise: float, *, is_time: bool
    ) -> None:
        self._profile, self._whole = profile, whole
        tree, sampling = profile.contexts, profile.sampling
        self._is_sampled = has_standard_errors(profile, is_time=is_time)
        self._independent = is_time and are_independent(sampling)
        self._deviations = (tree.ns_deviation if is_time else tree.calls_deviation) if self._is_sampled else ()
        self._spread = run_noise if is_time else 0.0
        self._looks = inf
        if self._is_sampled and sampling is not None:
            self._looks = max(1.0, whole / sampling.interval_ns if self._independent else float(sampling.bursts))
        total, own = (profile.total_ns, tree.self_ns) if is_time else (profile.total_calls, tree.calls)
        # What is in no context any more may have been any one's.
        self._above = max(0, total - sum(own)) if profile.approximation is not None else 0
        column = (aligned.ns_deviation if is_time else aligned.calls_deviation) if self._is_sampled else ()
        power = 2 if self._independent else 1
        self.error_sums = [float(each) ** power for each in column] or [0.0] * len(aligned)
        self._all_errors = sum(self.error_sums)

    def amount(self, value: int, deviation: float) -> SampledAmount:
        """A part of the run, with its standard error."""
        return SampledAmount(
            float(value),
            deviation,
            float(self._whole),
            self._looks,
            float(self._above),
            self._spread,
            DRIFT * self._spread * self._whole,
        )

    def by_pair(self, pair_of: Sequence[int], pairs: int) -> list[float]:
        """Standard errors of own values by function pair."""
        found: list[list[int]] = [[] for _ in range(pairs)]
        for pair, deviation in zip(pair_of, deviations_of_functions(self._profile, self._deviations), strict=False):
            found[pair].append(deviation)
        return [float(joint_deviation(each, independent=self._independent)) for each in found]

    def deviation_of(self, error_sum: float, *, is_part: bool) -> float:
        """The standard error of a sum of contexts, at most.

        The whole is known, so that what some contexts have too much, the others have too little.
        """
        if not self._independent:
            return error_sum
        return sqrt(error_sum if is_part else max(0.0, min(error_sum, self._all_errors - error_sum)))


def has_standard_errors(profile: ContextProfile, *, is_time: bool) -> bool:
    """Whether times, or calls, are of a sample whose errors are known."""
    tree, sampling = profile.contexts, profile.sampling
    column = tree.ns_deviation if is_time else tree.calls_deviation
    return sampling is not None and (is_time or not sampling.is_of_times_only) and len(column) > 0
