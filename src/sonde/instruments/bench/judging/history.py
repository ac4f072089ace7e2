"""Results over time: when a benchmark became slower or faster, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from sonde.evidence import Doubt
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.judging.taking import take_samples
from sonde.instruments.bench.measurements import Measurements, Metric, Values
from sonde.instruments.bench.policy import Policy
from sonde.stats import Estimate, Test, adjusted, change_points, level_step

LEAST_RESULTS = 5
"""Fewer results of a benchmark say nothing: one new one is compared with the spread of four."""
_LEAST_BEFORE = 4
_NEWEST = 3
"""Change points have four values on either side; of the newest one, two and three it is asked besides."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One result of a history."""

    name: str
    """Of its file."""
    measured_at: str
    """ISO 8601, or empty."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """An established change of a benchmark's level."""

    place: int
    """Of the first value after it, among the values of its benchmark."""
    ratio: Estimate
    """Of levels, after / before."""
    test: Test
    adjusted_p: float
    """Once all places where it could be, and all benchmarks, are accounted for."""
    is_worse: bool
    is_regression: bool
    """Whether it is worse by more than the tolerance."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """One benchmark over time: a value for each result that has it."""

    name: str
    metric: Metric
    values: Values
    """(n,) means of the invocations of each result."""
    moments: tuple[Moment, ...]
    """(n,) where they come from."""
    steps: tuple[Step, ...]
    """In the order of time."""
    withheld: str
    """Why nothing can be said of it; empty where it can."""

    @property
    def last(self) -> Step | None:
        """The newest step."""
        return self.steps[-1] if self.steps else None


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Benchmarks over time, in the order in which they are met."""

    policy: Policy
    moments: tuple[Moment, ...]
    courses: tuple[Course, ...]
    doubts: tuple[Doubt, ...]


def judge_history(files: Sequence[tuple[str, Measurements]], policy: Policy | None = None) -> History:
    """Look for steps in what results say over time.

    Each result is one value of a benchmark, the mean of its invocations: results of different days differ by more than
    invocations of one do. The values are cut where their level changes (`sonde.stats.change_points`), and the newest
    one, two and three are compared with what came before them since the last cut; what the comparison of levels
    (`sonde.stats.level_step`) does not establish is no step.

    Args:
        files: name and measurements of each; in the order of time, as far as they do not say when they were measured.
    Guarantee: of the steps of one history, at most 1 - level are none on average, as far as values of one level are
        independent and log-normal.
    """
    policy = policy or Policy()
    ordered, doubts = _in_time(files)
    found: dict[tuple[str, str, Metric], list[tuple[Moment, float]]] = {}
    for name, measurements in ordered:
        moment = Moment(name, measurements.provenance.measured_at)
        for sample in take_samples(measurements.series, policy):
            if len(sample.values):
                found.setdefault(_key(sample), []).append((moment, float(sample.values.mean())))
    several = {key[0] for key in found if sum(other[0] == key[0] for other in found) > 1}
    drafts = [(np.array([value for _, value in points]), points) for points in found.values()]
    candidates = [_candidates(values, policy) for values, _ in drafts]
    p_values = [[p for _, _, _, p in each] or [1.0] for each in candidates]
    held = iter(adjusted([p for each in p_values for p in each]).tolist() if p_values else ())
    courses = []
    for (benchmark, alternative, metric), (values, points), each, ps in zip(
        found, drafts, candidates, p_values, strict=True
    ):
        known = [next(held) for _ in ps]
        steps = [
            _step(place, ratio, test, p, metric, policy)
            for (place, ratio, test, _), p in zip(each, known, strict=False)
            if p <= policy.alpha
        ]
        few = f"{len(values)} results are too few: {LEAST_RESULTS} are needed" if len(values) < LEAST_RESULTS else ""
        title = f"{benchmark} · {alternative}" if benchmark in several and alternative else benchmark or alternative
        moments = tuple(moment for moment, _ in points)
        courses.append(Course(title, metric, values, moments, tuple(steps), few))
    moments = tuple(Moment(name, each.provenance.measured_at) for name, each in ordered)
    return History(policy, moments, tuple(courses), doubts)


def _key(sample: Sample) -> tuple[str, str, Metric]:
    return sample.series.benchmark, sample.series.alternative, sample.metric


def _in_time(
    files: Sequence[tuple[str, Measurements]],
) -> tuple[list[tuple[str, Measurements]], tuple[Doubt, ...]]:
    """By when they were measured, if all say so; else as they are."""
    times = [_time(each.provenance.measured_at) for _, each in files]
    known = [time for time in times if time is not None]
    if len(known) == len(files):
        order = sorted(range(len(files)), key=lambda place: known[place])
        return [files[place] for place in order], ()
    text = f"{len(files) - len(known)} of {len(files)} results do not say when they were measured"
    return list(files), (Doubt("order-of-names", f"{text}: they are taken in the order of their names"),)


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _candidates(values: Values, policy: Policy) -> list[tuple[int, Estimate, Test, float]]:
    """Place, ratio, test and p-value of each possible step, accounted for the places where it could have been."""
    n = len(values)
    if n < LEAST_RESULTS:
        return []
    cuts = [0, *change_points(values).change_points, n]
    found = []
    for start, place, stop in zip(cuts, cuts[1:], cuts[2:], strict=False):
        ratio, test = level_step(values[start:place], values[place:stop], policy.level)
        if not test.withheld:
            found.append((place, ratio, test, min(1.0, (n - 1) * test.p_value)))
    newest = []
    for count in range(1, _NEWEST + 1):
        place = n - count
        if place - cuts[-2] >= _LEAST_BEFORE:
            ratio, test = level_step(values[cuts[-2] : place], values[place:], policy.level)
            if not test.withheld:
                newest.append((place, ratio, test, min(1.0, _NEWEST * test.p_value)))
    return [*found, *sorted(newest, key=lambda each: each[3])[:1]]


def _step(place: int, ratio: Estimate, test: Test, p: float, metric: Metric, policy: Policy) -> Step:
    is_lower_better = metric.better == "lower"
    is_worse = (ratio.value > 1.0) == is_lower_better
    low, high = (ratio.value, ratio.value) if ratio.interval is None else (ratio.interval.low, ratio.interval.high)
    least = low if is_lower_better else 1.0 / high
    return Step(place, ratio, test, p, is_worse, is_worse and least > 1.0 + policy.tolerance)
