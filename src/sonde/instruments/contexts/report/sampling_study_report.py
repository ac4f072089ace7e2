"""The report of a study of sampling: a line for each way, the best first."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sonde.base.units import counted, format_share
from sonde.evidence import Doubt, Reservation
from sonde.instruments.contexts.profile.comparison.sampling_study import TOP, WayFigures
from sonde.report import Cell, Column, Estimated, Fact, Facts, Note, Notices, Report, Row, Table
from sonde.stats.findings import Estimate


class StudiedWay(NamedTuple):
    """One way of sampling, and what was found of it."""

    mechanism: str
    trigger: str
    rate: float
    figures: WayFigures

    @property
    def name(self) -> str:
        """`immediate, task-clock, 1,000 Hz`."""
        return f"{self.mechanism}, {self.trigger}, {self.rate:,.0f} Hz"


def sampling_study_report(
    command: str, ways: Sequence[StudiedWay], dense: StudiedWay, rounds: int, refused: Mapping[str, str]
) -> Report:
    """Everything that is told of a study.

    Args:
        ways: all but the dense one.
        dense: what they are compared with.
        refused: triggers that do not work here, and why.
    """
    ordered = sorted(ways, key=lambda way: -_overlap(way))
    notices: list[Reservation] = [Doubt("", f"{trigger} could not be tried: {why}") for trigger, why in refused.items()]
    return Report(
        "sampling-study",
        command,
        (
            Facts(
                (
                    Fact("rounds", rounds, "count", "{} rounds", "{} round"),
                    Fact("ways", len(ways), "count", "{} ways of sampling", "{} way of sampling"),
                )
            ),
            Notices(tuple(notices)),
            _table(ordered, dense),
            Note(_HOW_TO_READ, key="how-to-read", title="how to read", is_detail=True),
        ),
        headline=_headline(ordered, dense),
    )


_HOW_TO_READ = (
    "overlap: what the shares of self time of a run and the mean dense profile have in common, function by function."
    " time: how long the program takes, against itself in the same round. agree: mean overlap of each two runs."
    f" first {TOP}: of the hottest functions of both, the share that both have. reached: samples for each second of"
    " processor time. The dense profile is taken immediately, too: a bias that all immediate ways share is not seen."
    " Medians of rounds, with intervals of 95 % by order statistics. Imports are left out."
)


def _headline(ordered: Sequence[StudiedWay], dense: StudiedWay) -> tuple[str, ...]:
    seen = [way for way in ordered if way.figures.overlap is not None]
    if not seen:
        return ("No way of sampling saw the program: it is too short for these rates.",)
    best = seen[0]
    told = [
        f"Closest to the dense profile is {best.name}: {_share(best.figures.overlap)} in common; the program takes"
        f" {_ratio(best.figures.elapsed)} times as long."
    ]
    right = dense.figures.hottest
    wrong = [way for way in seen if way.figures.hottest != right]
    if wrong and right is not None:
        worst = wrong[-1]
        of = worst.figures.hottest
        said = f"{of.name} is hottest" if of is not None else "nothing"
        more = len(wrong) - 1
        others = f", and {counted(more, 'more way')} {'is' if more == 1 else 'are'} wrong, too" if more else ""
        told.append(
            f"By {worst.name}, {said}, where the dense profile has {right.name}:"
            f" {_share(worst.figures.overlap)} in common{others}."
        )
    return tuple(told)


def _table(ordered: Sequence[StudiedWay], dense: StudiedWay) -> Table:
    columns = (
        Column("mechanism", "mechanism", "text", is_category=True),
        Column("trigger", "trigger", "text", is_category=True),
        Column("asked", "asked", "count", meaning="samples a second that were asked for"),
        Column("reached", "reached", "count", priority=1, meaning="samples for each second of processor time"),
        Column("overlap", "overlap", "share", meaning="with the dense profile"),
        Column("elapsed", "time", "ratio", meaning="against the program by itself"),
        Column("processor", "processor", "ratio", priority=3, meaning="processor time of the program"),
        Column("stability", "agree", "share", priority=2, meaning="overlap of each two runs"),
        Column("names", f"first {TOP}", "share", priority=3, meaning="that the dense profile has, too"),
        Column("hottest", "hottest", "name", priority=2),
        Column("runs", "runs", "count", shown="data"),
    )
    right = dense.figures.hottest
    rows = [_row(way, "bad" if way.figures.hottest not in (right, None) else "") for way in ordered]
    return Table(
        "ways",
        "ways of sampling",
        columns,
        [*rows, _row(dense, "faint")],
        notes=("by their overlap with the dense profile, which is last",),
        noun="way",
    )


def _row(way: StudiedWay, tone: str) -> Row:
    figures = way.figures
    cells: tuple[Cell, ...] = (
        way.mechanism,
        way.trigger,
        round(way.rate),
        round(figures.rate),
        _estimated(figures.overlap),
        _estimated(figures.elapsed),
        _estimated(figures.processor),
        figures.stability,
        figures.names,
        figures.hottest,
        figures.runs,
    )
    return Row(cells, tone="bad" if tone == "bad" else "faint" if tone == "faint" else "")


def _estimated(estimate: Estimate | None) -> Cell:
    if estimate is None:
        return None
    return estimate.value if estimate.interval is None else Estimated(estimate.value, estimate.interval)


def _overlap(way: StudiedWay) -> float:
    return way.figures.overlap.value if way.figures.overlap is not None else -1.0


def _share(estimate: Estimate | None) -> str:
    if estimate is None:
        return "nothing"
    around = estimate.interval
    span = f" ({format_share(around.low, 1)} to {format_share(min(1.0, around.high), 1)})" if around else ""
    return f"{format_share(estimate.value, 1)}{span}"


def _ratio(estimate: Estimate) -> str:
    around = estimate.interval
    return f"{estimate.value:.3f}" + (f" ({around.low:.3f} to {around.high:.3f})" if around else "")
