"""Turns off, in an audited process, that LLVM inlines what Numba compiles. Loaded by the start-up file for it."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_MODULE = "numba.core.codegen"


class NumbaFinder:
    """Waits in `sys.meta_path` for Numba's code generator, and is gone once that is there.

    Functions are marked before a library is optimised, those of other libraries that were linked into it, too: from
    then on each call is made. What Numba itself inlines before there is LLVM IR (`inline="always"`), stays so.
    """

    def __init__(self) -> None:
        self._marked = 0
        """Functions that are not inlined."""

    @property
    def is_off(self) -> bool:
        """Whether code without inlining was compiled, or was in its cache, which is of such code alone."""
        return bool(self._marked) or os.path.isdir(os.environ.get("NUMBA_CACHE_DIR", ""))

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """That of the code generator, whose loading is followed by what is to be done; of others: None."""
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                load = spec.loader.exec_module

                def exec_module(module: "ModuleType", load: "Callable[[ModuleType], None]" = load) -> None:
                    load(module)
                    self._hook(module)

                spec.loader.exec_module = exec_module  # type: ignore[method-assign]
                return spec
        return None

    def _hook(self, codegen: "ModuleType") -> None:
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
