"""Running a program as a child, as undisturbed as if sonde were not there: how it is started, and its signals."""

from sonde.launch.command_search import find_command
from sonde.launch.signal_relay import SignalRelay
from sonde.launch.spawning import spawn

__all__ = ["SignalRelay", "find_command", "spawn"]
