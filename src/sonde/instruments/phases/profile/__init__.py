"""Profiles of phases: times of methods, calls of phases with their counters, as values to keep, merge and compare."""

from sonde.instruments.phases.profile.counters import SOURCES, Counter
from sonde.instruments.phases.profile.merging import merge_phase_profiles
from sonde.instruments.phases.profile.phase_calls import (
    CUT,
    NO_CALL,
    OPEN,
    RETURNED,
    SUSPENDED,
    UNWOUND,
    PhaseCalls,
    PhaseThread,
)
from sonde.instruments.phases.profile.phase_profile import Component, Phase, PhaseProfile, RunTimes
from sonde.instruments.phases.profile.plan import Plan, Thetas
from sonde.instruments.phases.profile.profile_file import read_phase_profile, write_phase_profile
from sonde.instruments.phases.profile.timed_tree import NO_PARENT, FunctionTime, TimedTree

__all__ = [
    "CUT",
    "NO_CALL",
    "NO_PARENT",
    "OPEN",
    "RETURNED",
    "SOURCES",
    "SUSPENDED",
    "UNWOUND",
    "Component",
    "Counter",
    "FunctionTime",
    "Phase",
    "PhaseCalls",
    "PhaseProfile",
    "PhaseThread",
    "Plan",
    "RunTimes",
    "Thetas",
    "TimedTree",
    "merge_phase_profiles",
    "read_phase_profile",
    "write_phase_profile",
]
