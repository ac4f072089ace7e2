"""Profiles as text: for a terminal of any width, a pipe, or a file; and as plain data, for `--json`.

Written with the standard library alone: importing this package takes a few milliseconds, where
a terminal library takes more than reading and printing the profile.
"""

from sonde.views.terminal.accuracy_data import accuracy_as_data
from sonde.views.terminal.accuracy_page import print_accuracy
from sonde.views.terminal.context_data import contexts_as_data
from sonde.views.terminal.context_page import ContextLimits, print_contexts
from sonde.views.terminal.live import LiveView

__all__ = ["ContextLimits", "LiveView", "accuracy_as_data", "contexts_as_data", "print_accuracy", "print_contexts"]
