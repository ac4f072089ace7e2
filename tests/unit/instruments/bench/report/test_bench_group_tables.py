"""Analyses of variance of three alternatives, in each view: what is not there is empty, or missing."""

import json
from dataclasses import replace

import numpy as np

from made_judgements import made_judgement, made_sample, made_summary
from report_json import all_rows, table
from report_values import cells
from sonde.instruments.bench.judging import GroupComparison, Judgement
from sonde.instruments.bench.report import judgement_report
from sonde.render.html.whole_tables import with_whole_tables
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from sonde.report import Table
from sonde.stats.all_pairs import all_pairs
from sonde.stats.analysis_of_variance import one_way


def unequal() -> Judgement:
    """Three alternatives whose variances differ: Welch's analysis, Games and Howell's pairs."""
    random = np.random.default_rng(3)
    groups = {name: random.normal(1.0, spread, 9) for name, spread in (("a", 0.01), ("b", 0.05), ("c", 0.2))}
    variance = one_way(list(groups.values()), equal_variances=False)
    group = GroupComparison("json", tuple(groups), variance, None, all_pairs(groups, equal_variances=False), "")
    samples = [made_sample(values.tolist(), alternative=name) for name, values in groups.items()]
    return made_judgement(summaries=[made_summary(sample, (0.9, 1.2)) for sample in samples], groups=[group])


def test_squares_that_welch_s_test_does_not_have_are_left_out_on_a_terminal() -> None:
    text = report_text(judgement_report(unequal()), is_verbose=True).partition("all alternatives")[2].splitlines()

    assert text[1].split() == ["df", "F", "p", "source"]
    assert text[2].split()[::3] == ["2", "groups"]
    residual = text[3].split()
    assert residual[1] == "residual" and float(residual[0]) > 2.0


def test_they_are_not_in_plain_data() -> None:
    answer = json.loads(json.dumps(report_data(judgement_report(unequal()))))

    assert all("sum_of_squares" not in row and "mean_square" not in row for row in all_rows(answer, "variance-1"))
    assert len({row["degrees_of_freedom"] for row in all_rows(answer, "pairs-1")}) == 3
    [group] = all_rows(answer, "groups")
    assert group["alternatives"] == ["a", "b", "c"]
    assert "Welch" in group["variance_method"]


def test_the_heading_of_all_pairs_has_no_degrees_of_freedom_of_the_first() -> None:
    heading = "Games-Howell interval, simultaneous for all pairs of 3 groups"
    assert f"differences of means  {heading}\n" in report_text(
        judgement_report(unequal()), columns=200, is_verbose=True
    )


def test_pairs_that_differ_stand_out_and_forty_five_are_printed() -> None:
    report = judgement_report(unequal())
    [pairs] = [each for each in report.tables() if each.key == "pairs-1"]
    assert pairs.most == 45
    differing = [row.tone == "strong" for row in pairs.rows]
    assert differing == [pair.interval is not None and 0.0 not in pair.interval for pair in unequal().groups[0].pairs]


def test_of_many_groups_paper_only_has_the_number() -> None:
    group = unequal().groups[0]
    report = judgement_report(made_judgement(groups=[group] * 9))
    text = report_text(report, is_verbose=True)
    assert "9 benchmarks have three alternatives and more" in text
    assert "differences of means" not in text
    assert table(report_data(report), "pairs-9")


def test_a_page_has_the_analyses_of_many_groups_in_two_tables_that_name_their_benchmarks() -> None:
    [group] = unequal().groups
    groups = [replace(group, benchmark=f"b{number}") for number in range(9)]
    report = judgement_report(made_judgement(groups=groups))
    wholes = {table.title: table for table in with_whole_tables(report.blocks) if isinstance(table, Table)}
    assert set(cells(wholes["all alternatives"], "benchmark")) == {f"b{number}" for number in range(9)}
    assert len(wholes["differences of means"].rows) == 9 * len(group.pairs)
    assert wholes["differences of means"].legend.count("Games-Howell") == 1
