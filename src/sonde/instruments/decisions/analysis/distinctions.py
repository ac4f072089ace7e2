"""In what decisions differ that are called the same on both sides: their place, the calls to it, or properties."""

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.instruments.decisions.analysis.places import place_text
from sonde.instruments.decisions.analysis.words import value_text
from sonde.instruments.decisions.model import Decision, DecisionRun, Place, Position, Value
from sonde.render.name_text import bare_name, whole_name

_PROPERTIES = 2
"""That are named."""

_VALUE, _METHOD, _UNCUT = 32, 44, 0
"""Columns of a property's value, and of a method's name; 0: all of it."""


class Distinction(NamedTuple):
    """What is not the same, in words, and as far as it can be said in a few, how it is on either side."""

    what: str
    sides: tuple[str, str] = ("", "")
    shows_in_places: bool = False
    """Whether places tell it already."""


def distinction(
    left: Sequence[Decision], right: Sequence[Decision], runs: tuple[DecisionRun, DecisionRun]
) -> Distinction:
    """Compare decisions that have the same names, with an example of what differs.

    >>> run = DecisionRun("r", "graal", "bytecode index", [])
    >>> peeled = [Decision("Loop", "Peeling", properties=(("peelings", count),)) for count in (1, 2)]
    >>> distinction(peeled[:1], peeled[1:], (run, run))
    Distinction(what='with other properties', sides=('peelings 1', 'peelings 2'), shows_in_places=False)
    """
    if Counter(map(_all, left)) == Counter(map(_all, right)):
        return Distinction("in another order")
    if sorted(decision.position for decision in left) == sorted(decision.position for decision in right):
        return Distinction("with other properties", _properties(left, right))
    if _places(left) == _places(right):
        return Distinction("inlined through other calls", _calls(left, right, runs))
    return Distinction("in other places", shows_in_places=True)


def _all(decision: Decision) -> tuple[Position, tuple[tuple[str, Value], ...]]:
    return decision.position, decision.properties


def _places(decisions: Sequence[Decision]) -> list[Place]:
    return sorted(decision.position[0] for decision in decisions if decision.position)


def _properties(left: Sequence[Decision], right: Sequence[Decision]) -> tuple[str, str]:
    """The values of those properties that differ, as far as they are on one side only."""
    keys = list(dict.fromkeys(key for decision in (*left, *right) for key, _ in decision.properties))
    sides: tuple[list[str], list[str]] = ([], [])
    for key in keys:
        first, second = (
            Counter(value_text(value) for decision in side for name, value in decision.properties if name == key)
            for side in (left, right)
        )
        if first == second:
            continue
        for texts, own, other in ((sides[0], first, second), (sides[1], second, first)):
            value = next(iter(own - other), None)
            texts.append(f"{printable(key)} {'-' if value is None else keep_both_ends(value, _VALUE)}")
        if len(sides[0]) == _PROPERTIES:
            break
    return ", ".join(sides[0]), ", ".join(sides[1])


def _calls(
    left: Sequence[Decision], right: Sequence[Decision], runs: tuple[DecisionRun, DecisionRun]
) -> tuple[str, str]:
    """The innermost calls that differ, of the first decisions that are on one side only."""
    positions = [Counter(decision.position for decision in side) for side in (left, right)]
    first = next(iter(positions[0] - positions[1]), ())
    second = next((one for one in positions[1] - positions[0] if one[:1] == first[:1]), ())
    for one, other in zip_longest(first, second):
        if one != other:
            short = [_call(place, run, _METHOD) for place, run in zip((one, other), runs, strict=True)]
            if short[0] == short[1]:  # names differ in what was left out of them
                short = [_call(place, run, _UNCUT) for place, run in zip((one, other), runs, strict=True)]
            return short[0], short[1]
    return "", ""


def _call(place: Place | None, run: DecisionRun, width: int) -> str:
    if place is None:
        return "not inlined further"
    name = whole_name(place.method) if width == _UNCUT else bare_name(place.method, width)
    return f"through {place_text(run, place)} in {name}"
