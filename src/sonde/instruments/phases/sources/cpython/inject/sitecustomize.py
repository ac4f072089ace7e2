"""Loaded by the start-up of the measured interpreter, before the program.

It stands on PYTHONPATH only until it has run: it loads the agent by its path, takes itself out of the environment and
of `sys.path` again, and lets the program's own `sitecustomize` run, if there is one. Whatever goes wrong here is
written to the folder of the run; the program runs as it would have.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types


def _begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    settings = os.environ.pop("SONDE_PHASES", None)
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    if settings is None:
        return
    # Fields in hexadecimal: paths may hold any character, and bytes that are no characters.
    fields = [os.fsdecode(bytes.fromhex(field)) for field in settings.split(":")]
    package, folder, launcher, had_path, most_bytes, grain, least_ns, *counters = fields
    rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)[1:]
    if rest or had_path:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)
    try:
        agent = _load_agent(package)
        limits = int(most_bytes), int(launcher), float(grain), float(least_ns)
        agent.start(os.fsencode(folder), tuple(counters), _functions(folder), *limits)
    except BaseException as error:
        _refuse(folder, f"{type(error).__name__}: {error}")
        return
    import atexit

    atexit.register(agent.finish)


def _functions(folder: str) -> "tuple[tuple[int, int, str, str], ...]":
    """Those to watch, by number, first line, file and name; of import machinery the line depends on the release."""
    functions = []
    with open(os.path.join(folder, "watched"), encoding="ascii") as file:
        for line in file:
            number, first_line, *names = line.split()
            file_name, name = (os.fsdecode(bytes.fromhex(word[1:])) for word in names)
            at = int(first_line) or _line_of(file_name, name)
            if at:
                functions.append((int(number), at, file_name, name))
    return tuple(functions)


def _line_of(file_name: str, name: str) -> int:
    """Where a function of frozen import machinery begins; 0: there is no such function."""
    is_external = file_name.endswith("_external>")
    found: object = sys.modules.get("_frozen_importlib_external" if is_external else "_frozen_importlib")
    for part in name.split("."):
        found = getattr(found, part, None)
    return int(getattr(getattr(found, "__code__", None), "co_firstlineno", 0))


def _load_agent(folder: str) -> "types.ModuleType":
    """Load the extension that fits this interpreter, leaving no trace in `sys.modules`."""
    import _imp
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader

    path = os.path.join(folder, f"_phase_agent{_imp.extension_suffixes()[0]}")
    if not os.path.exists(path):
        raise ImportError(f"sonde has no agent for Python {sys.version.split()[0]}: there is no '{path}'")
    spec = ModuleSpec("sonde._phase_agent", ExtensionFileLoader("sonde._phase_agent", path), origin=path)
    module = _imp.create_dynamic(spec)
    _imp.exec_dynamic(module)
    sys.modules.pop("sonde._phase_agent", None)
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
