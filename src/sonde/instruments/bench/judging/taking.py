"""Taking samples: which invocations count, and which of their iterations."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sonde.base.errors import UsageError
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.measurements import CPU, PEAK_MEMORY, SYSTEM, USER, WALL, Invocation, Metric, Series
from sonde.instruments.bench.policy import Policy
from sonde.stats import Steadiness, classify_many, steady_window

_SHORT = 10_000
"""Values up to which plain addition, one after the other, is exact to twelve digits."""
_PROCESS_METRICS = {metric.name: metric for metric in (WALL, CPU, USER, SYSTEM, PEAK_MEMORY)}
_SUMS = {CPU.name: (USER.name, SYSTEM.name)}
"""Metrics of a process that are the sums of others."""
_PER_CALL = "-per-call"
"""Ends the names of what a steady process took for each call: what it took as a whole depends on how often it called,
which differs from one process to the next, and on how long it took to start."""
_PEAKS = frozenset((PEAK_MEMORY.name,))
"""Metrics of a process that are no sums, so that the number of calls does not matter."""


def take_samples(series: Sequence[Series], policy: Policy) -> list[Sample]:
    """Reduce each series to one number for each of its invocations.

    Where iterations are not steady by the end of an invocation, its second half counts, and `steadiness` tells; where
    there are too few to tell, all of them do. By the coefficient of variation, the mean of its window counts; where
    none is below the threshold, that of the window that varies least, and `unsettled` tells. Repetitions that a tool
    does not assign to processes are no iterations of one: all of them count.

    Raises:
        UsageError: `no-such-metric`, a series does not have the metric of the policy.
    Cost: O(total iterations); iterations of all series are looked at in one batch.
    """
    drafts = [_Draft(one, policy) for one in series]
    if policy.steady_by == "change-points":
        for better in ("lower", "higher"):
            alike = [draft for draft in drafts if draft.has_iterations and draft.metric.better == better]
            found = iter(classify_many([run for draft in alike for run in draft.runs], better=better))
            for draft in alike:
                draft.settle([next(found) for _ in draft.runs])
    return [draft.finished() for draft in drafts]


class _Draft:
    """A sample on its way: the values of each counted invocation behind its recorded warm-up."""

    def __init__(self, series: Series, policy: Policy) -> None:
        self.series = series
        metric = _metric_of(series, policy.metric)
        self.metric = replace(metric, better=policy.better or metric.better)
        self._of_process = self.metric.name != series.metric.name
        self._assume_separate = policy.assume_independent and not series.separate
        ended_well = [i for i, invocation in enumerate(series.invocations) if invocation.outcome == "ok"]
        self.counted = [i for i in ended_well if not _is_warm_up(series.invocations[i])]
        self.failed = len(series.invocations) - len(ended_well)
        self.warm_up_rounds = len(ended_well) - len(self.counted)
        self.has_iterations = series.mode == "steady" and not self._of_process and series.separate
        self.unsettled = 0
        parts = [self._part(series.invocations[i], policy) for i in self.counted]
        self.starts = [start for start, _ in parts]
        self.runs = [run for _, run in parts]
        self.steadiness: list[Steadiness] = []

    def settle(self, found: list[Steadiness]) -> None:
        """Take the steady part of each invocation, as the change points have it."""
        self.steadiness = found
        for place, steadiness in enumerate(found):
            if steadiness.kind == "too short":
                continue  # all that there is
            first = steadiness.steady_from
            skip = len(self.runs[place]) // 2 if first is None else first
            self.starts[place] += skip
            self.runs[place] = self.runs[place][skip:]

    def finished(self) -> Sample:
        if self._assume_separate and self.runs:
            values = np.concatenate(self.runs)
            counted, starts = tuple(self.counted[0] for _ in values), (0,) * len(values)
        else:
            values = _means(self.runs)
            counted, starts = tuple(self.counted), tuple(self.starts)
        return Sample(
            series=self.series,
            metric=self.metric,
            values=values,
            counted=counted,
            steady_from=starts,
            steady_to=self._stops(),
            steadiness=tuple(self.steadiness),
            failed=self.failed,
            warm_up_rounds=self.warm_up_rounds,
            unsettled=self.unsettled,
            unsupported=self._unsupported(),
        )

    def _stops(self) -> tuple[int, ...]:
        if self._of_process or self._assume_separate:
            return ()
        return tuple(start + len(run) for start, run in zip(self.starts, self.runs, strict=True))

    def _part(self, invocation: Invocation, policy: Policy) -> tuple[int, npt.NDArray[np.float64]]:
        """Where what counts begins, as far as one invocation tells it, and its values."""
        if self._of_process:
            keys = _process_keys(self.series, self.metric.name)
            return 0, np.array([sum(invocation.process[key] for key in keys)])
        if policy.steady_by == "all":
            return 0, invocation.values
        start = invocation.warmups or 0
        values = invocation.values[start:]
        if policy.steady_by != "cov" or not self.has_iterations:
            return start, values
        window = steady_window(values, policy.window, policy.threshold)
        self.unsettled += window is None or not window.reached
        return (start, values) if window is None else (start + window.start, values[window.start : window.stop])

    def _unsupported(self) -> str:
        if not self.series.separate and not self._assume_separate:
            return (
                "the file does not say which values come from which process, and values of one process"
                " say nothing of the next one"
            )
        if len(self.counted) == 1 and len(self.runs[0]) > 1 and not self._assume_separate:
            return "all values come from one process, and say nothing of the next one"
        return ""


def _is_warm_up(invocation: Invocation) -> bool:
    if invocation.round is not None and invocation.round < 0:
        return True
    return (invocation.warmups or 0) >= len(invocation.values)


def _means(runs: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The mean of each run; many short ones are added up at once."""
    if not runs:
        return np.empty(0)
    lengths = np.array([len(run) for run in runs])
    if lengths.max() > _SHORT:
        return np.array([run.mean() for run in runs])
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    return np.asarray(np.add.reduceat(np.concatenate(runs), starts) / lengths)


def is_for_each_call(series: Series, name: str) -> bool:
    """Whether a metric of the processes of a series is known for each call: of functions, not of whole commands."""
    if series.mode == "startup" or name in (*_PEAKS, series.metric.name):
        return False
    return any(key.endswith(_PER_CALL) for one in series.invocations for key in one.process)


def _process_keys(series: Series, name: str) -> tuple[str, ...]:
    """Under which names the processes of a series have a metric, or those that it is the sum of."""
    of = _PER_CALL if is_for_each_call(series, name) else ""
    parts = (name,) if any(name in one.process for one in series.invocations) else _SUMS.get(name, (name,))
    return tuple(f"{part}{of}" for part in parts)


def _metric_of(series: Series, name: str) -> Metric:
    if name in ("", series.metric.name):
        return series.metric
    ended_well = [invocation.process for invocation in series.invocations if invocation.outcome == "ok"]
    if series.invocations and all(process.keys() >= set(_process_keys(series, name)) for process in ended_well):
        # Nobody knows what one that never ended well would have had: that it failed is said, the others are judged.
        return _PROCESS_METRICS.get(name, Metric(name, "1"))
    shared = set.intersection(*(set(process) for process in ended_well)) if ended_well else set()
    names = {*(key.removesuffix(_PER_CALL) for key in shared), *_SUMS}
    known = {each for each in names if shared >= set(_process_keys(series, each))}
    fact = "it has no such metric"
    if name in shared:
        fact = "that is known of whole processes only, whose start-up and numbers of calls differ, and not of each call"
    raise UsageError(
        f"cannot judge '{series.alternative}' of '{series.benchmark}' by '{name}': {fact}",
        slug="no-such-metric",
        hint=f"it has {', '.join([series.metric.name, *sorted(known)])}",
    )
