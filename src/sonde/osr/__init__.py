"""On-stack replacement: functions are left while they run, at any point, and gone on with in other code."""

from sonde.osr.continuation import Continuation, continuation, live_values
from sonde.osr.insertion import PlannedPoint, insert_points, transition_at
from sonde.osr.places import all_places, place_of
from sonde.osr.refusals import REASONS, Reason, Refused
from sonde.osr.signature import LiveValue, Transition
from sonde.osr.state_map import StateMap

__all__ = [
    "REASONS",
    "Continuation",
    "LiveValue",
    "PlannedPoint",
    "Reason",
    "Refused",
    "StateMap",
    "Transition",
    "all_places",
    "continuation",
    "insert_points",
    "live_values",
    "place_of",
    "transition_at",
]
