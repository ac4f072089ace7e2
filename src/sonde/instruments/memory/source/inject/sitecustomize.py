"""Loaded by the start-up of an interpreter that runs in sonde's Valgrind tool, before the program.

It stands on PYTHONPATH only until it has run: it loads the agent by its path, takes itself
and what Valgrind needed out of the environment, `sys.path` and `sys.modules` again, and lets
the program's own `sitecustomize` run, if there is one. Whatever goes wrong here is written to the spool
folder; the program runs as it would have.

The variable `SONDE_MEMORY_AGENT` has, in hexadecimal and with colons between them: the agent's
folder, the spool folder, the window (`program`, `manual`, `all`), and three that are `1` or empty:
whether collections are told, whether child processes are to be told of, too, and whether there
was a PYTHONPATH.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from importlib.machinery import ModuleSpec
    from typing import Any


def _begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    settings = os.environ.get("SONDE_MEMORY_AGENT")
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    if settings is None:
        return
    try:  # paths may hold any character, and bytes that are no characters
        fields = [os.fsdecode(bytes.fromhex(field)) for field in settings.split(":")]
        agent_folder, spool, window, collections, follow, had_path = fields
    except ValueError:
        return  # not set by sonde
    if not follow:
        del os.environ["SONDE_MEMORY_AGENT"]
        rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)[1:]
        if rest or had_path:
            os.environ["PYTHONPATH"] = os.pathsep.join(rest)
        else:
            os.environ.pop("PYTHONPATH", None)
        _forget_valgrind()
    try:
        agent = _load(agent_folder)
        agent.start(window, bool(collections))
        _wait_for_numba(agent, here, spool)
    except BaseException as error:
        _refuse(spool, f"{type(error).__name__}: {error}")


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


def _load(folder: str) -> "types.ModuleType":
    """Load the extension that fits this interpreter, leaving no trace in `sys.modules`."""
    import _imp
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader

    path = os.path.join(folder, f"_memory_agent{_imp.extension_suffixes()[0]}")
    if not os.path.exists(path):
        raise ImportError(f"sonde has no agent for Python {sys.version.split()[0]}: there is no '{path}'")
    name = "sonde._memory_agent"
    module = _imp.create_dynamic(ModuleSpec(name, ExtensionFileLoader(name, path), origin=path))
    _imp.exec_dynamic(module)
    return module


def _wait_for_numba(agent: "Any", here: str, spool: str) -> None:
    """Have the code that Numba makes told of, should the program import it."""
    from types import SimpleNamespace

    def find_spec(name: str, _path: object = None, _target: object = None) -> "ModuleSpec | None":
        agent.pause()
        try:
            sys.meta_path.remove(finder)
            import importlib.util

            spec: Any = importlib.util.find_spec(name)
            load = getattr(getattr(spec, "loader", None), "exec_module", None)
            if load is not None:

                def exec_module(module: "types.ModuleType") -> None:
                    load(module)
                    agent.pause()
                    try:
                        told = _module(here, "told_code").ToldCode(agent, spool)
                        _module(here, "numba_code").watch(module, told, agent)
                    finally:
                        agent.resume()

                spec.loader.exec_module = exec_module
            return spec  # type: ignore[no-any-return]
        finally:
            agent.resume()

    finder: Any = SimpleNamespace(find_spec=agent.finder("numba.core.codegen", find_spec))
    sys.meta_path.insert(0, finder)


def _module(folder: str, name: str) -> "types.ModuleType":
    """One of the files beside this one, leaving no trace in `sys.modules`."""
    from types import ModuleType

    path = os.path.join(folder, f"{name}.py")
    module = ModuleType(name)
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)
    return module


def _refuse(spool: str, reason: str) -> None:
    try:
        with open(os.path.join(spool, f"{os.getpid()}.refused"), "w", encoding="utf-8") as note:
            note.write(f"{sys.executable}\n{sys.version.split()[0]}\n{reason}\n")
    except OSError:
        pass


_begin()

# Now the program's own, as if this one had never been: an ImportError that names this module
# is what the interpreter expects when there is none.
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401 - the next one on sys.path
