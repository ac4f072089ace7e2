"""Code: what it is called, once for all instruments: functions and places in source."""

from sonde.code.function import FUNCTION_KINDS, LANGUAGES, Function, FunctionKind, Language, plain_function
from sonde.code.identity import FunctionIndex
from sonde.code.place import Place

__all__ = [
    "FUNCTION_KINDS",
    "LANGUAGES",
    "Function",
    "FunctionIndex",
    "FunctionKind",
    "Language",
    "Place",
    "plain_function",
]
