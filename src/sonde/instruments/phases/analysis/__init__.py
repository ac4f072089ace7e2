"""Analyses: which methods are phases, what that costs, whether they are, why they take their time, and when they
run."""

from sonde.instruments.phases.analysis.alignment import align_runs
from sonde.instruments.phases.analysis.changed_counter import CounterChange, changed_counter
from sonde.instruments.phases.analysis.changes import PhaseChange, phase_changes
from sonde.instruments.phases.analysis.consistency import (
    LEAST_EXPLAINED,
    Consistencies,
    Consistency,
    phase_consistencies,
)
from sonde.instruments.phases.analysis.figures import Figures, ThreadFigures, figures_of
from sonde.instruments.phases.analysis.machine_parts import MachinePart, machine_parts
from sonde.instruments.phases.analysis.nesting import LARGELY, MOSTLY, nested_ns
from sonde.instruments.phases.analysis.phase_sums import PhaseSum, phase_sums
from sonde.instruments.phases.analysis.plan import (
    GRAINS,
    WEIGHTS,
    WHOLE_SHARE,
    cheapest_within,
    plan_phases,
    share_below,
)
from sonde.instruments.phases.analysis.reasons import LEAST_VARIATION, Reason, all_reasons, telling_reason
from sonde.instruments.phases.analysis.regions import Region, time_regions
from sonde.instruments.phases.analysis.selection import can_be_phase, select_phases

__all__ = [
    "LEAST_VARIATION",
    "GRAINS",
    "LARGELY",
    "LEAST_EXPLAINED",
    "MOSTLY",
    "WEIGHTS",
    "WHOLE_SHARE",
    "Consistencies",
    "Consistency",
    "CounterChange",
    "Figures",
    "MachinePart",
    "PhaseChange",
    "PhaseSum",
    "Reason",
    "Region",
    "ThreadFigures",
    "align_runs",
    "all_reasons",
    "can_be_phase",
    "changed_counter",
    "cheapest_within",
    "figures_of",
    "machine_parts",
    "nested_ns",
    "phase_changes",
    "phase_consistencies",
    "phase_sums",
    "plan_phases",
    "select_phases",
    "share_below",
    "telling_reason",
    "time_regions",
]
