"""The values that are live at points, and those that are there, with their types: what can be handed over."""

from collections.abc import Mapping, Sequence

from sonde.ir import Function, Module, value_types
from sonde.ir.analyses import ControlFlow, Liveness, Place, ReachingDefinitions, dominators
from sonde.osr.signature import AREA, LiveValue


def live_values(function: Function, place: Place, types: Mapping[str, str]) -> tuple[LiveValue, ...]:
    """The values that are live at a point, with their types, in the order in which they are made.

    Args:
        types: the module's named types.
    """
    return live_values_at(function, [place], types)[0]


def live_values_at(
    function: Function, places: Sequence[Place], types: Mapping[str, str], flow: ControlFlow | None = None
) -> list[tuple[LiveValue, ...]]:
    """The same for several points.

    Args:
        flow: the function's control flow, when the caller has it.
    Cost: O(size of the function) once, and O(answer * log answer) for each point.
    """
    liveness, typed = Liveness.of(function, flow), value_types(function, types)
    number_of = liveness.number_of
    blocks = function.blocks_by_name()
    wanted: dict[str, set[int]] = {}
    for place in places:
        wanted.setdefault(place.block, set()).add(max(place.at, blocks[place.block].first_after_phis()))
    found = {}
    for name, at in wanted.items():
        for place, live in liveness.throughout(name):
            if place.at in at:
                ordered = sorted(live - {AREA}, key=number_of.__getitem__)  # each continuation has an area of its own
                found[place] = tuple(LiveValue(value, typed[value]) for value in ordered)
    return [found[Place(each.block, max(each.at, blocks[each.block].first_after_phis()))] for each in places]


def values_there_at(module: Module, f: Function, places: Sequence[Place]) -> list[dict[str, str]]:
    """The values that are made on all ways to each of some points, live or not: value -> type.

    Cost: some walks over the function, and one over its values for each point.
    """
    if not places:
        return []
    types = value_types(f, module.types)
    reaching = ReachingDefinitions.of(f, dominators(ControlFlow.of(f)))
    return [{value: types[value] for value in reaching.before(place)} for place in places]
