"""Lines of what Numba compiles, without the rest of its debug information. Runs in the measured process.

Numba's own debug information turns inlining off and keeps variables in memory (`debug=True`). Locations of instructions
alone change nothing of the code: LLVM carries them along, and says behind each which call it was inlined at.
"""

from collections.abc import Callable
from functools import cache
from typing import Any


def give_lines(lowering: Any, describe: Callable[[str, str, str, int], None]) -> None:
    """Let the instructions of a function that Numba is about to compile have their lines.

    Args:
        lowering: what compiles it, a `numba.core.lowering.BaseLower`; one with debug information keeps its own.
        describe: told symbol, name, file and line of what the function becomes: a generator becomes several.
    """
    from numba.core import debuginfo

    if type(lowering.debuginfo) is debuginfo.DummyDIBuilder:
        path = lowering.func_ir.loc.filename
        lowering.debuginfo = _builder()(
            module=lowering.module, filepath=path, cgctx=lowering.context, directives_only=True
        )
        of = lowering.func_ir.func_id
        lowering.debuginfo.describe = lambda symbol, name: describe(symbol, name, of.filename, of.firstlineno)


@cache
def _builder() -> Any:
    from numba.core import debuginfo

    class Lines(debuginfo.DIBuilder):
        """Locations and functions; no variables, no types.

        Not all that Numba lowers is finalized (object mode), and LLVM says on stderr that it leaves out what is not.
        """

        is_final = False
        describe: Callable[[str, str], None]

        def mark_variable(self, *_: Any, **__: Any) -> None:
            """Variables have no debug information."""

        def mark_location(self, builder: Any, line: Any) -> None:
            """Let what is built from here on have a line; 0: none is known."""
            theirs: Any = super()
            theirs.mark_location(builder, line if isinstance(line, int) and line > 0 else 0)

        def mark_subprogram(self, function: Any, qualname: str, argnames: Any, argtypes: Any, line: Any) -> None:
            """Let a function have a name and a line."""
            del argnames, argtypes
            line = line if isinstance(line, int) and line > 0 else 0
            theirs: Any = super()
            theirs.mark_subprogram(function=function, qualname=qualname, argnames=(), argtypes=(), line=line)
            self.describe(function.name, f"{qualname} (next)")
            self.finalize()

        def finalize(self) -> None:
            """Let the module say that it has debug information, once."""
            theirs: Any = super()
            if not self.is_final:
                theirs.finalize()
            self.is_final = True

        def _di_subroutine_type(self, *_: Any) -> Any:
            return self.module.add_debug_info("DISubroutineType", {"types": self.module.add_metadata([])})

    return Lines
