"""Reports: what is slow, why, and when; what thresholds would cost; what changed between two runs."""

from sonde.instruments.phases.report.difference_report import difference_report
from sonde.instruments.phases.report.phase_report import phase_report
from sonde.instruments.phases.report.plan_report import plan_report, plan_table

__all__ = ["difference_report", "phase_report", "plan_report", "plan_table"]
