"""Profiles as text: for a terminal of any width, a pipe, or a file; and as plain data, for `--json`."""

from sonde.instruments.contexts.report.terminal.accuracy_data import accuracy_as_data
from sonde.instruments.contexts.report.terminal.accuracy_page import print_accuracy
from sonde.instruments.contexts.report.terminal.context_data import contexts_as_data
from sonde.instruments.contexts.report.terminal.context_page import ContextLimits, print_contexts
from sonde.instruments.contexts.report.terminal.live import LiveView

__all__ = ["ContextLimits", "LiveView", "accuracy_as_data", "contexts_as_data", "print_accuracy", "print_contexts"]
