"""What the runs of an audit say of profilers: cost, accuracy, precision, biases, lost time, realism."""

from sonde.instruments.audit.analysis.accounting import ToldTime
from sonde.instruments.audit.analysis.biases import Biases, biases
from sonde.instruments.audit.analysis.movement import Movement, movement
from sonde.instruments.audit.analysis.shares import (
    comparable_functions,
    shares_of,
    total_variation,
)
from sonde.instruments.audit.analysis.verdicts import Audit, Fault, FaultKind, Verdict, audit_of

__all__ = [
    "Audit",
    "Biases",
    "Fault",
    "FaultKind",
    "Movement",
    "ToldTime",
    "Verdict",
    "audit_of",
    "biases",
    "comparable_functions",
    "movement",
    "shares_of",
    "total_variation",
]
