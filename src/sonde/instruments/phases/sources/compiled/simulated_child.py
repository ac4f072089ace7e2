"""Run as a script in sonde's Valgrind tool: loads a compiled program with probes of phases, and becomes the program.

Only what is needed is imported: Valgrind makes it slow. Nothing is counted before the probes ask for it.
"""

import json
import os
import sys
from pathlib import Path

OBJECT, RUNTIME, SETTINGS = "program.o", "runtime.o", "program.json"
"""Files in the folder of the run."""


def run(folder: Path) -> None:
    """Load what is in the folder, and become it."""
    settings = json.loads((folder / SETTINGS).read_text(encoding="ascii"))
    sys.path[:] = settings["path"]

    from sonde.instruments.phases.sources.compiled_probe_library import PhasePlan, become_program, phase_addresses
    from sonde.jit import Engine, Libraries

    image = (folder / OBJECT).read_bytes()
    libraries = Libraries(settings["libraries"], settings["folders"])
    engine = Engine(libraries, (folder / RUNTIME).read_bytes())
    code = engine.load(settings["arguments"][0], [image], phase_addresses(settings["called"]), settings["users"])
    log, several = settings["most_log_bytes"], settings["switches_stacks"]
    become_program(code, settings["arguments"], PhasePlan(os.fsencode(folder), settings["counters"], log, several))


if __name__ == "__main__":
    run(Path(sys.argv[1]))
