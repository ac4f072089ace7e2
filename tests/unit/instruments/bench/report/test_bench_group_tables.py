"""Analyses of variance of three alternatives, in each view: what is not there is a dash, or null."""

import io
import json

import numpy as np

from made_judgements import made_judgement, made_sample, made_summary
from sonde.instruments.bench.judging import GroupComparison, Judgement
from sonde.instruments.bench.report.html.bench_data import bench_data
from sonde.instruments.bench.report.judgement_data import judgement_as_data
from sonde.instruments.bench.report.terminal import print_judgement
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


def test_squares_that_welch_s_test_does_not_have_are_dashes_on_a_terminal() -> None:
    stream = io.StringIO()
    print_judgement(unequal(), stream, width=80)
    table = stream.getvalue().partition("sum of squares")[2].splitlines()

    groups, residual = table[1].split(), table[2].split()
    assert (groups[0], residual[0]) == ("groups", "residual")
    assert (groups[1], groups[2], groups[3]) == ("-", "2", "-")
    assert (residual[1], residual[3]) == ("-", "-") and float(residual[2]) > 2.0


def test_they_are_dashes_on_a_page() -> None:
    [group] = bench_data(unequal(), title="made")["groups"]

    assert [(row[1], row[3]) for row in group["tables"][0]["rows"]] == [("-", "-"), ("-", "-")]


def test_they_are_null_in_plain_data() -> None:
    [group] = json.loads(json.dumps(judgement_as_data(unequal())))["groups"]

    assert [(row["sum_of_squares"], row["mean_square"]) for row in group["variance"]["rows"]] == [(None, None)] * 2
    assert len({pair["degrees_of_freedom"] for pair in group["pairs"]}) == 3


def test_the_heading_of_all_pairs_has_no_degrees_of_freedom_of_the_first() -> None:
    stream = io.StringIO()
    print_judgement(unequal(), stream, width=200)
    [group] = bench_data(unequal(), title="made")["groups"]

    heading = "Games-Howell interval, simultaneous for all pairs of 3 groups"
    assert f"differences of means, {heading}\n" in stream.getvalue()
    assert group["pairs_method"] == heading
