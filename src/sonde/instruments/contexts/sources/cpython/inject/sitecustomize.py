"""Loaded by the start-up of the measured interpreter, before the program.

It stands on PYTHONPATH only until it has run: it loads the agent by its path, takes itself
out of the environment, `sys.path` and `sys.modules` again, and lets the program's own
`sitecustomize` run, if there is one. Whatever goes wrong here is written to the spool
folder; the program runs as it would have.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types


def _begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    settings = os.environ.get("SONDE_AGENT")
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    if settings is None:
        return
    # Fields in hexadecimal: paths may hold any character, and bytes that are no characters.
    fields = [os.fsdecode(bytes.fromhex(field)) for field in settings.split(":")]
    agent_folder, spool, mechanism, timed, builtins, follow, launcher, had_path, *numbers, trace, probes = fields
    if not follow:
        del os.environ["SONDE_AGENT"]
        rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)[1:]
        if rest or had_path:
            os.environ["PYTHONPATH"] = os.pathsep.join(rest)
        else:
            os.environ.pop("PYTHONPATH", None)
    try:
        agent = _load(agent_folder)
        mechanism = mechanism or agent.recommended(bool(builtins))
        command = "\n".join(sys.orig_argv)
        agent.start(
            os.fsencode(spool),
            mechanism,
            os.fsencode(command),
            int(timed),
            bool(builtins),
            bool(follow),
            int(launcher),
            *map(int, numbers),
            os.fsencode(trace),
        )
    except BaseException as error:
        _refuse(spool, f"{type(error).__name__}: {error}")
        return
    import atexit

    atexit.register(agent.finish)
    reason, extensions = probes, probes
    has_cycles = probes.startswith("cycles-")
    if has_cycles or probes in ("late", "early"):
        extensions = "" if has_cycles else _expect_extensions(agent, agent_folder, spool, command, bool(follow))
        reason, how = "its first function had begun unseen", (spool, command, probes, bool(follow))
        # The first that Numba does when it is to compile.
        first = ("numba/core/codegen.py", "CPUCodegen.__init__")
        agent.when_first_called(*first, lambda: _watch_numba(agent_folder, how, agent))
    atexit.register(agent.around(lambda: _tell_of_numba(spool, reason), None, None))
    atexit.register(agent.around(lambda: _tell_of_extensions(agent, agent_folder, spool, extensions), None, None))


def _library(folder: str) -> bytes:
    """Of probes, which extension modules that were built with them need."""
    return os.fsencode(os.path.join(folder, "libsonde_probes.so"))


def _expect_extensions(agent: "types.ModuleType", folder: str, spool: str, command: str, follow: bool) -> str:
    """Have counted what extension modules with probes call; empty, or why it cannot be done."""
    try:
        agent.expect_probes(_library(folder), os.fsencode(spool), os.fsencode(command), follow)
    except OSError as error:
        return str(error)
    return ""


def _tell_of_extensions(agent: "types.ModuleType", folder: str, spool: str, reason: str) -> None:
    """Tell why calls in extension modules with probes were not counted, if there is one; called unseen."""
    if reason and agent.has_probes(_library(folder)):
        _lose("extension-not-probed", spool, f"calls in extension modules with probes were not counted: {reason}")


def _watch_numba(folder: str, how: "tuple[str, str, str, bool]", agent: "types.ModuleType") -> None:
    """Have probes put into what Numba compiles, or tell why not; called unseen. Sonde is loaded for it, by its path,
    and is in `sys.modules` no longer than that."""
    spool, command, when, follow = how
    import atexit
    from importlib.util import module_from_spec, spec_from_file_location

    theirs = _take_sonde()
    try:
        init = os.path.join(folder, "__init__.py")
        spec = spec_from_file_location("sonde", init, submodule_search_locations=[folder])
        assert spec is not None and spec.loader is not None
        package = sys.modules["sonde"] = module_from_spec(spec)
        spec.loader.exec_module(package)
        probes = None
        if when.startswith("cycles-"):
            from sonde.instruments.contexts.sources.numba.cycled_code import CycleSettings, watch_cycles

            probes = watch_cycles(CycleSettings(spool, command, when.removeprefix("cycles-"), follow), agent)  # type: ignore[arg-type]
        else:
            from sonde.instruments.contexts.sources.numba.probed_code import Settings, watch_numba

            probes = watch_numba(Settings(spool, command, "late" if when == "late" else "early", follow), agent)
        if probes is not None:
            atexit.register(agent.around(probes.remove, None, None))
    except Exception as error:
        _write_of_numba(spool, f"{type(error).__name__}: {error}")
    finally:
        _watched.append(True)
        _take_sonde()
        sys.modules.update(theirs)


_watched: "list[bool]" = []
"""Whether it was tried."""


def _tell_of_numba(spool: str, reason: str) -> None:
    """Tell why what Numba has compiled has no probes, if it has compiled anything; called unseen."""
    target = getattr(sys.modules.get("numba.core.registry"), "cpu_target", None)
    if not _watched and "_toplevel_target_context" in getattr(target, "__dict__", ()):
        _write_of_numba(spool, reason)


def _write_of_numba(spool: str, reason: str) -> None:
    _lose("numba-not-probed", spool, f"calls of functions that Numba compiled were not counted: {reason}")


def _lose(kind: str, spool: str, detail: str) -> None:
    import json

    try:
        with open(os.path.join(spool, f"{os.getpid()}.numba"), "a", encoding="utf-8") as told:
            told.write(json.dumps({"kind": kind, "detail": detail}) + "\n")
    except OSError:
        pass


def _take_sonde() -> "dict[str, types.ModuleType]":
    names = [name for name in sys.modules if name == "sonde" or name.startswith("sonde.")]
    return {name: sys.modules.pop(name) for name in names}


def _load(folder: str) -> "types.ModuleType":
    """Load the extension that fits this interpreter, leaving no trace in `sys.modules`."""
    import _imp
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader

    path = os.path.join(folder, f"_agent{_imp.extension_suffixes()[0]}")
    if not os.path.exists(path):
        raise ImportError(f"sonde has no agent for Python {sys.version.split()[0]}: there is no '{path}'")
    spec = ModuleSpec("sonde._agent", ExtensionFileLoader("sonde._agent", path), origin=path)
    module = _imp.create_dynamic(spec)
    _imp.exec_dynamic(module)
    sys.modules.pop("sonde._agent", None)
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
