"""Tells of the machine code that Numba makes. Loaded, by its path, when a measured program imports Numba's compiler.

LLVM hands each object over as soon as it is compiled, or taken from Numba's cache; where it came to lie is known when
Numba has it finalized, before any of it runs. What is done here is not counted.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

MODULE = "numba.core.codegen"


def watch(module: "ModuleType", told: "Any", agent: "Any") -> None:
    """Watch what Numba compiles, if it is a Numba that has what is watched.

    Args:
        module: `numba.core.codegen`, just loaded.
        told: a `ToldCode`.
        agent: the module `sonde._memory_agent`.
    """
    library = getattr(module, "CPUCodeLibrary", None)
    engine = getattr(module, "JitEngine", None)
    compiled = getattr(library, "_object_compiled_hook", None)
    cached = getattr(library, "_object_getbuffer_hook", None)
    finalize = getattr(engine, "finalize_object", None)
    if library is None or engine is None or compiled is None or cached is None or finalize is None:
        return
    waiting: list[bytes] = []

    def object_compiled(cls: "Any", llvm_module: "Any", buffer: bytes) -> None:
        waiting.append(bytes(buffer))
        compiled.__func__(cls, llvm_module, buffer)

    def object_from_cache(cls: "Any", llvm_module: "Any") -> "Any":
        buffer = cached.__func__(cls, llvm_module)
        if buffer:
            waiting.append(bytes(buffer))
        return buffer

    def finalize_object(self: "Any") -> None:
        finalize(self)
        agent.pause()
        try:
            while waiting:
                told.tell(waiting.pop(0), self.get_function_address)
        except Exception:
            pass  # the program runs on, and that code has no name
        finally:
            agent.resume()

    library._object_compiled_hook = classmethod(object_compiled)
    library._object_getbuffer_hook = classmethod(object_from_cache)
    engine.finalize_object = finalize_object
