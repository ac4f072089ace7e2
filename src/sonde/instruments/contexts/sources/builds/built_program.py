"""A program that was built with probes: how to know it, and what tells it where its counts go."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sonde.instruments.contexts.hotness import HotLimits

VARIABLE = "SONDE_PROBES"
"""What `native/probes/from_environment.c` reads."""
_LIBRARY, _SECTION = b"libsonde_probes.so\0", b"sonde_probes\0"
_METRICS = ("", "calls", "time")
"""As the probes number them."""


class BuiltPlan(NamedTuple):
    """What probes keep."""

    hot: HotLimits | None
    """None: everything."""
    timed: bool
    """Whether somebody will look which contexts run."""
    follow: bool


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


def environment_of(folder: Path, plan: BuiltPlan) -> Mapping[str, str]:
    """The environment in which a program with probes counts into a folder."""
    limits = (0, 0, 0, 0)
    if plan.hot is not None:
        hot = plan.hot
        limits = (_METRICS.index(hot.metric), int(hot.space_saving), hot.counters, hot.nodes)
    numbers = (os.getpid(), *limits, int(plan.timed), int(plan.follow))
    return {**os.environ, VARIABLE: f"{','.join(map(str, numbers))}:{folder.resolve()}"}
