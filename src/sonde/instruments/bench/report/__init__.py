"""Judgements of measurements, what practices make of them, and what was or would be measured, as reports."""

from sonde.instruments.bench.report.history_report import history_report
from sonde.instruments.bench.report.judgement_report import judgement_report
from sonde.instruments.bench.report.lint_report import lint_report
from sonde.instruments.bench.report.machine_report import machine_report
from sonde.instruments.bench.report.measured_report import import_report, plan_report
from sonde.instruments.bench.report.plots import PLOTS

__all__ = [
    "PLOTS",
    "history_report",
    "import_report",
    "judgement_report",
    "lint_report",
    "machine_report",
    "plan_report",
]
