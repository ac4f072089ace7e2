"""What has another name in an object that a JIT loads than in one for a system's linker.

LLVM's JIT runs constructors that it finds in IR, but not those of objects; and it has an `atexit` of its own in every
library, whose functions run when the library is unloaded, not when the program ends. Here, constructors and
destructors become arrays of plain data, and `atexit` is found under a name of ours.
"""

from typing import Any

CONSTRUCTORS, DESTRUCTORS = "sonde.global_ctors", "sonde.global_dtors"
"""Symbols of arrays of `{ i32 priority, ptr function, ptr of_what }`."""
ATEXIT = "sonde.atexit"

_ARRAYS = {"llvm.global_ctors": CONSTRUCTORS, "llvm.global_dtors": DESTRUCTORS}
_FUNCTIONS = {"atexit": ATEXIT}


def make_loadable(module: Any) -> None:
    """Rename them in an llvmlite module, right before code is generated: LLVM's passes know the old names."""
    for variable in module.global_variables:
        if variable.name in _ARRAYS:
            variable.linkage = "external"
            variable.name = _ARRAYS[variable.name]
    for name, new_name in _FUNCTIONS.items():
        try:
            module.get_function(name).name = new_name
        except NameError:
            continue
