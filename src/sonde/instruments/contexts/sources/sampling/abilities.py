"""Which ways of sampling work on this machine, for this user: found by trying them."""

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import SondeError
from sonde.instruments.contexts.sources.sampling.own_sampling import TRIGGERS, OwnSampling, OwnSamplingPlan
from sonde.instruments.contexts.sources.sampling.stack_sampling import Found, StackSampling

_BUSY = "import time\nwhile time.process_time() < 0.1: pass"
"""A program that has a processor for a tenth of a second, its start included."""
_WAITS = "import sys\nprint(flush=True)\nsys.stdin.read()"
_PERIOD_NS = 1_000_000
_MOST_S = 20.0
_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
_STATUS = Path("/proc/self/status")
_CAP_SYS_PTRACE = 1 << 19


class OwnAbilities(NamedTuple):
    """Of programs that sample themselves."""

    works: tuple[str, ...]
    """Triggers that bring samples."""
    refused: dict[str, str]
    """The others: what the system said; empty: nothing, but no sample came."""
    only_user: bool
    """Whether time in the system's calls is in no sample."""
    paranoid: int | None
    """`kernel.perf_event_paranoid`."""


class OutsideAbilities(NamedTuple):
    """Of looking from another process."""

    started: bool
    """Whether it works for programs that sonde starts."""
    ptrace_scope: int | None
    """`kernel.yama.ptrace_scope`; None: the system has no such rule, as if it were 0."""
    is_privileged: bool
    """Whether CAP_SYS_PTRACE is ours: rules 1 and 2 do not hold for who has it."""

    @property
    def running(self) -> bool:
        """Whether it works for processes that run already."""
        return self.started and (not self.ptrace_scope or (self.is_privileged and self.ptrace_scope < 3))


def own_abilities() -> OwnAbilities:
    """Run a short program by each trigger.

    Raises:
        MissingCapability: `no-agent`.
    """
    works, refused, only_user = list[str](), dict[str, str](), False
    for trigger in TRIGGERS:
        with tempfile.TemporaryDirectory(prefix="sonde-trigger-") as folder:
            sampling = OwnSampling(OwnSamplingPlan("immediate", trigger, _PERIOD_NS), Path(folder))
            environment = sampling.environment()
            sampling.begin()
            try:
                subprocess.run([sys.executable, "-c", _BUSY], env=environment, timeout=_MOST_S, check=False)
            except subprocess.TimeoutExpired:
                pass  # there may be samples
            finally:
                sampling.end()
            sums = sampling.rings.sums()
            if sums["samples"]:
                works.append(trigger)
                only_user |= trigger != "timer" and bool(sums["only_user"])
            else:
                refused[trigger] = next((refusal.reason for refusal in sampling.refusals()), "")
    return OwnAbilities(tuple(works), refused, only_user, _number_in(_PARANOID))


def outside_abilities() -> OutsideAbilities:
    """Look at a program that we start, and see what the system says of others."""
    started = False
    with subprocess.Popen([sys.executable, "-c", _WAITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with contextlib.suppress(SondeError):
            started = StackSampling(_PERIOD_NS, is_processor=False).try_pid(process.pid) is Found.FOUND
        process.communicate()
    return OutsideAbilities(started, _number_in(_SCOPE), bool(_capabilities() & _CAP_SYS_PTRACE))


def _number_in(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _capabilities() -> int:
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)
