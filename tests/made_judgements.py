"""Judgements written by hand: what views are shown, without a statistic being computed."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sonde.evidence import Doubt, Interval
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import Comparison, GroupComparison, Judgement, Sample, Summary, Verdict
from sonde.instruments.bench.measurements import WALL, Invocation, Metric, Provenance, Series
from sonde.stats.all_pairs import PairwiseDifference
from sonde.stats.anova_table import AnovaRow, AnovaTable
from sonde.stats.findings import Assumption, Estimate
from sonde.stats.outliers import Outliers
from sonde.stats.warm_up import Steadiness


def made_sample(
    values: Sequence[float],
    *,
    benchmark: str = "json",
    alternative: str = "old",
    metric: Metric = WALL,
    failures: Sequence[str] = (),
    levels: Mapping[str, str] | None = None,
) -> Sample:
    """One value for each invocation, after which some failed."""
    good = [Invocation(np.array([value]), round=i, position=i) for i, value in enumerate(values)]
    bad = [Invocation(np.array([]), "failed", detail) for detail in failures]
    series = Series(benchmark, alternative, "startup", (*good, *bad), metric, levels or {})
    counted = tuple(range(len(good)))
    steady = (0,) * len(good)
    return Sample(series, metric, np.array(values, dtype=np.float64), counted, steady, (), len(bad), 0, "")


def made_steady_sample(
    runs: Sequence[Sequence[float]], *, steady_from: int = 0, benchmark: str = "json", alternative: str = "old"
) -> Sample:
    """Many iterations of each invocation, of which those from `steady_from` on count."""
    invocations = tuple(Invocation(np.array(run, dtype=np.float64), position=i) for i, run in enumerate(runs))
    series = Series(benchmark, alternative, "steady", invocations)
    means = np.array([float(np.mean(run[steady_from:])) for run in runs])
    found = tuple(Steadiness("warm-up" if steady_from else "flat", steady_from, (), len(run)) for run in runs)
    n = len(runs)
    return Sample(series, WALL, means, tuple(range(n)), (steady_from,) * n, found, 0, 0, "")


def made_summary(
    sample: Sample,
    ends: tuple[float, float] | None = None,
    *,
    withheld: str = "too few values",
    outliers: Sequence[int] = (),
    assumptions: Sequence[Assumption] = (),
) -> Summary:
    """A summary whose mean has the interval given, or none."""
    values = sample.values
    if not len(values):
        return Summary(sample, None, None, None, None, None, None, (), None, None)
    mean = made_estimate("mean", float(values.mean()), ends, sizes=(len(values),), withheld=withheld)
    median = made_estimate("median", float(np.median(values)), None, sizes=(len(values),), withheld=withheld)
    found = Outliers((), tuple(outliers), (), len(values), f"{len(outliers)} of {len(values)} values lie far away")
    return Summary(
        sample=sample,
        mean=mean,
        median=median,
        deviation=float(values.std(ddof=1)) if len(values) > 1 else None,
        least=float(values.min()),
        greatest=float(values.max()),
        outliers=found,
        assumptions=tuple(assumptions),
        split=None,
        design=None,
    )


def made_estimate(
    what: str,
    value: float,
    ends: tuple[float, float] | None,
    *,
    sizes: tuple[int, ...] = (30, 30),
    withheld: str = "too few values",
) -> Estimate:
    """An estimate with an interval at 95 %, or without one."""
    if ends is None:
        return Estimate(what, value, None, sizes, "none", withheld=withheld)
    return Estimate(what, value, Interval(*ends, 0.95), sizes, "by hand")


def made_comparison(
    verdict: Verdict,
    ratio: float,
    ends: tuple[float, float] | None,
    *,
    benchmark: str = "json",
    why: str = "",
    first: Sample | None = None,
    second: Sample | None = None,
    needed: int | None = None,
    is_regression: bool | None = None,
) -> Comparison:
    """A verdict on two samples, of means 1 and `ratio` if they are not given."""
    mean = ratio if math.isfinite(ratio) else 1.0
    first = first or made_sample([0.9, 1.0, 1.1], benchmark=benchmark, alternative="old")
    second = second or made_sample([0.9 * mean, mean, 1.1 * mean], benchmark=benchmark, alternative="new")
    return Comparison(
        benchmark=benchmark,
        first_name=first.series.alternative,
        second_name=second.series.alternative,
        first=first,
        second=second,
        paired=False,
        ratio=made_estimate("ratio of means", ratio, ends),
        difference=None,
        test=None,
        adjusted_p=0.012 if ends else None,
        verdict=verdict,
        why=why or f"{verdict} by hand",
        is_regression=verdict == "worse" if is_regression is None else is_regression,
        needed=needed,
    )


def made_judgement(
    *,
    summaries: Sequence[Summary] = (),
    comparisons: Sequence[Comparison] = (),
    groups: Sequence[GroupComparison] = (),
    doubts: Sequence[Doubt] = (),
    unmatched: Sequence[str] = (),
    policy: Policy | None = None,
) -> Judgement:
    """A judgement of these parts."""
    return Judgement(
        policy=policy or Policy(),
        provenances=(Provenance("made 1.0", "made.sonde", "2026-11-21T12:00:00Z", {"cpu": "none", "load": "0.1"}),),
        summaries=tuple(summaries),
        comparisons=tuple(comparisons),
        groups=tuple(groups),
        doubts=tuple(doubts),
        unmatched=tuple(unmatched),
        geometric_mean=None,
        method=("Everything here is made up.",),
    )


def two_alternatives() -> Judgement:
    old = made_sample([0.0412, 0.0415, 0.0409, 0.0413, 0.0411, 0.0414, 0.0410, 0.0494], alternative="python a.py")
    new = made_sample(
        [0.0432, 0.0434, 0.0429, 0.0433, 0.0431, 0.0436, 0.0430],
        alternative="python b.py",
        failures=["exit code 3: ValueError: no data"],
    )
    not_normal = Assumption("normality", False, "skewness 2.6, p < 0.001, n = 8")
    return made_judgement(
        summaries=[
            made_summary(old, (0.0409, 0.0449), outliers=[7], assumptions=[not_normal]),
            made_summary(new, (0.0429, 0.0435)),
        ],
        comparisons=[
            made_comparison("worse", 1.0231, (1.0112, 1.0349), first=old, second=new, why="2.31% slower (p = 0.012)")
        ],
        doubts=[Doubt("busy-machine", "2.1 of 2 cores were busy with other processes", hint="stop them")],
        policy=Policy(tolerance=0.05),
    )


def many(count: int) -> Judgement:
    """A sixth worse, better and unclear each, the rest the same."""
    sixth = count // 6
    comparisons: list[Comparison] = []
    for i in range(sixth):
        comparisons.append(made_comparison("worse", 1.1 + i / 100, (1.05, 1.3), benchmark=f"suite.bench_{i}"))
        comparisons.append(made_comparison("better", 0.9, (0.8, 0.95), benchmark=f"suite.faster_{i}"))
        comparisons.append(made_comparison("unclear", 1.0, (0.9, 1.1), benchmark=f"suite.maybe_{i}", needed=1234))
    comparisons.extend(
        made_comparison("same", 1.0, (0.999, 1.001), benchmark=f"suite.same_{i}") for i in range(count - 3 * sixth)
    )
    return made_judgement(comparisons=comparisons)


def with_group() -> Judgement:
    samples = {name: made_sample([1.0, 1.1, 0.9 + i / 10], alternative=name) for i, name in enumerate("abc")}
    unequal = Assumption("equal variances", False, "p = 0.01")
    table = AnovaTable(
        (AnovaRow("groups", 0.02, 2.0, 0.01, 1.0, 0.42), AnovaRow("residual", 0.06, 6.0, 0.01, None, None)),
        (3, 3, 3),
        "one-way analysis of variance",
        (unequal,),
        within=0.1,
        between=0.2,
    )
    pairs = [
        PairwiseDifference(first, second, 0.2, Interval(0.1, 0.3, 0.95), 0.01, (3, 3), "Tukey-Kramer")
        for first, second in ("ab", "ac", "bc")
    ]
    group = GroupComparison("json", ("a", "b", "c"), table, None, tuple(pairs), "")
    return made_judgement(summaries=[made_summary(sample, (0.9, 1.2)) for sample in samples.values()], groups=[group])


def without_anything() -> Judgement:
    long = "x" * 300
    nothing = made_summary(made_sample([], benchmark=long, alternative=long, failures=[long]))
    single = made_summary(made_sample([1.0], benchmark=long), withheld=f"{long} one value")
    nowhere = made_comparison("unclear", float("nan"), None, benchmark=long, why=f"cannot say: {long}")
    assert made_estimate("mean", 1.0, None).withheld
    return made_judgement(summaries=[nothing, single], comparisons=[nowhere], unmatched=[long])
