"""Decisions for programs: everything that was read, in JSON that can be read again."""

import json
from typing import Any

import pytest

from made_decisions import (
    GET,
    deep_trees,
    every_kind,
    graal_run,
    inlined,
    made_experiment,
    made_run,
    made_sides,
    made_unit,
    root,
    work_trees,
)
from report_json import all_rows, facts, table
from sonde.instruments.decisions.analysis import Comparison, compare_runs
from sonde.instruments.decisions.experiments import CompareOptions
from sonde.instruments.decisions.model import CallSite, DecisionRun, Phase, Trees
from sonde.instruments.decisions.options import TREES, DiffOptions, ShowOptions
from sonde.instruments.decisions.report import comparison_report, run_report
from sonde.render.report_json import report_data

Data = dict[str, Any]


def shown(run: DecisionRun, options: ShowOptions | None = None) -> Data:
    """What a program gets that reads the JSON."""
    data = report_data(run_report(made_experiment(run), options, whole=True))
    found: Data = json.loads(json.dumps(data, allow_nan=False))
    assert found == data
    return found


def compared(comparison: Comparison) -> Data:
    found: Data = json.loads(json.dumps(report_data(comparison_report(comparison, whole=True)), allow_nan=False))
    return found


@pytest.mark.parametrize("run", every_kind(), ids=lambda run: run.kind)
def test_a_run_is_told_whole(run: DecisionRun) -> None:
    data = shown(run, ShowOptions(trees=TREES, only_hot=False))
    units = sorted(run.units, key=lambda one: -one.period)
    assert [row.get("id", row["method"]["name"]) for row in all_rows(data, "units")] == [unit.id for unit in units]
    assert facts(data, "run")["total"] == 1000
    for number in range(len(units)):
        for tree in TREES:
            assert table(data, f"{tree}-{number}")


def test_a_call_has_all_that_the_compiler_said() -> None:
    data = shown(graal_run())
    calls = {row.get("what"): row["node"] for row in all_rows(data, "inlining-0")}
    assert calls[GET]["reasons"] == ["too early", "relevance-based, 33 nodes"]
    assert calls[GET]["kind"] == "inlined"
    receivers = calls["java.lang.Object.hashCode()"]["receivers"]
    assert receivers["types"][0] == {"type": "app.Key", "probability": 0.875, "method": "app.Key.hashCode()"}
    told = [row["node"] for row in all_rows(data, "optimizations-0") if row["of"] == "optimization"]
    spared = [node for node in told if node["event"] == "AllocationVirtualization"]
    assert [place["at"] for place in spared[0]["position"]] == [1, 2, 5]


def test_cold_units_are_listed_without_trees() -> None:
    data = shown(graal_run())
    assert [row["hot"] for row in (*all_rows(data, "units"), *all_rows(data, "other-units"))] == [True, False]
    assert [block["key"] for block in data["blocks"] if block["key"].startswith("inlining")] == ["inlining-0"]


def test_differences_have_whole_trees_and_name_their_pairs() -> None:
    data = compared(compare_runs(*made_sides(graal_run(), graal_run(is_fast=False))))
    assert data["changed"] is True
    nodes = all_rows(data, "inlining-0-0")
    assert {row["edit"] for row in nodes} == {"changed", "deleted", "same"}
    changed = next(row["node"] for row in nodes if row["edit"] == "changed")
    assert (changed["first"]["kind"], changed["second"]["kind"]) == ("inlined", "direct")
    assert changed["second"]["reasons"] == ["too early", "too big: 612 nodes"]
    finding = all_rows(data, "findings")[0]
    assert finding["pairs"] == [[0, 0]]
    assert (finding["a"], finding["b"]) == ({"value": 600, "of": 1000}, {"value": 800, "of": 1000})


def test_the_same_call_with_other_reasons_keeps_both() -> None:
    def run(reason: str) -> DecisionRun:
        trees = Trees(root("m()", inlined("a.X.run()", 5, reasons=[reason])), Phase("R"))
        return made_run([made_unit(0, trees, period=9)])

    data = compared(compare_runs(*made_sides(run("trivial"), run("relevant"))))
    [call] = [row for row in all_rows(data, "inlining-0-0") if "first" in row["node"]]
    said = [call["node"][side]["reasons"] for side in ("first", "second")]
    assert (call["edit"], said) == ("same", [["trivial"], ["relevant"]])


def test_the_context_tree_is_told_instead_when_it_was_compared() -> None:
    options = DiffOptions(compare=CompareOptions(context=True))
    data = compared(compare_runs(*made_sides(graal_run(), graal_run(is_fast=False)), options))
    assert not any(block["key"].startswith("inlining") for block in data["blocks"])
    assert any(row["of"] == "optimization" for row in all_rows(data, "context-0-0"))


def test_a_tree_deeper_than_the_stack_is_no_problem_for_us() -> None:
    run = made_run([made_unit(0, deep_trees(3000), period=9)])
    data = report_data(run_report(made_experiment(run), whole=True))
    assert len(all_rows(data, "inlining-0")) == 3001


def test_what_sonde_has_no_name_for_is_kept() -> None:
    call = CallSite("a.X.run()", 5, inlined=True, more=(("newKey", 7),))
    run = made_run([made_unit(0, Trees(root("m()", call), work_trees().optimizations), period=9)])
    assert all_rows(shown(run), "inlining-0")[1]["node"]["more"] == {"newKey": 7}
