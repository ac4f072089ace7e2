"""Following values through passes: mark a module, let LLVM work on it, read back what became of everything.

LLVM itself keeps the books: every instruction is given a line, every value a variable of the source, and debug
records say afterwards where they are. `docs/notes/following-values.md` says what can be relied on.
"""

from sonde.ir.bookkeeping.compensation import compensation
from sonde.ir.bookkeeping.debug_removal import without_debug_information
from sonde.ir.bookkeeping.doubts import Trust
from sonde.ir.bookkeeping.evaluation import evaluate
from sonde.ir.bookkeeping.formula import Argument, Conversion, Formula, Number, Operation, read_formula
from sonde.ir.bookkeeping.instances import Instance, Origin
from sonde.ir.bookkeeping.locations import Computed, Constant, Held, Location, Lost
from sonde.ir.bookkeeping.mapping import FunctionMapping, Mapping, read_back
from sonde.ir.bookkeeping.mark import mark
from sonde.ir.bookkeeping.marks import MarkedFunction, Marks, Numbered
from sonde.ir.bookkeeping.recovery import Recovery, recovery

__all__ = [
    "Argument",
    "Computed",
    "Constant",
    "Conversion",
    "Formula",
    "FunctionMapping",
    "Held",
    "Instance",
    "Location",
    "Lost",
    "Mapping",
    "MarkedFunction",
    "Marks",
    "Number",
    "Operation",
    "Origin",
    "Recovery",
    "Trust",
    "Numbered",
    "compensation",
    "evaluate",
    "mark",
    "read_back",
    "read_formula",
    "recovery",
    "without_debug_information",
]
