"""What a sample knows of the invocations that it was taken from."""

from dataclasses import replace

import numpy as np

from made_judgements import made_comparison, made_judgement, made_sample, made_steady_sample, made_summary
from sonde.stats.findings import Assumption


def test_what_is_left_out_failed_or_was_to_warm_up() -> None:
    sample = made_sample([1.0, 1.1, 1.2], failures=["exit code 3"])
    sample = replace(sample, counted=(1, 2), values=sample.values[1:])
    assert {place: each.outcome for place, each in sample.left_out().items()} == {0: "ok", 3: "failed"}


def test_of_an_invocation_with_several_values_nothing_is_left_out() -> None:
    pooled = replace(made_steady_sample([[1.0, 1.5], [2.0]]), values=np.array([1.0, 1.5]), counted=(0, 0))
    assert pooled.left_out() == {}


def test_values_have_runs_where_iterations_of_processes_of_their_own_were_measured() -> None:
    steady = made_steady_sample([[1.0, 1.5], [2.0]])
    assert steady.has_runs
    assert not made_sample([1.0, 2.0]).has_runs
    assert not replace(steady, series=replace(steady.series, separate=False)).has_runs
    assert not replace(steady, metric=replace(steady.metric, name="user")).has_runs


def test_a_typical_value_is_the_median_of_two_the_lower_one() -> None:
    assert made_sample([5.0, 1.0, 3.0]).typical() == 2
    assert made_sample([5.0, 1.0, 3.0, 4.0]).typical() == 2


def test_a_judgement_has_each_sample_once() -> None:
    comparison = made_comparison("same", 1.0, (0.9, 1.1))
    judgement = made_judgement(summaries=[made_summary(comparison.second)], comparisons=[comparison, comparison])
    assert judgement.samples() == (comparison.second, comparison.first)


def test_objections_are_what_no_interval_allows_for_failed_or_was_withheld() -> None:
    fails = [Assumption("normality", False, "p = 0"), Assumption("independence", True, "p = 1")]
    fails.append(Assumption("a steady state", False, "2 no steady state of 2 invocations"))
    summary = made_summary(made_sample([1.0], failures=["bad"]), withheld="one value", assumptions=fails)
    told = ["a steady state does not hold", "invocations failed", "no interval: one value"]
    assert (summary.objections(), summary.allowed_for()) == (told, ["normality does not hold"])
    assert made_summary(made_sample([1.0, 1.1]), (0.9, 1.2)).objections() == []
