"""What watching costs on this machine, by trying: a call of a phase, and a call that is none."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import MissingCapability
from sonde.code import Function
from sonde.instruments.phases.profile import Phase
from sonde.instruments.phases.sources.cpython.running import WatchedRun, environment_to_watch
from sonde.launch import agent_folder

# Calls of phases are long: when one begins or ends, nothing of the agent is in the nearer caches any more. So between
# two of them something is compiled, which takes much of the interpreter's code. The middle half of the times counts.
_TRIAL = """\
import time
def phase(): pass
def other(): pass
def others(calls):
    for _ in range(calls): other()
text, now = "for a in b:\\n    c[a] = f(a.d, *e) if g(a) else {'h': [i + 1 for i in a]}\\n" * 4, time.perf_counter_ns
def cold():
    compile(text, "", "exec")
    start = now()
    phase()
    return now() - start
def hot():
    start = now()
    others(2000)
    return (now() - start) / 2000
colds = sorted(cold() for _ in range(200))
print(sum(colds[50:150]) / 100, min(hot() for _ in range(20)))
"""
_PHASE = Phase(Function("phase", "", "<string>", 2))


class WatchingCosts(NamedTuple):
    """Nanoseconds of processor time."""

    call_ns: float
    """That a call of a phase takes longer: counters are read twice, and two events are written."""
    passing_ns: float
    """That any other Python call takes longer, where the interpreter asks at each (3.11)."""


def watching_costs(counters: tuple[str, ...]) -> WatchingCosts:
    """Find out: small functions are called with and without being watched, in processes of their own.

    Raises:
        MissingCapability: `no-agent`; `no-phases-measured`, the trial did not run.
    Cost: 0.1 s.
    """
    package = agent_folder("sonde._phase_agent")
    with tempfile.TemporaryDirectory(prefix="sonde-phases-") as folder:
        watched = environment_to_watch(Path(folder), WatchedRun.of([_PHASE], counters), package)
        plain, with_phases = _tried(dict(os.environ)), _tried(watched)
    return WatchingCosts(*(max(after - before, 0.0) for before, after in zip(plain, with_phases, strict=True)))


def _tried(environment: dict[str, str]) -> tuple[float, float]:
    command = [sys.executable, "-c", _TRIAL]
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        phase, other = map(float, done.stdout.splitlines()[-1].split())  # start-up files may have said something before
    except (ValueError, IndexError):
        raise MissingCapability(
            f"cannot estimate what watching phases costs: the trial said '{done.stderr.strip()[-200:]}'",
            slug="no-phases-measured",
            hint="sonde doctor",
        ) from None
    return phase, other
