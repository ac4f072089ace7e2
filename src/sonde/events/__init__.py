"""Events: the small vocabulary between sources, which write it, and analyses, which read it."""

from sonde.events.batch import ENTER, FOUND, LEAVE, LOST, UNWIND, EventBatch
from sonde.events.code_naming import function_of_code
from sonde.events.function import FUNCTION_KINDS, Function, FunctionKind
from sonde.events.function_table import FunctionTable

__all__ = [
    "ENTER",
    "FOUND",
    "FUNCTION_KINDS",
    "LEAVE",
    "LOST",
    "UNWIND",
    "EventBatch",
    "Function",
    "FunctionKind",
    "FunctionTable",
    "function_of_code",
]
