"""Tests of two runs, compared one by one: a function that is called more often in the same test is a regression."""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.pytest_plugin.totals_of_tests import TestTotals

TOLERANCE = 0.01
"""Of the calls that the test made before: so many more of one function are none."""


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
    new: tuple[str, ...]
    gone: tuple[str, ...]
    random: tuple[str, ...]
    """In both, but with inputs at random: cannot say."""


def compare_tests(before: Mapping[str, TestTotals], after: Mapping[str, TestTotals]) -> ComparedTests:
    """Compare calls test by test.

    Functions are one by module and name: lines may move. Times of one run on each side tell nothing: they
    are not compared.

    Guarantee: a test that is in one of the runs only is no regression, and of equal runs there is none.
    Cost: O(n) for n functions of all tests, and sorting.
    """
    both = before.keys() & after.keys()
    random = {test for test in both if before[test].is_random or after[test].is_random}
    more: list[MoreCalls] = []
    for test in both - random:
        earlier, later = _by_name(before[test]), _by_name(after[test])
        most = TOLERANCE * sum(earlier.values())
        for (module, name), calls in later.items():
            was = earlier.get((module, name), 0)
            if calls - was > most:
                more.append(MoreCalls(test, f"{module}.{name}" if module else name, was, calls))
    more.sort(key=lambda each: (each.before - each.after, each.test, each.function))
    return ComparedTests(
        compared=len(both) - len(random),
        more=tuple(more),
        new=tuple(sorted(after.keys() - both)),
        gone=tuple(sorted(before.keys() - both)),
        random=tuple(sorted(random)),
    )


def _by_name(totals: TestTotals) -> dict[tuple[str, str], int]:
    calls: dict[tuple[str, str], int] = {}
    for function, count in totals.calls.items():
        key = (function.module, function.name)
        calls[key] = calls.get(key, 0) + count
    return calls
