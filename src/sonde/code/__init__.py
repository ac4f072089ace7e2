"""Code: what it is called, once for all instruments: functions and places in source."""

from sonde.code.function import FUNCTION_KINDS, Function, FunctionKind, Language
from sonde.code.place import Place

__all__ = ["FUNCTION_KINDS", "Function", "FunctionKind", "Language", "Place"]
