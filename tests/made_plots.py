"""A report whose rows have plots: comparisons told in parts, series, what each value was computed from."""

from sonde.evidence import Doubt, Interval, Remark
from sonde.report import Column, Estimated, Fact, Facts, Note, Notices, Plot, Report, Row, Sample, Table

_COLUMNS = (
    Column("ratio", "ratio", "ratio", axis="log"),
    Column("name", "benchmark", "name"),
    Column("why", "why", shown="details"),
    Column("verdict", "verdict", shown="data", is_category=True),
    Column("method", "method", shown="data"),
)


def measured_report(hostile: str = "") -> Report:
    """Two benchmarks, `sort` and `find`, each measured in two ways; the plots are those of the benchmarks.

    Args:
        hostile: stands in each text that was measured.
    """
    worse = _comparison("worse", 1.12, f"sort{hostile}", "overview-1")
    same = _comparison("same", 1.0, f"find{hostile}", "overview-2")
    series = Table(
        "series",
        "series",
        (Column("mean", "mean", "measured"), Column("name", "series", "name")),
        tuple(Row((None, f"{name}{hostile}"), plot="overview-1") for name in ("old", "new")),
    )
    plots = tuple(
        Plot(f"overview-{number}", "overview", f"benchmark {number}", samples(hostile), is_secondary=True)
        for number in (1, 2)
    )
    return Report(
        "toy",
        "measured",
        (
            Facts((Fact("level", 95.0, "number", "{}% intervals"),)),
            worse,
            same,
            series,
            *plots,
            Notices((Remark("", "each ran 12 times"), Doubt("busy", "others ran", hint="stop them"))),
            Note(f"Each invocation counts as one value.{hostile}", "method", "method"),
        ),
    )


def samples(hostile: str = "") -> tuple[Sample, ...]:
    """Ten invocations that warm up, of twelve, two of which failed; and three, of which nothing else is known."""
    warm = [0.010 + 0.0001 * (i * 7 % 5) for i in range(10)]
    members = tuple(
        Sample(
            f"iterations of invocation {i + 1}{hostile}", [3 * value, 2 * value, *[value] * 20], "s", counted=(2, 22)
        )
        for i, value in enumerate(warm)
    )
    old = Sample(
        f"old{hostile}",
        warm,
        "s",
        mean=Estimated(0.0102, Interval(0.0101, 0.0103, 0.95)),
        median=0.0102,
        outliers=(9,),
        gaps={3: f"failed exit code 3{hostile}", 8: ""},
        members=members,
    )
    return old, Sample(f"new{hostile}", (0.011, 0.012, 0.0115), "s", mean=0.0115)


def _comparison(verdict: str, ratio: float, name: str, plot: str) -> Table:
    row = Row(
        (Estimated(ratio, Interval(ratio - 0.05, ratio + 0.05, 0.95)), name, f"because {verdict}", verdict, "by hand"),
        plot=plot,
    )
    return Table(verdict, verdict, _COLUMNS, (row,), ("1", f"{verdict} is told"), part_of="comparisons")
