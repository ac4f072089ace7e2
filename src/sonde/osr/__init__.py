"""On-stack replacement: functions are left while they run, at any point, and gone on with in other code.

On modules of IR: `continuation`, `transition_at`, `insert_points`. In a machine, while programs run: `Points`.
"""

from sonde.ir.analyses import Place
from sonde.osr.cell import Word
from sonde.osr.code import Code
from sonde.osr.conditions import Always, Check, Condition, Counter, Flag, Never
from sonde.osr.continuation import Continuation, continuation
from sonde.osr.expression import Expression
from sonde.osr.frame import FrameUse
from sonde.osr.generators import clone, inline
from sonde.osr.insertion import PlannedPoint, insert_points
from sonde.osr.kept_states import call_places
from sonde.osr.landing import Landing, landing
from sonde.osr.live_values import live_values
from sonde.osr.osr_workbench import OsrWorkbench
from sonde.osr.places import all_places, place_of
from sonde.osr.point import Firing, Generator, Part, Point
from sonde.osr.points import Points
from sonde.osr.probes import Probe, Probes
from sonde.osr.refusals import REASONS, Reason, Refused
from sonde.osr.shared_continuation import SharedContinuation, shared_continuation
from sonde.osr.shared_points import insert_shared
from sonde.osr.signature import LiveValue, Transition
from sonde.osr.state_map import StateMap
from sonde.osr.survey import Survey, transition_at
from sonde.osr.targets import Asked, Direct, Slot
from sonde.osr.typed_condition import parse_condition
from sonde.osr.way_back import Optimised, optimise

__all__ = [
    "REASONS",
    "Always",
    "Asked",
    "Check",
    "Code",
    "Condition",
    "Continuation",
    "Counter",
    "Direct",
    "Expression",
    "Firing",
    "Flag",
    "FrameUse",
    "Generator",
    "Landing",
    "LiveValue",
    "Never",
    "Optimised",
    "OsrWorkbench",
    "Part",
    "Place",
    "PlannedPoint",
    "Point",
    "Points",
    "Probe",
    "Probes",
    "Reason",
    "Refused",
    "SharedContinuation",
    "Slot",
    "StateMap",
    "Survey",
    "Transition",
    "Word",
    "all_places",
    "call_places",
    "clone",
    "continuation",
    "inline",
    "insert_points",
    "insert_shared",
    "landing",
    "live_values",
    "optimise",
    "parse_condition",
    "place_of",
    "shared_continuation",
    "transition_at",
]
