"""Loaded by the start-up of the measured interpreter, before the program.

It stands on PYTHONPATH only until it has run: it loads the agent and what of sonde gives functions their probes, by
their paths, takes itself and them out of the environment, `sys.path` and `sys.modules` again, and lets the program's
own `sitecustomize` run, if there is one. Whatever goes wrong here is written to the folder of the run; the program runs
as it would have.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types


def _begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    settings = os.environ.pop("SONDE_PATHS", None)
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    if settings is None:
        return
    # Fields in hexadecimal: paths may hold any character, and bytes that are no characters.
    fields = [os.fsdecode(bytes.fromhex(field)) for field in settings.split(":")]
    package, folder, k, most_nodes, launcher, had_path, by_events, *functions = fields
    rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)[1:]
    if rest or had_path:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)
    try:
        agent = _load_agent(package)
        theirs = _take_sonde()
        try:
            _load_package(package)
            from sonde.instruments.paths.sources.bytecode.traced_program import Settings, TracedProgram

            asked = Settings(folder, int(k), int(most_nodes), tuple(functions), int(launcher), bool(by_events))
            program = TracedProgram(agent, asked)
            program.begin()
        finally:
            _take_sonde()
            sys.modules.update(theirs)
    except BaseException as error:
        _refuse(folder, f"{type(error).__name__}: {error}")
        return
    import atexit

    atexit.register(program.finish)


def _load_package(package: str) -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    init = os.path.join(package, "__init__.py")
    spec = spec_from_file_location("sonde", init, submodule_search_locations=[package])
    assert spec is not None and spec.loader is not None
    module = sys.modules["sonde"] = module_from_spec(spec)
    spec.loader.exec_module(module)


def _take_sonde() -> "dict[str, types.ModuleType]":
    names = [name for name in sys.modules if name == "sonde" or name.startswith("sonde.")]
    return {name: sys.modules.pop(name) for name in names}


def _load_agent(folder: str) -> "types.ModuleType":
    """Load the extension that fits this interpreter, leaving no trace in `sys.modules`."""
    import _imp
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader

    path = os.path.join(folder, f"_path_agent{_imp.extension_suffixes()[0]}")
    if not os.path.exists(path):
        raise ImportError(f"sonde has no agent for Python {sys.version.split()[0]}: there is no '{path}'")
    spec = ModuleSpec("sonde._path_agent", ExtensionFileLoader("sonde._path_agent", path), origin=path)
    module = _imp.create_dynamic(spec)
    _imp.exec_dynamic(module)
    sys.modules.pop("sonde._path_agent", None)
    return module


def _refuse(folder: str, reason: str) -> None:
    try:
        with open(os.path.join(folder, f"{os.getpid()}.refused"), "w", encoding="utf-8") as note:
            note.write(f"{sys.executable}\n{sys.version.split()[0]}\n{reason}\n")
    except OSError:
        pass


_begin()

# Now the program's own, as if this one had never been: an ImportError that names this module
# is what the interpreter expects when there is none.
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401 - the next one on sys.path
