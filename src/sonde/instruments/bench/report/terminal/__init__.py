"""Judgements of measurements as text: summaries, comparisons, verdicts and plots for a terminal of any width."""

from sonde.instruments.bench.report import judgement_as_data
from sonde.instruments.bench.report.terminal.judgement_page import print_judgement
from sonde.instruments.bench.report.terminal.plots import PLOTS, PlotKind, print_plots

__all__ = ["PLOTS", "PlotKind", "judgement_as_data", "print_judgement", "print_plots"]
