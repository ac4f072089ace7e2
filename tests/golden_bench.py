"""Answers of `bench` that golden files hold: what can be said, what changed, how practices would have misled."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from golden_answers import Case
from made_judgements import (
    made_comparison,
    made_estimate,
    made_judgement,
    made_sample,
    made_steady_sample,
    made_summary,
    many,
    two_alternatives,
    with_group,
    without_anything,
)
from sonde.evidence import Doubt, Interval
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import Comparison, GroupComparison, Judgement, Summary
from sonde.instruments.bench.measurements import Metric, Provenance
from sonde.instruments.bench.practices import PRACTICES, Claim, Lint, LintedComparison, LintedSeries, Report
from sonde.stats.all_pairs import PairwiseDifference
from sonde.stats.anova_table import AnovaRow, AnovaTable
from sonde.stats.experiment_design import Design
from sonde.stats.findings import Assumption
from sonde.stats.outliers import Outliers
from sonde.stats.variance_components import VarianceSplit
from sonde.stats.warm_up import Steadiness

_RATE = Metric("throughput", "ops/s", "higher")
_BYTES = Metric("peak-memory", "B", "lower")
_COUNT = Metric("page-faults", "1", "lower")
_LONG = "python -X importtime -m shop.orders.report --month 2026-03 --format json --all-the-details"
_FILES = tuple(
    Provenance("pyperf 2.9.0", f"/home/ada/measurements/of/the/{name}/of/the/parser.json", f"2026-03-0{day}T09:30:00Z")
    for name, day in (("release", 1), ("branch", 2))
)


def _split(between: float, within: float | None, *, is_truncated: bool = False) -> VarianceSplit:
    return VarianceSplit(
        mean=1.0,
        standard_error=0.01,
        between=made_estimate("variance between invocations", between, None, withheld="by hand"),
        within_variance=within,
        is_truncated=is_truncated,
        invocations=4,
        iterations=20,
        iterations_per_invocation=5.0,
        independence=Assumption("independence", None, "5 values are too few to check"),
    )


def _warm_up() -> list[list[float]]:
    return [[3.0 - i / 8, 1.5, 1.0, 1.01 + i / 50, 0.99, 1.0 + i / 100] for i in range(4)]


def steady() -> Judgement:
    """Warm series: invocations that warm up, never do, or slow down; where their variance comes from."""
    warm = replace(made_steady_sample(_warm_up(), steady_from=2), warm_up_rounds=1)
    slow = made_steady_sample([[1.0, 1.0, 2.0, 2.0]] * 3, alternative="new")
    slow = replace(slow, steadiness=tuple(Steadiness("slow-down", 2, (), 4) for _ in range(3)), steady_to=(3, 3, 3))
    never = made_steady_sample([[1.0, 2.0], [2.0, 1.0]], alternative="never", benchmark="xml")
    pooled = made_steady_sample([[1.0, 1.5, 1.25]], alternative="pooled", benchmark="xml")
    pooled = replace(
        pooled, series=replace(pooled.series, separate=False), unsupported="all values come from one process"
    )
    holds = Assumption("a steady state", True, "4 warm-up of 4 invocations: consistent")
    fails = Assumption("a steady state", False, "3 slow-down of 3 invocations: consistent")
    design = Design(12, 5, 0.0123, 61.5, 0.95, "iterations are cheap")
    summaries = [
        replace(made_summary(warm, (0.98, 1.03), assumptions=[holds]), split=_split(0.0004, 0.0016), design=design),
        replace(made_summary(slow, (1.4, 1.6), assumptions=[fails]), split=_split(0.0, 0.01, is_truncated=True)),
        replace(made_summary(never, withheld="2 values say too little"), split=_split(float("nan"), None)),
        made_summary(pooled, withheld="all values come from one process"),
    ]
    comparison = replace(
        made_comparison("worse", 1.5, (1.45, 1.65), first=warm, second=slow), paired=True, is_regression=True
    )
    return made_judgement(summaries=summaries, comparisons=[comparison])


def odd() -> Judgement:
    """Other metrics, values far away, failures of many kinds, doubts, what has no partner, names that are long."""
    rates = [120_345.0, 121_000.0, 119_500.0, 120_800.0, 60_000.0, 900_000.0]
    first = made_sample(rates, benchmark=_LONG, alternative=_LONG, metric=_RATE)
    second = made_sample(
        [2 * rate for rate in rates],
        benchmark=_LONG,
        alternative="größe_記憶",
        metric=_RATE,
        failures=["exit code 1", "exit code 2", "exit code 3: no data", "killed by SIGSEGV", "", "exit code 1"],
    )
    space = made_sample([3 << 20, 4 << 20, 3 << 20], benchmark="space", metric=_BYTES)
    faults = made_sample([0.0, 0.0, 12_345_678.0], benchmark="faults", metric=_COUNT)
    zero = made_comparison("unclear", float("nan"), None, benchmark="faults", first=faults, second=faults)
    zero = replace(zero, verdict="worse", difference=made_estimate("difference of means", 3.0, (1.0, 5.0)))
    far = made_comparison("worse", 123.0, (90.0, float("inf")), first=space, second=space, needed=40)
    unequal = Assumption("equal variances", False, "p = 0.01")
    assert far.ratio is not None
    far = replace(far, ratio=replace(far.ratio, assumptions=(unequal,)), is_regression=False)
    same = made_comparison("same", 1.0, (0.999, 1.001), why="no difference of 1% or more")
    absent = replace(made_comparison("unclear", 1.0, None, why="one side has no values"), ratio=None)
    outliers = Outliers((4,), (5,), (), 6, "2 of 6 values lie far away")
    summary = replace(made_summary(first, (90_000.0, 300_000.0)), outliers=outliers)
    return replace(
        made_judgement(
            summaries=[
                summary,
                made_summary(second, (200_000.0, 500_000.0)),
                made_summary(space, (float("-inf"), float("inf"))),
                made_summary(faults),
                made_summary(made_sample([1e-7], benchmark="once")),
                made_summary(made_sample([], benchmark="never", failures=["exit code 1"])),
            ],
            comparisons=[
                made_comparison("better", 2.0, (1.8, 2.2), first=first, second=second, why="2 times higher"),
                far,
                zero,
                same,
                absent,
            ],
            doubts=[
                Doubt("busy-machine", "2.1 of 2 cores were busy with other processes", hint="stop them"),
                Doubt("busy-machine", "2.1 of 2 cores were busy with other processes", hint="stop them"),
                Doubt("few-rounds", "each alternative ran in 3 rounds", hint=""),
            ],
            unmatched=[f"only the first has 'bench_{number}'" for number in range(7)],
            policy=Policy(level=0.99, tolerance=0.05),
        ),
        geometric_mean=1.2345,
    )


def of_files(judgement: Judgement) -> Judgement:
    """The same of two files."""
    return replace(judgement, provenances=_FILES)


def reasons() -> Judgement:
    """More comparisons than are told one by one, few with intervals, against different firsts."""
    comparisons = [
        made_comparison("unclear", 1.0 + i / 100, None, benchmark=f"b{i}", why=f"cannot say: reason {i % 5}")
        for i in range(9)
    ]
    worse = made_comparison("worse", 1.2, (1.1, 1.3), benchmark=_LONG, first=made_sample([1.0], alternative="older"))
    newer = made_sample([1.0, 1.1], alternative="newer")
    within = made_comparison("worse", 1.02, (1.01, 1.03), benchmark="within", second=newer, is_regression=False)
    return made_judgement(comparisons=[*comparisons, worse, within], policy=Policy(tolerance=0.05))


def many_series() -> Judgement:
    """More series than are told one by one, and nothing to compare."""
    summaries = [made_summary(made_sample([1.0, 1.1 + i], benchmark=f"b{i}"), (0.9, 1.2 + i)) for i in range(9)]
    broken = made_summary(made_sample([], benchmark="broken", failures=["exit code 1"]))
    return made_judgement(summaries=[*summaries, made_summary(made_sample([1.0], benchmark="once")), broken])


def groups() -> Judgement:
    """Factors, unequal variances, pairs without intervals, and a group of which nothing can be said."""
    plain = with_group()
    welch = AnovaTable(
        (AnovaRow("groups", None, 2.0, None, 4.5, 0.0004), AnovaRow("residual", None, 11.25, None, None, None)),
        (9, 9, 9),
        "Welch's analysis of variance",
    )
    factors = AnovaTable(
        tuple(
            AnovaRow(source, 0.5 / number, number, 0.5, 3.25 / number, 0.03 * number)
            for number, source in enumerate(("python", "flags", "python:flags:a-factor-with-a-long-name"), 1)
        ),
        (3, 3, 3),
        "two-way analysis of variance",
        (Assumption("normality", False, "p = 0.02"),),
    )
    pairs = tuple(
        PairwiseDifference(first, second, 0.2, None, float("nan"), (3, 3), "Games-Howell", (), "too few values")
        for first, second in ((_LONG, "größe"), ("größe", "c"))
    )
    told = GroupComparison("xml", (_LONG, "größe", "c"), welch, factors, pairs, "")
    withheld = GroupComparison("csv", ("a", "b", "c"), None, None, (), "'c' has 1 of at least 2 invocations")
    return replace(plain, groups=(*plain.groups, told, withheld))


def many_groups() -> Judgement:
    """More groups than are told."""
    plain = with_group()
    return replace(plain, groups=plain.groups * 9)


def many_pairs() -> Judgement:
    """More pairs than are told."""
    plain = with_group()
    steps = [(i, k, (k - i) / 100) for i in range(11) for k in range(i + 1, 11)]
    pairs = [
        PairwiseDifference(
            f"a{i}", f"a{k}", step, Interval(step - 0.03, step + 0.03, 0.95), 0.04 * i, (3, 3), "Tukey-Kramer"
        )
        for i, k, step in steps
    ]
    return replace(plain, groups=(replace(plain.groups[0], pairs=tuple(pairs)),))


def plotted() -> Judgement:
    """What is drawn: values far away, all equal, a single one, none, two modes, iterations, and too many series."""
    near = [1.0 + (i * 7 % 11) / 100 for i in range(30)]
    modes = [1.0 + i / 1000 for i in range(15)] + [2.0 + i / 1000 for i in range(15)]
    one = made_summary(made_sample([*near, 9.0, 0.001], alternative="far away"), (0.9, 1.5), outliers=[30, 31])
    two = made_summary(made_sample(modes, alternative="two modes"), (1.3, 1.7))
    summaries: list[Summary] = [
        one,
        two,
        made_summary(made_steady_sample(_warm_up(), steady_from=2, benchmark="xml"), (0.98, 1.03)),
        made_summary(made_sample([0.5] * 4, benchmark="equal"), (0.5, 0.5)),
        made_summary(made_sample([0.5], benchmark="once")),
        made_summary(made_sample([], benchmark="never", failures=["exit code 1"])),
        *(made_summary(made_sample([1.0, 2.0], benchmark=f"b{i}"), (0.5, 2.5)) for i in range(8)),
    ]
    return made_judgement(summaries=summaries)


def _claims(*said: tuple[str, float, str, str, float, float], ignore_below: float) -> tuple[Claim, ...]:
    practices = {practice.name: practice for practice in PRACTICES}
    return tuple(Claim(practices[name], ignore_below, *rest) for name, *rest in said)  # type: ignore[arg-type]


def _linted(comparison: Comparison) -> LintedComparison:
    said = (
        ("best", 1.012, "worse", "indicative", 0.31, 0.2),
        ("worst", 2.5, "worse", "right", 0.0, 0.0),
        ("one run", 0.9, "better", "incorrect", 0.55, 0.5),
        ("mean", 1.015, "worse", "misleading", 0.123, 0.0),
        ("median", float("nan"), "worse", "misleading", 1.0, 0.0),
        ("error bars", 1.0, "same", "indicative", 0.05, 0.0),
        ("t test, all values", 1.0, "same", "misleading", 0.004, 0.0),
    )
    above = tuple(
        (name, ratio, "same" if ratio < 1.02 else says, "indicative" if ratio < 1.02 else kind, again, flips)
        for name, ratio, says, kind, again, flips in said
    )
    return LintedComparison(comparison, _claims(*said, ignore_below=0.0), _claims(*above, ignore_below=0.02))


def lint_comparisons() -> Lint:
    """Few comparisons, told practice by practice."""
    nothing = made_comparison("unclear", float("nan"), None, benchmark="never", why="one side has no values")
    told = made_comparison("worse", 1.0231, (1.0112, 1.0349), why="2.31% slower (p = 0.012)")
    return Lint((_linted(told), LintedComparison(nothing, (), ())), (), 0.02, 2000)


def lint_many() -> Lint:
    """Many comparisons, counted."""
    verdicts = ("worse", "worse", "better", "unclear", "same")
    made = [made_comparison(each, 1.1, (1.0, 1.2), benchmark=f"b{i}") for i, each in enumerate(verdicts)]  # type: ignore[arg-type]
    return Lint(tuple(map(_linted, made)), (), 0.02, 2000)


def lint_series() -> Lint:
    """Nothing to compare: what practices report of each series."""
    reports = tuple(
        Report(practice, 0.041 + number / 1000, 0.04, 0.05, inside)
        for number, (practice, inside) in enumerate(zip(PRACTICES, (True, False, None), strict=False))
    )
    sample = made_sample([0.041, 0.042, 0.043])
    told = [
        LintedSeries(made_summary(sample, (0.04, 0.044)), reports),
        LintedSeries(made_summary(made_sample([0.041], benchmark="once"), withheld="one value"), reports[2:]),
        LintedSeries(made_summary(made_sample([], benchmark="never", failures=["exit code 1"])), ()),
        *(LintedSeries(made_summary(sample, (0.04, 0.044)), reports[:1]) for _ in range(3)),
    ]
    return Lint((), tuple(told), 0.02, 2000)


def _nothing(*_: object, **__: object) -> None:
    """Instead of reading results."""


def _show(made: Callable[[], Judgement], *options: str, forms: Sequence[str] = ("text", "json", "page")) -> Case:
    patches = {
        "sonde.instruments.bench.verb.show.read_argument": _nothing,
        "sonde.instruments.bench.judging.judge": lambda *_, **__: made(),
    }
    return Case(("bench", "show", "results.sonde", *options), patches=patches, forms=frozenset(forms))


def _compare(made: Callable[[], Judgement], *options: str, forms: Sequence[str] = ("text", "json", "page")) -> Case:
    patches = {
        "sonde.instruments.bench.verb.compare.read_argument": _nothing,
        "sonde.instruments.bench.judging.judge_change": lambda *_, **__: of_files(made()),
    }
    return Case(("bench", "compare", "old.json", "new.json", *options), patches=patches, forms=frozenset(forms))


def _lint(made: Callable[[], Lint], *forms: str) -> Case:
    patches = {
        "sonde.instruments.bench.verb.lint.read_argument": _nothing,
        "sonde.instruments.bench.judging.judge": _nothing,
        "sonde.instruments.bench.practices.lint": lambda *_, **__: made(),
    }
    return Case(("bench", "lint", "results.sonde"), patches=patches, forms=frozenset({"text", *forms}))


_PLOTS = ("--plot", "sequence", "--plot", "distribution", "--plot", "intervals")

CASES = {
    "bench/two": _show(two_alternatives),
    "bench/steady": _show(steady, forms=["text", "page"]),
    "bench/odd": _show(odd),
    "bench/without-anything": _show(without_anything),
    "bench/empty": _show(made_judgement, *_PLOTS),
    "bench/plots": _show(plotted, *_PLOTS, forms=["text"]),
    "bench/steady-plots": _show(steady, *_PLOTS, forms=["text", "json"]),
    "bench/page-full": replace(
        _show(steady, forms=["page"]),
        patches={
            "sonde.instruments.bench.verb.show.read_argument": _nothing,
            "sonde.instruments.bench.judging.judge": lambda *_, **__: steady(),
            "sonde.render.html.packed_samples.MAX_PACKED": 40,
            "sonde.render.html.packed_samples.LEAST_PACKED": 2,
        },
    ),
    "bench/many-series": _show(many_series, forms=["text"]),
    "bench/few-rows": _show(many_series, "--rows", "4", forms=["text"]),
    "bench/groups": _show(groups),
    "bench/many-groups": _show(many_groups, forms=["text"]),
    "bench/many-pairs": _show(many_pairs, forms=["text"]),
    "bench/compare-two": _compare(two_alternatives),
    "bench/compare-many": _compare(lambda: many(60), "--rows", "12", forms=["text"]),
    "bench/compare-reasons": _compare(reasons, forms=["text", "page"]),
    "bench/lint-comparisons": _lint(lint_comparisons, "json"),
    "bench/lint-many": _lint(lint_many),
    "bench/lint-series": _lint(lint_series, "json"),
}
