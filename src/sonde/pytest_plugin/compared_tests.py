"""Tests of two runs, compared one by one: a function that is called more often in the same test is a regression."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sonde.pytest_plugin.totals_of_tests import TestTotals

TOLERANCE = 0.01
"""Of the calls that the test made before: so many more of one function are none."""

_Name = tuple[str, str]
"""Module and function."""


@dataclass(frozen=True, slots=True)
class MoreCalls:
    """A function that is called more often in a test than before."""

    test: str
    function: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ComparedTests:
    """What is to be said of two runs; names are sorted, the worst regression comes first."""

    compared: int
    """Tests that are in both, and always make the same calls."""
    more: tuple[MoreCalls, ...]
    once: tuple[MoreCalls, ...]
    """What is done once, by the first test to need it, and may have been done by another one before: cannot say."""
    new: tuple[str, ...]
    gone: tuple[str, ...]
    random: tuple[str, ...]
    """In both, but with inputs at random: cannot say."""


def compare_tests(
    before: Mapping[str, TestTotals], after: Mapping[str, TestTotals], *, processes: int = 1
) -> ComparedTests:
    """Compare calls test by test.

    Functions are one by module and name: lines may move. Times of one run on each side tell nothing: they
    are not compared.

    What the first test fills that needs it, such as a cache of the process, is done by another test if these run in
    another order, not all of them, or in several processes. It is told from a regression by two signs: all tests
    together, which are those from before, do not call the function more often; or tests or processes are others now,
    and the function is new in one test only of each process, and was called as often by another one before.

    Args:
        processes: in which the tests of one run were, those of the run that had more.
    Guarantee: a test that is in one of the runs only is no regression, and of equal runs, or of runs whose tests only
        change places, there is none.
    Cost: O(n) for n functions of all tests, and sorting.
    """
    both = before.keys() & after.keys()
    random = {test for test in both if before[test].is_random or after[test].is_random}
    is_alike = processes <= 1 and before.keys() == after.keys()
    called, now_called, at_most = _of_all(before), _of_all(after), _at_most(before)
    new_in = Counter(
        key for test in both - random for key in _by_name(after[test]).keys() - _by_name(before[test]).keys()
    )
    more: list[MoreCalls] = []
    once: list[MoreCalls] = []
    for test in both - random:
        earlier, later = _by_name(before[test]), _by_name(after[test])
        most = TOLERANCE * sum(earlier.values())
        for key, calls in later.items():
            was = earlier.get(key, 0)
            if calls - was <= most:
                continue
            has_moved = before.keys() <= after.keys() and now_called[key] <= called.get(key, 0)
            is_of_first = not is_alike and not was and new_in[key] <= processes and at_most.get(key, 0) >= calls
            module, name = key
            found = MoreCalls(test, f"{module}.{name}" if module else name, was, calls)
            (once if has_moved or is_of_first else more).append(found)
    for found_calls in (more, once):
        found_calls.sort(key=lambda each: (each.before - each.after, each.test, each.function))
    return ComparedTests(
        compared=len(both) - len(random),
        more=tuple(more),
        once=tuple(once),
        new=tuple(sorted(after.keys() - both)),
        gone=tuple(sorted(before.keys() - both)),
        random=tuple(sorted(random)),
    )


def _of_all(tests: Mapping[str, TestTotals]) -> "Counter[_Name]":
    """Calls by function, in all tests whose inputs are not random."""
    total: Counter[_Name] = Counter()
    for test in tests.values():
        if not test.is_random:
            total.update(_by_name(test))
    return total


def _at_most(tests: Mapping[str, TestTotals]) -> dict[_Name, int]:
    """Calls by function, of the test that has most of them."""
    most: dict[_Name, int] = {}
    for test in tests.values():
        for key, calls in _by_name(test).items():
            most[key] = max(most.get(key, 0), calls)
    return most


def _by_name(totals: TestTotals) -> dict[_Name, int]:
    calls: dict[_Name, int] = {}
    for function, count in totals.calls.items():
        key = (function.module, function.name)
        calls[key] = calls.get(key, 0) + count
    return calls
