"""A history as a report: which benchmark changed when, and each over time."""

from collections.abc import Iterator, Sequence

from sonde.base.fitted_text import keep_both_ends, keep_end, printable
from sonde.base.units import counted, format_count
from sonde.evidence import Remark, Reservation
from sonde.instruments.bench.judging import LEAST_RESULTS, Course, History, Step
from sonde.instruments.bench.report.estimates import Cells, data_columns, row_of, with_interval
from sonde.instruments.bench.report.ratio_words import change_with_interval
from sonde.report import (
    Block,
    Column,
    Fact,
    Facts,
    Note,
    Notices,
    Plot,
    Quantity,
    Report,
    Row,
    Sample,
    Table,
    Tone,
    Values,
)

_LONGEST_NAME = 30
_MOST_DRAWN = 3
"""Benchmarks that are drawn on paper: those whose last step is worst; `-v` draws more."""
_MOST_PLOTS = 12
_DATE = len("2026-11-03")

_BENCHMARKS = (
    Column("change", "last change", "ratio", meaning="of levels, after to before; empty where there is no step"),
    Column("newest", "newest", "measured", priority=2),
    Column("n", "n", "count", priority=3, meaning="results that have it"),
    Column("name", "benchmark", "name"),
    Column("since", "since", "text", priority=1, meaning="the first result after it"),
    Column("verdict", "verdict", shown="data", is_category=True),
    Column("withheld", "withheld", shown="details"),
    *data_columns("text", "metric unit better results measured_at"),
    *data_columns("number", "values"),
)
_STEPS = (
    Column("change", "change", "ratio", meaning="of levels, after to before"),
    Column("adjusted_p", "p", "p-value", priority=2, meaning="accounted for all places and benchmarks"),
    Column("name", "benchmark", "name"),
    Column("since", "since", "text", meaning="the first result after it"),
    Column("measured_at", "measured", "text", priority=3),
    Column("verdict", "verdict", shown="data", is_category=True),
    *data_columns("count", "place sizes"),
    *data_columns("text", "method"),
)
_METHOD = (
    "Each result counts as one value, the mean of its invocations. Values are cut where their level changes (ranks,"
    " optimal partitioning), and the newest three are asked besides; levels are compared by Student's t of logarithms."
    " The false discovery rate of steps is controlled (Benjamini-Hochberg), each accounted for the places where it"
    " could be (Bonferroni)."
)


def history_report(history: History, title: str, notices: Sequence[Reservation] = ()) -> Report:
    """What became of benchmarks, worst first.

    Args:
        notices: what could not be read.
    """
    courses = sorted(history.courses, key=_badness, reverse=True)
    has_regression = any(course.last is not None and course.last.is_regression for course in courses)
    told = (
        Fact("results", len(history.moments), "count", "{} results", "{} result"),
        Fact("benchmarks", len(courses), "count", "{} benchmarks", "{} benchmark"),
        Fact("first", history.moments[0].measured_at[:_DATE] if history.moments else "", words="from {}"),
        Fact("last", history.moments[-1].measured_at[:_DATE] if history.moments else "", words="to {}"),
        Fact("level", 100.0 * history.policy.level, "number", "{}% intervals"),
    )
    blocks: list[Block] = [Facts(tuple(fact for fact in told if fact.value != ""), "measured"), _table(courses)]
    blocks += _plots(courses)
    steps = [(course, step) for course in courses for step in course.steps]
    if steps:
        blocks.append(Table("steps", "all steps", _STEPS, [_step_row(*each) for each in steps], is_detail=True))
    untold = [course.name for course in courses if course.withheld]
    remarks = (
        [Remark("", f"nothing can be said of {_listed(untold)}: {LEAST_RESULTS} results are needed")] if untold else []
    )
    blocks.append(Notices((*notices, *history.doubts, *remarks)))
    blocks.append(Note(_METHOD, "method", "method", is_detail=True))
    outcome = "slower" if has_regression else "no slow-down"
    headline = tuple(_headline(courses, history))
    return Report("bench-history", title, tuple(blocks), changed=has_regression, outcome=outcome, headline=headline)


def _headline(courses: Sequence[Course], history: History) -> Iterator[str]:
    last = [(course, course.last) for course in courses if course.last is not None]
    worse = [(course, step) for course, step in last if step.is_worse]
    better = [(course, step) for course, step in last if not step.is_worse]
    of = counted(len(courses), "benchmark")
    if not any(not course.withheld for course in courses):
        few = counted(len(history.moments), "result")
        yield f"Whether anything changed cannot be said: of {few}, no benchmark is in {LEAST_RESULTS}."
        return
    if not last:
        yield f"No step in {of} over {counted(len(history.moments), 'result')}."
        return
    for found in (worse, better):
        if found and (found is worse or not worse):
            course, step = found[0] if found is worse else found[-1]
            name, since = _cut(course.name), keep_end(printable(course.moments[step.place].name), _LONGEST_NAME)
            limit = ""
            if step.is_worse and history.policy.tolerance:
                side = "beyond" if step.is_regression else "within"
                limit = f", {side} the tolerance of {100.0 * history.policy.tolerance:g}%"
            yield f"{name} became {change_with_interval(step.ratio, course.metric)} with {since}{limit}."
    if len(last) > 1:
        yield f"By their last step {format_count(len(worse))} of {of} got worse, {format_count(len(better))} better."


def _badness(course: Course) -> tuple[int, float]:
    """What got worse first, then what has no step, then what got better."""
    step = course.last
    if step is None:
        return (0, 0.0)
    far = max(step.ratio.value, 1.0 / step.ratio.value)
    return (1 + step.is_regression, far) if step.is_worse else (-1, -far)


def _table(courses: Sequence[Course]) -> Table:
    rows = []
    for number, course in enumerate(courses, 1):
        step, unit, least = course.last, course.metric.unit, float(course.values.min())
        cells: Cells = {
            "name": course.name,
            "newest": Quantity(float(course.values[-1]), unit, least),
            "n": len(course.values),
            "withheld": course.withheld,
            "metric": course.metric.name,
            "unit": unit,
            "better": course.metric.better,
            "values": Values(course.values.tolist()),
            "results": Values([moment.name for moment in course.moments]),
            "measured_at": Values([moment.measured_at for moment in course.moments]),
            "verdict": _verdict(step) if step is not None else "unclear" if course.withheld else "no step",
        }
        if step is not None:
            cells |= {"change": with_interval(step.ratio.value, step.ratio.interval)}
            cells |= {"since": course.moments[step.place].name}
        mark = "?" if course.withheld else ""
        if step is not None:
            mark = "▲" if step.ratio.value > 1.0 else "▼"
        tone: Tone = "" if step is None else "bad" if step.is_worse else "good"
        plot = f"sequence-{number}" if number <= _MOST_PLOTS else ""
        rows.append(row_of(_BENCHMARKS, cells, tone=tone, mark=mark, plot=plot))
    return Table("benchmarks", "benchmarks", _BENCHMARKS, rows, noun="benchmark", most=40)


def _step_row(course: Course, step: Step) -> Row:
    cells: Cells = {
        "name": course.name,
        "change": with_interval(step.ratio.value, step.ratio.interval),
        "adjusted_p": step.adjusted_p,
        "since": course.moments[step.place].name,
        "measured_at": course.moments[step.place].measured_at,
        "verdict": _verdict(step),
        "place": step.place,
        "sizes": Values(step.ratio.sizes),
        "method": step.ratio.method,
    }
    return row_of(_STEPS, cells, tone="bad" if step.is_worse else "good", mark="▲" if step.ratio.value > 1.0 else "▼")


def _plots(courses: Sequence[Course]) -> Iterator[Plot]:
    """Values in the order of time."""
    for number, course in enumerate(courses[:_MOST_PLOTS], 1):
        if len(course.values) < 2:
            continue
        step = course.last
        unit, least = course.metric.unit, float(course.values.min())
        sample = Sample(course.name, course.values.tolist(), unit, least)
        at = "" if step is None else f"; the last step is at {step.place + 1:,}, {course.moments[step.place].name}"
        legend = f"results 1 to {len(course.values):,}, in the order of time{at}"
        is_detail = number > _MOST_DRAWN or step is None
        notes = (course.metric.name,)
        yield Plot(f"sequence-{number}", "sequence", course.name, (sample,), notes, legend, is_detail=is_detail)


def _verdict(step: Step) -> str:
    return "worse" if step.is_worse else "better"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(_cut(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {format_count(len(names) - 3)} more"


def _cut(name: str) -> str:
    return keep_both_ends(printable(name), _LONGEST_NAME)
