"""Tests of two runs are compared one by one: against counting by brute force, and what is never a regression."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.code import Function
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Contexts
from sonde.pytest_plugin.compared_tests import TOLERANCE, compare_tests
from sonde.pytest_plugin.named_test import MODULE
from sonde.pytest_plugin.names_from_elsewhere import renamed_as
from sonde.pytest_plugin.totals_of_tests import TestTotals, totals_of_tests

Runs = dict[str, dict[str, int]]
RUNS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.dictionaries(st.sampled_from("fgh"), st.integers(1, 300), max_size=3),
    max_size=3,
)


def totals(run: Runs, line: int = 1) -> dict[str, TestTotals]:
    return {
        test: TestTotals(calls={Function(name, "app", "/home/ada/app.py", line): n for name, n in calls.items()})
        for test, calls in run.items()
    }


@given(RUNS, RUNS)
def test_more_calls_are_those_of_the_oracle(before: Runs, after: Runs) -> None:
    found = compare_tests(totals(before), totals(after, line=9))

    expected = {
        (test, f"app.{name}", before[test].get(name, 0), calls)
        for test in before
        if test in after
        for name, calls in after[test].items()
        if calls > before[test].get(name, 0) + TOLERANCE * sum(before[test].values())
    }
    told = {(each.test, each.function, each.before, each.after) for each in (*found.more, *found.once)}
    assert told == expected
    for each in found.once:
        name = each.function[-1]
        no_more = sum(run.get(name, 0) for run in after.values()) <= sum(run.get(name, 0) for run in before.values())
        new_in = [test for test in before if test in after and name in after[test] and name not in before[test]]
        as_often = any(run.get(name, 0) >= each.after for run in before.values())
        is_of_first = set(before) != set(after) and not each.before and len(new_in) == 1 and as_often
        assert (set(before) <= set(after) and no_more) or is_of_first
    assert (set(found.new), set(found.gone)) == (set(after) - set(before), set(before) - set(after))
    assert not compare_tests(totals(after), totals(after)).more


@given(RUNS, st.permutations("abc"))
def test_what_only_changes_places_is_no_regression(run: Runs, places: list[str]) -> None:
    moved = {
        test: run[other] for test, other in zip(sorted(run), [each for each in places if each in run], strict=True)
    }
    assert not compare_tests(totals(run), totals(moved)).more


def test_what_the_first_test_does_is_no_regression_of_another() -> None:
    first, alone = {"a": {"f": 9, "g": 2}, "b": {"g": 2}}, {"b": {"f": 9, "g": 2}}
    found = compare_tests(totals(first), totals(alone))
    assert (found.more, [(each.test, each.function) for each in found.once]) == ((), [("b", "app.f")])

    both = {"a": {"f": 9, "g": 2}, "b": {"f": 9, "g": 2}}
    assert len(compare_tests(totals(first), totals(both)).more) == 1  # the same tests, in one process
    assert not compare_tests(totals(first), totals(both), processes=2).more
    more = {"b": {"f": 9, "g": 3}}
    assert [each.function for each in compare_tests(totals(first), totals(more)).more] == ["app.g"]


@pytest.mark.parametrize(
    ("known", "tests", "renamed"),
    [
        (
            ["t/a.py::x", "t/b.py::y"],
            ["p/t/a.py::x", "p/t/b.py::y", "p/q/c.py::z"],
            ["t/a.py::x", "t/b.py::y", "q/c.py::z"],
        ),
        (["p/q/a.py::x[1/2]"], ["a.py::x[1/2]", "b.py::y"], ["p/q/a.py::x[1/2]", "p/q/b.py::y"]),
        (["a.py::x"], ["a.py::x", "p/a.py::x"], ["a.py::x", "p/a.py::x"]),
        (["a.py::x"], ["b.py::x"], ["b.py::x"]),
        ([], ["b.py::x"], ["b.py::x"]),
    ],
)
def test_names_below_another_root_are_found_again(known: list[str], tests: list[str], renamed: list[str]) -> None:
    assert list(renamed_as(known, dict.fromkeys(tests, 1))) == renamed


def test_random_inputs_cannot_be_compared() -> None:
    before, after = totals({"a": {"f": 1}}), totals({"a": {"f": 9}})
    after["a"].is_random = True
    found = compare_tests(before, after)
    assert (found.more, found.random, found.compared) == ((), ("a",), 0)


def test_tools_are_never_the_hottest() -> None:
    installed = "/v/lib/python3.12/site-packages"
    functions = (
        Function("runtestprotocol", "_pytest.runner", f"{installed}/_pytest/runner.py", 1),
        Function("test_a.py::test_a", MODULE, f"<{MODULE}>", 1),
        Function("execute", "hypothesis.core", f"{installed}/hypothesis/core.py", 1),
        Function("test_a", "test_a", "/home/ada/test_a.py", 3),
        Function("sleep", "asyncio.tasks", "/usr/lib/python3.12/asyncio/tasks.py", 7),
        Function("_find_and_load", "", "<frozen importlib._bootstrap>", 1165),
        Function("made", "app", "/home/ada/app.py", 1),
        Function("sort", "sorted", f"{installed}/sorted/core.py", 1),
    )
    parent = array("q", [NO_PARENT, 0, 1, 2, 3, 3, 5, 2, 4])
    one, own = array("q", [1] * 9), array("q", [900, 800, 700, 1, 20, 300, 4, 600, 50])
    tree = Contexts(parent, array("q", [*range(8), 7]), one, one, one, own, own)

    (found,) = totals_of_tests(ContextProfile(functions=functions, contexts=tree)).values()

    assert found.calls == {functions[3]: 1, functions[7]: 1}
    assert found.hottest() == functions[3]
    assert (found.own_ns, found.total_ns, found.is_random) == ({functions[3]: 325, functions[7]: 50}, 375, True)
