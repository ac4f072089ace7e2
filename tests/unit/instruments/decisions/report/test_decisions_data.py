"""Decisions as plain data: everything that was read, and JSON that can be read again."""

import json
from collections.abc import Iterator
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
from sonde.instruments.decisions.experiments import CompareOptions
from sonde.instruments.decisions.model import CallSite, DecisionRun, Phase, Trees
from sonde.instruments.decisions.report import (
    TREES,
    DiffOptions,
    ShowOptions,
    compare_runs,
    differences_as_data,
    run_as_data,
)

INSIDES = "children"


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """What a program gets that reads the JSON."""
    found: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    assert found == data
    return found


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.get(INSIDES, []))


@pytest.mark.parametrize("run", every_kind(), ids=lambda run: run.kind)
def test_a_run_is_told_whole(run: DecisionRun) -> None:
    data = plain(run_as_data(made_experiment(run), ShowOptions(trees=TREES, only_hot=False)))
    assert [unit["id"] for unit in data["units"]] == [
        unit.id for unit in sorted(run.units, key=lambda one: -one.period)
    ]
    assert data["run"]["profile"]["total"] == 1000
    for unit in data["units"]:
        assert {"inlining", "optimizations", "context"} <= unit.keys()


def test_a_call_has_all_that_the_compiler_said() -> None:
    data = plain(run_as_data(made_experiment(graal_run())))
    calls = {node["method"]: node for node in nodes(data["units"][0]["inlining"])}
    assert calls[GET]["reasons"] == ["too early", "relevance-based, 33 nodes"]
    assert calls[GET]["kind"] == "inlined"
    receivers = calls["java.lang.Object.hashCode()"]["receivers"]
    assert receivers["types"][0] == {"type": "app.Key", "probability": 0.875, "method": "app.Key.hashCode()"}
    spared = [
        node for node in nodes(data["units"][0]["optimizations"]) if node.get("event") == "AllocationVirtualization"
    ]
    assert [place["at"] for place in spared[0]["position"]] == [1, 2, 5]


def test_cold_units_are_listed_without_trees() -> None:
    data = run_as_data(made_experiment(graal_run()))
    assert ["inlining" in unit for unit in data["units"]] == [True, False]


def test_differences_have_whole_trees_and_name_their_pairs() -> None:
    comparison = compare_runs(*made_sides(graal_run(), graal_run(is_fast=False)))
    data = plain(differences_as_data(comparison))
    assert data["differs"] is True
    pair = data["methods"][0]["pairs"][0]
    edits = [node["edit"] for node in nodes(pair["inlining"])]
    assert sorted(set(edits)) == ["changed", "deleted", "same"]
    changed = next(node for node in nodes(pair["inlining"]) if node["edit"] == "changed")
    assert (changed["first"]["kind"], changed["second"]["kind"]) == ("inlined", "direct")
    assert changed["second"]["reasons"] == ["too early", "too big: 612 nodes"]
    assert data["findings"][0]["pairs"] == [[0, 0]]
    assert data["findings"][0]["shares"] == [0.6, 0.8]


def test_the_same_call_with_other_reasons_keeps_both() -> None:
    def run(reason: str) -> DecisionRun:
        trees = Trees(root("m()", inlined("a.X.run()", 5, reasons=[reason])), Phase("R"))
        return made_run([made_unit(0, trees, period=9)])

    data = differences_as_data(compare_runs(*made_sides(run("trivial"), run("relevant"))))
    call = next(node for node in nodes(data["methods"][0]["pairs"][0]["inlining"]) if "first" in node)
    assert (call["edit"], call["first"]["reasons"], call["second"]["reasons"]) == ("same", ["trivial"], ["relevant"])


def test_the_context_tree_is_told_instead_when_it_was_compared() -> None:
    options = DiffOptions(compare=CompareOptions(context=True))
    comparison = compare_runs(*made_sides(graal_run(), graal_run(is_fast=False)), options)
    pair = plain(differences_as_data(comparison))["methods"][0]["pairs"][0]
    assert pair["inlining"] is None
    assert any("optimization" in node for node in nodes(pair["context"]))


def test_a_tree_deeper_than_the_stack_is_no_problem_for_us() -> None:
    run = made_run([made_unit(0, deep_trees(3000), period=9)])
    data = run_as_data(made_experiment(run))
    assert sum(1 for _ in nodes(data["units"][0]["inlining"])) == 3001


def test_what_sonde_has_no_name_for_is_kept() -> None:
    call = CallSite("a.X.run()", 5, inlined=True, more=(("newKey", 7),))
    run = made_run([made_unit(0, Trees(root("m()", call), work_trees().optimizations), period=9)])
    data = run_as_data(made_experiment(run))
    assert data["units"][0]["inlining"]["children"][0]["more"] == {"newKey": 7}
