"""Taking samples: which invocations count, and which of their iterations."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sonde.bench.judging.sample import Sample
from sonde.bench.measurements import PEAK_MEMORY, SYSTEM, USER, Invocation, Metric, Series
from sonde.bench.policy import Policy
from sonde.errors import UsageError
from sonde.stats import Steadiness, classify_many, steady_window

_SHORT = 10_000
"""Values up to which plain addition, one after the other, is exact to twelve digits."""
_PROCESS_METRICS = {metric.name: metric for metric in (USER, SYSTEM, PEAK_MEMORY)}


def take_samples(series: Sequence[Series], policy: Policy) -> list[Sample]:
    """Reduce each series to one number for each of its invocations.

    Where iterations are not steady by the end of an invocation, its second half counts, and `steadiness` tells; where
    there are too few to tell, all of them do.

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
        self.metric = _metric_of(series, policy.metric)
        self._of_process = self.metric.name != series.metric.name
        self._assume_separate = policy.assume_independent and not series.separate
        ended_well = [i for i, invocation in enumerate(series.invocations) if invocation.outcome == "ok"]
        self.counted = [i for i in ended_well if not _is_warm_up(series.invocations[i])]
        self.failed = len(series.invocations) - len(ended_well)
        self.warm_up_rounds = len(ended_well) - len(self.counted)
        self.has_iterations = series.mode == "steady" and not self._of_process and not self._assume_separate
        self.starts = [self._first(series.invocations[i], policy) for i in self.counted]
        self.runs = [
            self._values(series.invocations[i])[start:] for i, start in zip(self.counted, self.starts, strict=True)
        ]
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
            steadiness=tuple(self.steadiness),
            failed=self.failed,
            warm_up_rounds=self.warm_up_rounds,
            unsupported=self._unsupported(),
        )

    def _values(self, invocation: Invocation) -> npt.NDArray[np.float64]:
        if self._of_process:
            return np.array([invocation.process[self.metric.name]])
        return invocation.values

    def _first(self, invocation: Invocation, policy: Policy) -> int:
        if self._of_process or policy.steady_by == "all":
            return 0
        recorded = invocation.warmups or 0
        if policy.steady_by == "cov" and self.has_iterations:
            window = steady_window(invocation.values[recorded:], policy.window, policy.threshold)
            return recorded + (window.start if window is not None else len(invocation.values[recorded:]) // 2)
        return recorded

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


def _metric_of(series: Series, name: str) -> Metric:
    if name in ("", series.metric.name):
        return series.metric
    ended_well = [invocation.process for invocation in series.invocations if invocation.outcome == "ok"]
    if ended_well and all(name in process for process in ended_well):
        return _PROCESS_METRICS.get(name, Metric(name, "1"))
    known = set.intersection(*(set(process) for process in ended_well)) if ended_well else set()
    raise UsageError(
        f"cannot judge '{series.alternative}' of '{series.benchmark}' by '{name}': it has no such metric",
        slug="no-such-metric",
        hint=f"it has {', '.join([series.metric.name, *sorted(known)])}",
    )
