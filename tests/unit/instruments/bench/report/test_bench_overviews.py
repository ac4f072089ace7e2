"""Plots of benchmarks, which the rows that tell of them name: every value, and every iteration."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from made_judgements import made_comparison, made_judgement, made_sample, made_steady_sample, made_summary
from report_values import cells, table_of
from sonde.instruments.bench.judging import Judgement
from sonde.instruments.bench.report import judgement_report
from sonde.report import Estimated, Named, Plot, Report, Sample


def overviews(judgement: Judgement) -> list[Plot]:
    report = judgement_report(judgement, of_rows=True)
    return [block for block in report.blocks if isinstance(block, Plot) and block.kind == "overview"]


def samples(judgement: Judgement) -> list[Sample]:
    return list(chain.from_iterable(plot.samples for plot in overviews(judgement)))


def test_nothing_is_drawn_of_rows_unless_a_page_asks() -> None:
    judgement = made_judgement(summaries=[made_summary(made_sample([1.0, 1.1]))])
    report = judgement_report(judgement)
    assert not any(isinstance(block, Plot) and block.is_secondary for block in report.blocks)
    assert all(row.plot == "" for table in report.tables() for row in table.rows)


def test_rows_of_series_and_comparisons_name_the_plot_of_their_benchmark() -> None:
    comparisons = [made_comparison("same", 1.0, (0.99, 1.01), benchmark=name) for name in ("one", "two")]
    summaries = [made_summary(side) for each in comparisons for side in (each.first, each.second)]
    report = judgement_report(made_judgement(summaries=summaries, comparisons=comparisons), of_rows=True)
    plots = {plot.key: plot for plot in report.blocks if isinstance(plot, Plot) and plot.is_secondary}
    assert [row.plot for row in table_of(report, "series").rows] == ["overview-1"] * 2 + ["overview-2"] * 2
    assert [row.plot for row in table_of(report, "same").rows] == ["overview-1", "overview-2"]
    assert [plot.title for plot in plots.values()] == ["one", "two"]
    assert [sample.name for sample in plots["overview-2"].samples] == ["old", "new"]


def test_every_value_is_drawn_with_what_was_estimated() -> None:
    values = np.random.default_rng(1).normal(0.04, 0.001, 30).tolist()
    [sample] = samples(made_judgement(summaries=[made_summary(made_sample(values), (0.039, 0.041), outliers=[3])]))
    assert list(sample.values) == values
    assert isinstance(sample.mean, Estimated) and (sample.mean.low, sample.mean.high) == (0.039, 0.041)
    assert sample.outliers == (3,) and not sample.members and not sample.gaps


def test_what_was_compared_but_not_summarised_is_drawn_without_a_mean() -> None:
    found = samples(made_judgement(comparisons=[made_comparison("same", 1.0, (0.99, 1.01))]))
    assert [(sample.mean, len(sample.values)) for sample in found] == [(None, 3), (None, 3)]


def test_failed_invocations_and_those_to_warm_up_leave_gaps_only_the_first_say_why() -> None:
    sample = made_sample([1.0, 1.1, 1.2], failures=["exit code 3", ""])
    sample = replace(sample, counted=(1, 2), values=sample.values[1:])
    [drawn] = samples(made_judgement(summaries=[made_summary(sample)]))
    assert drawn.gaps == {0: "", 3: "failed exit code 3", 4: "failed"}
    assert drawn.places == [1, 2]


def test_iterations_of_every_invocation_are_there_with_those_that_count() -> None:
    runs = [[2.0, 1.0, 1.0 + i] for i in range(3)]
    [drawn] = samples(made_judgement(summaries=[made_summary(made_steady_sample(runs, steady_from=1))]))
    assert [list(member.values) for member in drawn.members] == runs
    assert [member.counted for member in drawn.members] == [(1, 3)] * 3
    assert drawn.members[2].name.startswith("iterations of invocation 3: warms up: steady after 1 of 3 iterations")


def test_of_many_series_iterations_only_say_of_which_kind_they_are() -> None:
    series = [made_steady_sample([[2.0, 1.0]], steady_from=1, benchmark=f"b{i}") for i in range(13)]
    names = {drawn.members[0].name for drawn in samples(made_judgement(summaries=list(map(made_summary, series))))}
    assert names == {"iterations of invocation 1, warm-up"}


@pytest.mark.parametrize("how", ["start-up", "pooled", "another metric"])
def test_there_are_no_iterations_where_none_were_measured(how: str) -> None:
    sample = made_steady_sample([[1.0, 1.5, 1.25]])
    if how == "start-up":
        sample = made_sample([1.0, 2.0])
    elif how == "pooled":
        sample = replace(
            sample,
            series=replace(sample.series, separate=False),
            values=np.array([1.0, 1.5, 1.25]),
            counted=(0, 0, 0),
            steady_from=(0, 0, 0),
        )
    else:
        sample = replace(sample, metric=replace(sample.metric, name="user"))
    [drawn] = samples(made_judgement(summaries=[made_summary(sample)]))
    assert drawn.members == () and drawn.gaps == {}


def test_files_are_called_by_their_names_without_folders_and_commands_are_whole() -> None:
    def called(*names: str) -> list[str]:
        first, second = (made_sample([1.0, 1.1], alternative=name) for name in names)
        comparison = made_comparison("same", 1.0, (0.99, 1.01), first=first, second=second)
        return [sample.name for sample in samples(made_judgement(comparisons=[comparison]))]

    assert called("/long/way/to/old.json", "/long/way/to/new.json") == ["old.json", "new.json"]
    assert called("a/python x/t.py", "b/python x/t.py") == ["a/python x/t.py", "b/python x/t.py"]
    assert called("/one/run.json", "/two/run.json") == ["/one/run.json", "/two/run.json"]


def names(report: Report, key: str, column: str = "name") -> list[str]:
    return [str(each.text if isinstance(each, Named) else each) for each in cells(table_of(report, key), column)]


def test_tables_say_which_series_they_tell_of() -> None:
    judgement = made_judgement(
        summaries=[made_summary(made_sample([1.0, 1.1], alternative=name, failures=["bad"])) for name in ("a", "b")],
        comparisons=[made_comparison("same", 1.0, (0.99, 1.01), benchmark="other")],
    )
    report = judgement_report(judgement)
    series = names(report, "series")
    assert names(report, "failures") == series[:2] and cells(table_of(report, "failures"), "series") == [0, 1]
    assert names(report, "same", "first_series_name") == [series[2]]
