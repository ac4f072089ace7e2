"""Turns off, in an audited process, that LLVM inlines what Numba compiles."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


class NumbaInlining:
    """Functions are marked before a library is optimised, those of other libraries that were linked into it, too.

    From then on each call is made. What Numba itself inlines before there is LLVM IR (`inline="always"`), stays so.
    """

    def __init__(self) -> None:
        self._marked = 0
        """Functions that are not inlined."""

    @property
    def is_off(self) -> bool:
        """Whether code without inlining was compiled, or was in its cache, which is of such code alone."""
        return bool(self._marked) or os.path.isdir(os.environ.get("NUMBA_CACHE_DIR", ""))

    def turn_off(self, codegen: "ModuleType") -> None:
        """
        Args:
            codegen: the module `numba.core.codegen`, just loaded.
        """
        library = getattr(codegen, "JITCodeLibrary", None)
        optimize = getattr(library, "_optimize_final_module", None)
        if library is None or optimize is None:
            return

        def optimize_final_module(self: "Any", mark: "Callable[[Any], None]" = self._mark) -> None:
            mark(self)
            optimize(self)

        library._optimize_final_module = optimize_final_module

    def _mark(self, library: "Any") -> None:
        for function in library._final_module.functions:
            if function.is_declaration or any(b"alwaysinline" in each for each in function.attributes):
                continue
            function.add_function_attribute("noinline")
            self._marked += 1
