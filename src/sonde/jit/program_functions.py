"""Functions of compiled programs as people know them: names, files and lines."""

from sonde.code import Function
from sonde.code.symbols import source_name
from sonde.ir import Module, SourceFunction, source_function
from sonde.ir.names import unquoted


def function_of_source(known: SourceFunction) -> Function:
    """A function that debug information describes.

    >>> function_of_source(SourceFunction("_Z4halfi", "/src/a.cpp", 7))
    Function(name='half(int)', module='', file='/src/a.cpp', first_line=7, kind='function', language='jit', library='')
    """
    return Function(source_name(known.symbol), "", known.file, known.line, "function", "jit")


def function_of_symbol(module: Module, symbol: str) -> Function:
    """A function that a module defines: as debug information has it, or else by its name alone.

    Args:
        symbol: with sigil.
    """
    known = source_function(module, module.functions[symbol])
    return function_of_source(known or SourceFunction(unquoted(symbol), "", 0))
