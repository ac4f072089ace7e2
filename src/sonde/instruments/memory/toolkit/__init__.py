"""The tool language: advice on memory accesses, objects, code, threads and collections, written in Python.

A tool is a class. Its advice, methods marked `@before(...)` or `@after(...)`, is checked, typed and written in C, which
runs inside the instrumentation; its `report` is ordinary Python that runs afterwards. See docs/tool-language.md.

    file --find--> class --check--> typed tree --write--> C          (compile_tool)
    result lines --read--> ToolResults                               (read_results)
    ToolResults --name--> fields of an instance --> report()         (tool_report)
    events --the same class in plain Python--> ToolResults           (`host`, the slow twin)

Source: Javana's language, document 001 section 2.2, Figures 2.4, 2.7, 2.8.
"""

from sonde.instruments.memory.toolkit.cache import Cache
from sonde.instruments.memory.toolkit.compiled_tool import ToolSource, compile_tool
from sonde.instruments.memory.toolkit.counts import Counts
from sonde.instruments.memory.toolkit.histogram import Bins, Histogram
from sonde.instruments.memory.toolkit.join_points import JOIN_POINTS, JoinPoint
from sonde.instruments.memory.toolkit.output import Output
from sonde.instruments.memory.toolkit.result_lines import read_results
from sonde.instruments.memory.toolkit.result_names import ResultNames
from sonde.instruments.memory.toolkit.results import ToolResults
from sonde.instruments.memory.toolkit.sets import Set
from sonde.instruments.memory.toolkit.tool import Tool, after, before
from sonde.instruments.memory.toolkit.tool_report import ToolReport, tool_report
from sonde.instruments.memory.toolkit.window import close_window, open_window

__all__ = [
    "JOIN_POINTS",
    "Bins",
    "Cache",
    "Counts",
    "Histogram",
    "JoinPoint",
    "Output",
    "ResultNames",
    "Set",
    "Tool",
    "ToolReport",
    "ToolResults",
    "ToolSource",
    "after",
    "before",
    "close_window",
    "compile_tool",
    "open_window",
    "read_results",
    "tool_report",
]
