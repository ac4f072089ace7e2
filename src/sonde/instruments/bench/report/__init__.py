"""Judgements of measurements, and what practices make of them, as reports."""

from sonde.instruments.bench.report.judgement_report import judgement_report
from sonde.instruments.bench.report.lint_report import lint_report
from sonde.instruments.bench.report.plots import PLOTS

__all__ = ["PLOTS", "judgement_report", "lint_report"]
