"""What the summary of pytest says of a measured session, as lines."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sonde.base.units import format_count, format_duration, format_share
from sonde.code import Function
from sonde.pytest_plugin.compared_tests import TOLERANCE, ComparedTests
from sonde.pytest_plugin.totals_of_tests import TestTotals

_MOST_TESTS, _MOST_NAMES = 20, 5
_TIMES = "times: cannot say, one run on each side does not show how much they vary"


def hot_lines(tests: Mapping[str, TestTotals], root: Path) -> list[str]:
    """Tests with the most time, and the hottest function of each."""
    ordered = sorted(tests.items(), key=lambda item: (-item[1].total_ns, item[0]))
    lines: list[str] = []
    for name, test in ordered[:_MOST_TESTS]:
        calls = format_count(sum(test.calls.values()))
        lines.append(f"{format_duration(test.total_ns):>9}  {calls:>8} calls  {name}")
        hottest = test.hottest()
        if hottest is not None:
            share = format_share(test.own_ns[hottest], test.total_ns)
            lines.append(f"{'':11}{share} in {hottest.label} ({_place(hottest, root)})")
    left_out = len(ordered) - _MOST_TESTS
    if left_out > 0:
        lines.append(f"... {left_out} more, each with less")
    return lines or ["no test ran"]


def comparison_lines(found: ComparedTests) -> list[str]:
    """The verdict first."""
    if found.more:
        tests = len({each.test for each in found.more})
        lines = [f"regression: {tests} of {found.compared} tests call functions more often"]
        lines += [
            f"  {each.test}: {each.function}, {format_count(each.before)} calls before, {format_count(each.after)} now"
            for each in found.more[:_MOST_TESTS]
        ]
        if len(found.more) > _MOST_TESTS:
            lines.append(f"  ... {len(found.more) - _MOST_TESTS} more functions")
    elif found.compared:
        lines = [
            f"calls: none of {found.compared} tests calls a function more often, by over {TOLERANCE:.0%} of its calls"
        ]
    else:
        lines = ["calls: cannot say, no test is in both runs"]
    lines += _named(
        "calls: cannot say, the first test to need it does it",
        sorted({f"{each.function} ({each.test})" for each in found.once}),
    )
    lines += _named("new, not compared", found.new)
    lines += _named("in the baseline, and did not run", found.gone)
    lines += _named("calls: cannot say, inputs are random", found.random)
    return [*lines, _TIMES]


def _named(what: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return [f"{what}: {', '.join(names[:_MOST_NAMES])}{rest}"]


def _place(function: Function, root: Path) -> str:
    return function.place.removeprefix(f"{root}/")
