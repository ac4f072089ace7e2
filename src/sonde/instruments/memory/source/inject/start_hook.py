"""Run by an interpreter in sonde's Valgrind tool before the program (`sonde.launch.start_hooks`): its agent begins."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from typing import Any

    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess", window: str, collections: str) -> None:
    """Have the tool told of Python's objects and code.

    Args:
        window: `program`, `manual`, or `all`.
        collections: whether collections of the garbage collector are told of: `1`, or empty.
    """
    _forget_valgrind()
    agent = process.agent("_memory_agent")
    agent.start(window, bool(collections))
    _wait_for_numba(process, agent)


def _forget_valgrind() -> None:
    """What was set for Valgrind in this process is not for its children."""
    os.environ.pop("VALGRIND_LIB", None)
    preloaded = os.environ.get("LD_PRELOAD", "").replace(" ", ":").split(":")
    if any(map(_is_for_valgrind, preloaded)):
        preloaded = [path for path in preloaded if path and not _is_for_valgrind(path)]
        if preloaded:
            os.environ["LD_PRELOAD"] = ":".join(preloaded)
        else:
            del os.environ["LD_PRELOAD"]


def _is_for_valgrind(path: str) -> bool:
    return os.path.basename(path).startswith("vgpreload_")


def _wait_for_numba(process: "StartingProcess", agent: "Any") -> None:
    """Have the code that Numba makes told of, should the program import it."""
    here = os.path.dirname(__file__)

    def watch(module: "types.ModuleType") -> None:
        told = process.names_of(os.path.join(here, "told_code.py"))["ToldCode"](agent, process.folder)
        process.names_of(os.path.join(here, "numba_code.py"))["watch"](module, told, agent)

    process.when_loaded("numba.core.codegen", watch, agent)
