"""One continuation for several points of a function: its entry is a dispatcher.

osr.entry(which, v, n, i):          ; which point was left; values that are not live there are poison
  switch which: loop.body | loop.latch | ...
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sonde.ir import Function, Module
from sonde.ir.analyses import Place
from sonde.osr.continuation import WHICH, continue_at
from sonde.osr.places import place_of
from sonde.osr.signature import LiveValue, Transition
from sonde.osr.state_map import StateMap
from sonde.osr.survey import Survey


@dataclass(frozen=True, slots=True)
class SharedContinuation:
    """A function that goes on at any of several points."""

    function: Function
    leaving: tuple[Transition, ...]
    """How the function is left at each of the points, in their order."""
    places: tuple[Place, ...]


def shared_continuation(
    module: Module,
    f: Function,
    at: Sequence[str | Place],
    name: str,
    *,
    linkage: str = "internal",
    survey: Survey | None = None,
) -> SharedContinuation:
    """Add to a module one function that does what `f` still has to do at any of several points.

    Less code than a continuation for each point, which would repeat all that the points lead to; a branch more at each
    transition, and what is live at any of the points is handed over at all of them.

    Args:
        at: points, see `place_of`.
        name: with sigil; must be free.
        survey: of `f`, when it gets many continuations.
    Raises:
        Refused: as `continuation`, and `live value`, where slots of the stack are made behind one of the points.
        KeyError: there is no such point.
    Guarantee: as of `continuation`, for each of the points.
    Cost: as one `continuation`.
    Source: D'Elia, PhD thesis, section 4.1, which leaves it for the future.
    """
    places = tuple(place_of(f, each) for each in at)
    survey = survey or Survey.of(module, f, places)
    for place in places:
        survey.check_can_be_left(place)
    live: dict[LiveValue, None] = {}
    of_each = []
    for values in survey.live_at(places):
        of_each.append({each.name for each in values})
        live.update(dict.fromkeys(values))
    leaving = survey.transition([WHICH, *live])
    function = continue_at(module, f, places, [*live], name, leaving, StateMap(), linkage)
    return SharedContinuation(
        function,
        tuple(replace(leaving, values=_of(leaving, number, names)) for number, names in enumerate(of_each)),
        places,
    )


def _of(leaving: Transition, number: int, live: set[str]) -> tuple[LiveValue, ...]:
    """What one of the points hands over."""
    return tuple(
        LiveValue(str(number), each.type) if each == WHICH
        else each if each.name in live
        else LiveValue("poison", each.type)
        for each in leaving.values
    )  # fmt: skip
