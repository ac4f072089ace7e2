"""Sonde's Valgrind tool: built where it is first needed, kept in the user's cache, and what Valgrind says."""

from sonde.valgrind.command import tool_command, tool_environment
from sonde.valgrind.tool_build import BuiltTool, built_tool, check_tool
from sonde.valgrind.tool_log import LOG, LOGS, fault_in

__all__ = [
    "LOG",
    "LOGS",
    "BuiltTool",
    "built_tool",
    "check_tool",
    "fault_in",
    "tool_command",
    "tool_environment",
]
