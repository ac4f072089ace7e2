"""Events: the small vocabulary between sources, which write it, and analyses, which read it.

Also what addresses mean: the map of machine code, by which events that carry addresses get functions and lines.
"""

from sonde.code import FUNCTION_KINDS, Function, FunctionKind
from sonde.events.batch import ENTER, FOUND, LEAVE, LOST, UNWIND, EventBatch
from sonde.events.code_map import CodeLocation, CodeMap, CodeRange
from sonde.events.code_naming import function_of_code
from sonde.events.function_table import FunctionTable
from sonde.events.line_table import CodeFrame, LineRow, LineTable

__all__ = [
    "ENTER",
    "FOUND",
    "FUNCTION_KINDS",
    "LEAVE",
    "LOST",
    "UNWIND",
    "CodeFrame",
    "CodeLocation",
    "CodeMap",
    "CodeRange",
    "EventBatch",
    "Function",
    "FunctionKind",
    "FunctionTable",
    "LineRow",
    "LineTable",
    "function_of_code",
]
