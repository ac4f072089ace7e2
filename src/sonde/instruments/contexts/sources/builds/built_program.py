"""A program that was built with probes: how to know it, and what tells it where its counts go."""

import os
from collections.abc import Mapping
from pathlib import Path

from sonde.instruments.contexts.sources.probe_plan import ProbePlan

VARIABLE = "SONDE_PROBES"
"""What `native/probes/from_environment.c` reads."""
_SWITCH, _ENTER = b"sn_probes_page\0", b"sn_probes_enter_linked\0"
_LIBRARY, _SECTION = b"libsonde_probes.so\0", b"sonde_probes\0"


def has_probes(path: Path) -> bool:
    """Whether a file is a program that was linked with our probes: it names their library, or has their section."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                return False
            data = file.read()
    except OSError:
        return False
    return _LIBRARY in data or _SECTION in data


def has_bursts(path: Path) -> bool:
    """Whether the probes of a program can be switched: it names their switch. Assumed of one without symbols."""
    data = path.read_bytes()
    return _SWITCH in data or _ENTER not in data


def environment_of(folder: Path, plan: ProbePlan) -> Mapping[str, str]:
    """The environment in which a program with probes counts into a folder."""
    numbers = (os.getpid(), *plan.hot_numbers, plan.timed, plan.follow)
    return {**os.environ, VARIABLE: f"{','.join(str(int(each)) for each in numbers)}:{folder.resolve()}"}
