"""Programs under sonde's Valgrind tool: every memory access of theirs is seen."""

from sonde.sources.valgrind.jit_code import read_jit_code
from sonde.sources.valgrind.record import MemoryRecord, read_record
from sonde.sources.valgrind.record_names import RecordedAdvice, read_advice
from sonde.sources.valgrind.record_totals import read_totals
from sonde.sources.valgrind.run import RECORD, ToolOptions, ToolRun, Window, pid_of_tool, run_under_tool
from sonde.sources.valgrind.target import Target, target_of
from sonde.sources.valgrind.tool_build import BuiltTool, built_tool, check_tool

__all__ = [
    "RECORD",
    "BuiltTool",
    "MemoryRecord",
    "RecordedAdvice",
    "Target",
    "ToolOptions",
    "ToolRun",
    "Window",
    "built_tool",
    "check_tool",
    "pid_of_tool",
    "read_advice",
    "read_jit_code",
    "read_record",
    "read_totals",
    "run_under_tool",
    "target_of",
]
