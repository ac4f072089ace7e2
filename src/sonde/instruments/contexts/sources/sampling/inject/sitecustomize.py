"""Loaded by the start-up of the measured interpreter, before the program: it lets the process sample its own stacks.

It stands on PYTHONPATH only until it has run: it loads the agent by its path, takes itself out of the environment,
`sys.path` and `sys.modules` again, and lets the program's own `sitecustomize` run, if there is one. Whatever goes wrong
here is written to the folder of the run; the program runs as it would have.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types


def _begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    settings = os.environ.get("SONDE_SAMPLES")
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    if settings is None:
        return
    # Fields in hexadecimal: paths may hold any character, and bytes that are no characters.
    fields = [os.fsdecode(bytes.fromhex(field)) for field in settings.split(":")]
    package, folder, trigger, period, ring_bytes, polling, follow, launcher, had_path = fields
    if not follow:
        del os.environ["SONDE_SAMPLES"]
        rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)[1:]
        if rest or had_path:
            os.environ["PYTHONPATH"] = os.pathsep.join(rest)
        else:
            os.environ.pop("PYTHONPATH", None)
    try:
        agent = _load(package)
        agent.start(
            os.fsencode(folder),
            int(trigger),
            int(period),
            int(ring_bytes),
            bool(polling),
            bool(follow),
            int(launcher),
            os.fsencode(" ".join(sys.orig_argv)),
        )
    except BaseException as error:
        _refuse(folder, str(error) if isinstance(error, (OSError, ImportError)) else f"{type(error).__name__}: {error}")
        return
    import atexit

    atexit.register(agent.finish)


def _load(folder: str) -> "types.ModuleType":
    """Load the extension that fits this interpreter, leaving no trace in `sys.modules`."""
    import _imp
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader

    path = os.path.join(folder, f"_sample_agent{_imp.extension_suffixes()[0]}")
    if not os.path.exists(path):
        raise ImportError(f"sonde has no agent for Python {sys.version.split()[0]}: there is no '{path}'")
    spec = ModuleSpec("sonde._sample_agent", ExtensionFileLoader("sonde._sample_agent", path), origin=path)
    module = _imp.create_dynamic(spec)
    _imp.exec_dynamic(module)
    sys.modules.pop("sonde._sample_agent", None)
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
