"""Regressions that two single runs can prove: functions that are called more often. Times of two runs prove none."""

from dataclasses import dataclass

from sonde.base.units import format_count
from sonde.instruments.contexts.profile import ContextProfile, function_totals

MIN_SHARE = 0.005
"""Of all calls before: by so much more calls of one function are a regression, as for `sonde diff --min-change`."""


@dataclass(frozen=True, slots=True)
class MoreCalls:
    """A function that was called more often than before."""

    function: str
    before: int
    after: int

    def __str__(self) -> str:
        return f"{self.function}: {format_count(self.before)} calls before, {format_count(self.after)} now"


def more_calls(before: ContextProfile, after: ContextProfile) -> list[MoreCalls]:
    """Functions of which there are more calls by at least `MIN_SHARE` of all calls before, the worst first.

    Functions are one by module and name: lines may move. Calls are exact, so there is no noise in them but the program's own.

    Cost: O(n) for n contexts of both.
    """
    earlier, later = _calls_by_name(before), _calls_by_name(after)
    least = max(1, MIN_SHARE * before.total_calls)
    found = [
        MoreCalls(f"{name} ({module})" if module else name, earlier.get((module, name), 0), calls)
        for (module, name), calls in later.items()
        if calls - earlier.get((module, name), 0) >= least
    ]
    return sorted(found, key=lambda each: (each.before - each.after, each.function))


def _calls_by_name(profile: ContextProfile) -> dict[tuple[str, str], int]:
    calls: dict[tuple[str, str], int] = {}
    for function, count in zip(profile.functions, function_totals(profile).calls, strict=True):
        key = (function.module, function.name)
        calls[key] = calls.get(key, 0) + count
    return calls
