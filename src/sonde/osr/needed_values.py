"""What must be handed over so that a landing can be gone on at."""

from collections.abc import Mapping

from sonde.osr.landing import Landing
from sonde.osr.live_values import live_values
from sonde.osr.places import place_of
from sonde.osr.refusals import Refused
from sonde.osr.signature import LiveValue
from sonde.osr.state_map import StateMap


def needed_by(to: Landing, there: Mapping[str, str]) -> list[LiveValue]:
    """The values that a landing needs.

    Args:
        there: the values at the point that is left, and their types.
    Raises:
        Refused: `live value`: not all of them are there.
    """
    function = to.module.functions[to.symbol]
    live = live_values(function, place_of(function, to.at), to.module.types)
    needed = (to.state or StateMap()).needed({each.name: each.type for each in live})
    if missing := [f"{each.type} {each.name}" for each in live if each.name in needed and each.name not in there]:
        raise Refused("live value", f"{to.symbol} needs {', '.join(missing)} there, which nothing supplies")
    return [LiveValue(name, type_) for name, type_ in there.items() if name in needed]
