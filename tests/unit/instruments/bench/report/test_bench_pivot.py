"""Series of two and more dimensions as one table: the medians of their samples, and which of a row is best."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from made_measurements import measurements, start_up
from report_json import Data, table
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import judge
from sonde.instruments.bench.measurements import WALL, Invocation, Metric, Series
from sonde.instruments.bench.report import judgement_report
from sonde.instruments.bench.report.pivot_table import dimensions_of, short_titles
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from sonde.report import Plot, Report

TRUTH = {("1", "a"): 1.0, ("1", "b"): 1.0, ("1", "c"): 2.0, ("9", "a"): 5.0, ("9", "b"): 3.0, ("9", "c"): 4.0}
"""n and k -> time; the winner of n=1 cannot be told, that of n=9 is b."""


def scan(truth: dict[tuple[str, str], float] = TRUTH, *, metric: Metric = WALL) -> list[Series]:
    """One command with two parameters; every place has the noise that its round has."""
    noise = np.random.default_rng(11).normal(1.0, 0.01, (len(truth), 20))
    return [
        start_up(
            "commands",
            f"n={n}, k={k}",
            value * factor,
            levels={"n": n, "k": k},
            metric=metric,
        )
        for ((n, k), value), factor in zip(truth.items(), noise, strict=True)
    ]


def report_of(series: list[Series]) -> Report:
    return judgement_report(judge(measurements(*series), Policy()))


@cache
def usual() -> Report:
    """Of the usual scan: judged once."""
    return report_of(scan())


def rows_of(series: list[Series]) -> list[Data]:
    return table(report_data(report_of(series)), "pivot")


def test_each_place_has_the_median_of_its_series() -> None:
    series, rows = scan(), table(report_data(usual()), "pivot")

    assert [row["name"] for row in rows] == ["1", "9"]
    medians = [np.median([each.values[0] for each in one.invocations]) for one in series]
    told = [row[f"median-{number}"]["value"] for row, number in product(rows, (1, 2, 3))]
    assert told == pytest.approx(medians)
    for row, number in product(rows, (1, 2, 3)):
        interval = row[f"interval-{number}"]
        assert interval["low"] <= row[f"median-{number}"]["value"] <= interval["high"]


def test_the_best_of_a_row_is_named_with_what_cannot_be_told_from_it() -> None:
    first, second = table(report_data(usual()), "pivot")
    assert set(first["best"].split(" or ")) == {"a", "b"} and second["best"] == "b"


def test_where_more_is_better_the_highest_is_best() -> None:
    report = report_of(scan(metric=Metric("score", "ops/s", "higher")))
    assert [row["best"] for row in table(report_data(report), "pivot")] == ["c", "a"]
    assert "highest" in report_text(report)


def test_where_nothing_can_be_told_that_is_said() -> None:
    assert [row["best"] for row in rows_of(scan(dict.fromkeys(TRUTH, 1.0)))] == ["cannot say", "cannot say"]


def test_what_failed_or_was_not_measured_is_no_winner() -> None:
    series = scan()
    series[4] = replace(series[4], invocations=(Invocation(np.array([]), "failed", "exit code 1", round=0),))
    del series[0]
    first, second = rows_of(series)

    # Columns are in the order of the series: b, c, a.
    assert "median-3" not in first and first["best"] == "b"
    assert "median-1" not in second and second["best"] == "c"


def of_several() -> Iterator[list[Series]]:
    """Several commands with a parameter, as `sonde bench` names them; benchmarks of a suite; with factors."""
    values = np.linspace(1.0, 1.1, 8)
    yield [start_up(f"n={n}", k, values, levels={"n": n}) for n, k in product("19", "abc")]
    yield [start_up(n, k, values) for n, k in product("19", "abc")]
    yield [start_up(n, f"{k}, -O", values, levels={"k": k, "flags": "-O"}) for n, k in product("19", "abc")]


@pytest.mark.parametrize(
    ("series", "names"),
    list(zip(of_several(), (("n", "alternative"), ("benchmark", "alternative"), ("benchmark", "k")), strict=True)),
)
def test_commands_and_benchmarks_are_dimensions_where_parameters_do_not_tell(
    series: list[Series], names: tuple[str, ...]
) -> None:
    found = dimensions_of([summary.sample for summary in judge(measurements(*series), Policy()).summaries])

    assert found is not None and found.names == names
    assert (found.down, found.across) == ((("1",), ("9",)), ("a", "b", "c"))
    assert [row["name"] for row in rows_of(series)] == ["1", "9"]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_fits_on_paper_and_series_of_a_scan_are_details(width: int) -> None:
    text = report_text(usual(), columns=width)

    assert max(map(len, text.splitlines())) <= width
    assert "k across, n down" in text and "\nseries" not in text
    assert "\nseries" in report_text(usual(), columns=width, is_verbose=True)


def test_one_dimension_is_no_pivot() -> None:
    mostly_empty = [start_up(f"b{i}", f"a{i // 2}", [1.0, 1.1, 1.2]) for i in range(6)]
    for series in (scan()[:3], scan()[:1], scan()[::3], mostly_empty):
        assert not [each for each in report_of(series).tables() if each.key == "pivot"]


def lines_of(series: list[Series]) -> dict[str, list[tuple[float | None, float]]]:
    """Of the curve in the page: where the points of each line are."""
    report = judgement_report(judge(measurements(*series), Policy()), of_rows=True)
    lines: dict[str, list[tuple[float | None, float]]] = {}
    for plot in report.blocks:
        if isinstance(plot, Plot) and plot.kind == "curve":
            for sample in plot.samples:
                lines.setdefault(sample.group, []).append((sample.at, float(np.mean(sample.values))))
    return lines


def test_the_page_draws_means_against_a_parameter_that_is_a_number() -> None:
    truth = {(n, k): float(n) * len(k) for n, k in product(("1", "10", "1e2"), ("a", "bb"))}
    lines = lines_of(scan(truth))

    assert list(lines) == ["a", "bb"]
    for name, line in lines.items():
        assert [at for at, _ in line] == [1.0, 10.0, 100.0]
        assert [mean for _, mean in line] == pytest.approx([at * len(name) for at, _ in line if at], rel=0.02)
    assert "curve" not in {plot.kind for plot in report_of(scan(truth)).blocks if isinstance(plot, Plot)}


def test_two_values_or_words_are_no_axis() -> None:
    assert not lines_of(scan())
    assert not lines_of(scan(dict.fromkeys(product(("1", "2", "many", "nan"), "ab"), 1.0)))


def test_the_headline_of_several_commands_says_which_is_best_with_which_value() -> None:
    def series(truth: dict[tuple[str, str], float]) -> list[Series]:
        return [
            replace(each, benchmark=f"n={n}", alternative=k, levels={"n": n})
            for ((n, k), _), each in zip(truth.items(), scan(truth), strict=True)
        ]

    assert report_of(series(TRUTH)).headline[0] == "b is fastest with n=9; with 1 of 2 it cannot be said."
    crossing = {("1", "a"): 1.0, ("1", "b"): 2.0, ("5", "a"): 2.0, ("5", "b"): 3.0, ("9", "a"): 7.0, ("9", "b"): 5.0}
    assert report_of(series(crossing)).headline[0] == "a is fastest with n=1 and 5; b is fastest with n=9."
    same = report_of(series(dict.fromkeys(crossing, 1.0))).headline[0]
    assert "fastest" not in same and "of 3 benchmarks" in same


def test_the_headline_of_two_parameters_says_which_value_is_best_with_which_of_the_other() -> None:
    """That the smallest input is fastest would be no news."""
    assert report_of(scan(TRUTH)).headline == ("k=b is fastest with n=9; with 1 of 2 it cannot be said.",)
    same = report_of(scan(dict.fromkeys(product("159", "ab"), 1.0))).headline
    assert same == ("With no n it can be said which k is fastest.",)


def test_titles_keep_what_tells_long_names_apart() -> None:
    long = ["python3 app.py --size 100 --kind list", "python3 app.py --size 100 --kind dict"]
    assert short_titles(long) == ["…list", "…dict"]
    # One is the beginning of the other: nothing is between what they have in common.
    assert len(set(short_titles(["python3 app.py --size 100", "python3 app.py --size 100 -O"]))) == 2
