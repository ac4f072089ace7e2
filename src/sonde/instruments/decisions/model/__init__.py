"""The neutral model: a run, its compilation units with their time, and the trees of what was decided in each."""

from sonde.instruments.decisions.model.call_site import NO_OFFSET, CallKind, CallSite, ReceiverProfile, ReceiverType
from sonde.instruments.decisions.model.context_node import ContextNode, Note
from sonde.instruments.decisions.model.optimization import (
    Decision,
    Outcome,
    Phase,
    Value,
    decisions_in,
    rewritten_phases,
)
from sonde.instruments.decisions.model.position import Place, Position, Spread
from sonde.instruments.decisions.model.run import (
    CompilerKind,
    DecisionRun,
    Offsets,
    ProfileEntry,
    SourceRange,
    TimeProfile,
)
from sonde.instruments.decisions.model.unit import Trees, Unit

__all__ = [
    "NO_OFFSET",
    "CallKind",
    "CallSite",
    "CompilerKind",
    "ContextNode",
    "Decision",
    "DecisionRun",
    "Note",
    "Offsets",
    "Outcome",
    "Phase",
    "Place",
    "Position",
    "ProfileEntry",
    "ReceiverProfile",
    "ReceiverType",
    "SourceRange",
    "Spread",
    "TimeProfile",
    "Trees",
    "Unit",
    "Value",
    "decisions_in",
    "rewritten_phases",
]
