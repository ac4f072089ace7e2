"""Run by the measured interpreter before the program (`sonde.launch.start_hooks`): calls of phases are watched."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess", most_bytes: str, grain: str, least_ns: str, *counters: str) -> None:
    """Begin to watch the functions that the file `watched` names, until the process ends."""
    agent = process.agent("_phase_agent")
    limits = int(most_bytes), process.launcher, float(grain), float(least_ns)
    agent.start(os.fsencode(process.folder), counters, _functions(process.folder), *limits)
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
