"""Programs under sonde's Valgrind tool: every memory access of theirs is seen."""

from sonde.instruments.memory.source.jit_code import read_jit_code
from sonde.instruments.memory.source.load_latencies import load_latencies
from sonde.instruments.memory.source.record import MemoryRecord, read_record
from sonde.instruments.memory.source.record_names import RecordedAdvice, read_advice
from sonde.instruments.memory.source.record_totals import read_totals
from sonde.instruments.memory.source.replayed import Replayed, replay_addresses
from sonde.instruments.memory.source.run import RECORD, ToolOptions, ToolRun, pid_of_tool, run_under_tool
from sonde.instruments.memory.source.target import Target, target_of
from sonde.valgrind import BuiltTool, built_tool, check_tool

__all__ = [
    "RECORD",
    "BuiltTool",
    "MemoryRecord",
    "RecordedAdvice",
    "Replayed",
    "Target",
    "ToolOptions",
    "ToolRun",
    "built_tool",
    "check_tool",
    "load_latencies",
    "pid_of_tool",
    "read_advice",
    "read_jit_code",
    "read_record",
    "read_totals",
    "replay_addresses",
    "run_under_tool",
    "target_of",
]
