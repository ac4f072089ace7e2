"""Code: what it is called, once for all instruments: functions and places in source."""

from sonde.code.function import FUNCTION_KINDS, LANGUAGES, Function, FunctionKind, Language, plain_function
from sonde.code.identity import IMPLICIT, FunctionIndex
from sonde.code.module_names import module_of_file
from sonde.code.origin import (
    Origin,
    has_known_place,
    is_import_machinery,
    is_launch_machinery,
    origin_of,
    origins_of,
)
from sonde.code.place import Place
from sonde.code.selection import CodeSelection, fits, is_called, near_code_names, no_code_left, no_such_function
from sonde.code.source_text import changed_since, source_text

__all__ = [
    "FUNCTION_KINDS",
    "IMPLICIT",
    "LANGUAGES",
    "CodeSelection",
    "Function",
    "FunctionIndex",
    "FunctionKind",
    "Language",
    "Origin",
    "Place",
    "changed_since",
    "fits",
    "has_known_place",
    "is_called",
    "is_import_machinery",
    "is_launch_machinery",
    "module_of_file",
    "near_code_names",
    "no_code_left",
    "no_such_function",
    "origin_of",
    "origins_of",
    "plain_function",
    "source_text",
]
