"""Loaded by the start-up of an interpreter whose Numba is watched, before the program.

When the program imports Numba's code generator, its step that optimizes a finished module is wrapped: the module is
written down as text first. Child processes are watched, too. Whatever goes wrong here, the program runs as it would.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_WATCHED = "numba.core.codegen"
_VARIABLE = "SONDE_NUMBA_MODULES"


class _Watcher:
    """Stands before the finders of modules until Numba's code generator is looked for, and has it wrapped once it is
    loaded."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> "ModuleSpec | None":
        if name != _WATCHED:
            return None
        sys.meta_path.remove(self)
        import importlib.util

        spec: Any = importlib.util.find_spec(name)
        load = getattr(getattr(spec, "loader", None), "exec_module", None)
        if load is not None:

            def exec_module(module: "ModuleType") -> None:
                load(module)
                _wrap(module)

            spec.loader.exec_module = exec_module
        return spec  # type: ignore[no-any-return]


def _wrap(module: "ModuleType") -> None:
    folder = os.environ.get(_VARIABLE)
    library = getattr(module, "CPUCodeLibrary", None)
    optimize = getattr(library, "_optimize_final_module", None)
    if not folder or library is None or optimize is None:
        return
    written = [0]

    def write_and_optimize(self: "Any") -> None:
        try:
            text = str(self._final_module)
            written[0] += 1
            with open(os.path.join(folder, f"{os.getpid()}-{written[0]}.ll"), "w", encoding="utf-8") as file:
                file.write(text)
        except Exception:
            pass
        optimize(self)

    library._optimize_final_module = write_and_optimize


_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if entry != _here]
sys.path_importer_cache.pop(_here, None)
if os.environ.get(_VARIABLE):
    sys.meta_path.insert(0, _Watcher())

# Now the program's own, as if this one had never been: an ImportError that names this module
# is what the interpreter expects when there is none.
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401 - the next one on sys.path
