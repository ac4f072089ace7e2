"""Run by an interpreter whose Numba is watched, before the program, and by those that it starts.

When the program imports Numba's code generator, its step that optimizes a finished module is wrapped: the module is
written down as text first. Whatever goes wrong there, the program runs as it would.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess") -> None:
    """Have modules written into the folder of the run."""
    process.when_loaded("numba.core.codegen", lambda module: _wrap(module, process.folder))


def _wrap(module: "ModuleType", folder: str) -> None:
    library = getattr(module, "CPUCodeLibrary", None)
    optimize = getattr(library, "_optimize_final_module", None)
    if library is None or optimize is None:
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
