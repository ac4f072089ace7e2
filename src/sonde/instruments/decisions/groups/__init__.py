"""What all fast runs decided one way and all slow ones another.

A run's hot code becomes features, each a share of the time in the code that it is about: in how much of it a call was
inlined, a decision was taken, a phase ran. A feature that separates the groups completely is a finding; how likely that
is by chance is counted exactly, and adjusted for the number of features that could have separated. Findings that follow
from others are put under them.
"""

from sonde.instruments.decisions.groups.consistent import Progress, consistent
from sonde.instruments.decisions.groups.finding import Consistency, Difference, Finding, GroupReason
from sonde.instruments.decisions.groups.options import Adjustment, ConsistencyOptions
from sonde.instruments.decisions.groups.subject import (
    CallSubject,
    ContextSubject,
    DecisionSubject,
    MethodSubject,
    PathStep,
    PhaseSubject,
    ReceiverSubject,
    Subject,
    TimeSubject,
)

__all__ = [
    "Adjustment",
    "CallSubject",
    "Consistency",
    "ConsistencyOptions",
    "ContextSubject",
    "DecisionSubject",
    "Difference",
    "Finding",
    "GroupReason",
    "MethodSubject",
    "PathStep",
    "PhaseSubject",
    "Progress",
    "ReceiverSubject",
    "Subject",
    "TimeSubject",
    "consistent",
]
