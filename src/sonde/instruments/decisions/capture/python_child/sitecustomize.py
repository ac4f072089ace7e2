"""Loaded by the start-up of the measured interpreter, before the program.

It stands on PYTHONPATH only until it has run: it starts the recorder that lies beside it, takes itself out of the
environment, `sys.path` and `sys.modules` again, and lets the program's own `sitecustomize` run, if there is one.
Whatever goes wrong here is written beside the record; the program runs as it would have.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    settings = os.environ.pop("SONDE_DECISIONS", None)
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    if settings is None:
        return
    # Fields in hexadecimal: paths may hold any character, and bytes that are no characters.
    folder, had_path, interval_s, tick_s = (os.fsdecode(bytes.fromhex(field)) for field in settings.split(":"))
    rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)[1:]
    if rest or had_path:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)
    try:
        before = set(sys.modules)
        path = os.path.join(here, "recorder.py")
        with open(path, encoding="utf-8") as source:
            names: dict[str, Any] = {"__name__": "sonde_recorder", "__file__": path}
            exec(compile(source.read(), path, "exec"), names)
        names["start"](folder, float(interval_s), float(tick_s))
        # What only the recorder needed, the program has not imported.
        for name in set(sys.modules) - before:
            del sys.modules[name]
    except BaseException as error:
        _refuse(folder, f"{type(error).__name__}: {error}")


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
