"""Weights of differences where samples tell in which inlined code they were."""

from dataclasses import replace

import pytest

from made_decisions import GET, HASH, WORK, called, decided, inlined, made_run, made_sides, made_unit, root
from sonde.instruments.decisions.analysis import compare_runs
from sonde.instruments.decisions.analysis.code_times import Code, CodeTimes
from sonde.instruments.decisions.analysis.findings import finding_shares, findings
from sonde.instruments.decisions.experiments import HeatPolicy, InliningPath, PathElement
from sonde.instruments.decisions.model import DecisionRun, Phase, Place, Position, Spread, Trees

SPREAD: Spread = (
    ((Place(WORK, 30),), 10),
    ((Place(WORK, 5),), 5),
    ((Place(GET, 4), Place(WORK, 5)), 40),
    ((Place(HASH, 1), Place(GET, 2), Place(WORK, 5)), 25),
    ((Place(GET, 4), Place(WORK, 9)), 20),
)


def path(*elements: tuple[str, int]) -> InliningPath:
    return tuple(PathElement(*element) for element in ((WORK, -1), *elements))


def times(spread: Spread = SPREAD, period: int = 100) -> CodeTimes:
    return CodeTimes(replace(made_unit(0, Trees(root(WORK), Phase("R")), period=period), spread=spread))


@pytest.mark.parametrize(
    ("code", "time"),
    [
        (Code(inlined={path((GET, 5))}), 65),
        (Code(inlined={path((GET, 5)), path((GET, 5), (HASH, 2))}), 65),
        (Code(inlined={path((GET, 7))}), 0),
        (Code(inlined={path((GET, -1))}), 85),  # wherever it is called
        (Code(own={path()}), 15),
        (Code(own={path((GET, 5))}), 40),
        (Code(own={path((GET, 5))}, inlined={path((GET, 5))}), 65),
        (Code(methods={GET}), 60),
        (Code(sites={(path(), 5)}), 5),
        (Code(is_whole=True), 100),
        (Code(), 0),
    ],
)
def test_the_time_in_code_is_that_of_the_stacks_that_lead_there(code: Code, time: int) -> None:
    assert times().time(code) == time


def test_samples_without_a_place_of_calls_are_in_all_calls_of_the_method() -> None:
    spread: Spread = (((Place(GET, -1), Place(WORK, -1)), 40), ((Place(WORK, -1),), 60))
    assert times(spread).time(Code(inlined={path((GET, 5))})) == 40


def test_time_of_which_no_stack_is_known_is_spread_like_the_rest() -> None:
    assert times(period=1_000).time(Code(inlined={path((GET, 5))})) == 650
    assert times(spread=(((), 10),)).time(Code(own={path()})) == 100
    assert times(spread=()).time(Code(own={path()})) == 100


def run(*, is_fast: bool, period: int, spread: Spread) -> DecisionRun:
    """`get` is inlined at 5, or called; at 9 `hash` is; a decision in what was inlined at 9, and one in `work`."""
    get = inlined(GET, 5) if is_fast else called(GET, 5, reasons=["too big"])
    decisions = [decided("Loop", "Peeling", (HASH, 3), (WORK, 9)), decided("Guard", "Removal", (WORK, 30))]
    trees = Trees(root(WORK, get, inlined(HASH, 9)), Phase("R", [*(decisions if is_fast else [])]))
    return made_run([replace(made_unit(0, trees, period=period), spread=spread)])


def shares(first: DecisionRun, second: DecisionRun) -> list[tuple[str | None, float | None, float | None]]:
    comparison = compare_runs(*made_sides(first, second, HeatPolicy(percentile=1.0)))
    return [(finding.subject, *finding_shares(comparison, finding)) for finding in findings(comparison)]


def test_differences_weigh_what_their_code_does() -> None:
    hash_at_9: Position = (Place(HASH, 1), Place(WORK, 9))
    get_at_5: Position = (Place(GET, 1), Place(WORK, 5))
    fast = run(is_fast=True, period=800, spread=((hash_at_9, 600), (get_at_5, 150), ((Place(WORK, 30),), 50)))
    slow = run(is_fast=False, period=900, spread=((hash_at_9, 700), ((Place(WORK, 5),), 40), ((Place(WORK, 30),), 160)))
    # As whole units all three would weigh the same, and the call would come first.
    assert shares(fast, slow) == [("Loop", 0.6, 0.7), ("Guard", 0.05, 0.2), (GET, 0.15, 0.04)]


def test_where_samples_do_not_tell_the_whole_unit_counts() -> None:
    assert {tuple(each[1:]) for each in shares(
        run(is_fast=True, period=800, spread=()), run(is_fast=False, period=900, spread=())
    )} == {(0.8, 0.9)}  # fmt: skip
